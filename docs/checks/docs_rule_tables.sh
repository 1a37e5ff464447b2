#!/bin/sh
# docs_rule_tables.sh SOURCE_DIR BUILD_DIR CTEST: docs/multicluster.md and docs/preemption.md have a row for each sentence of a manual:
# sentence, file, test, state. Every file that a row names exists, and every test: its CTest, and in brackets behind it the cases,
# each a TEST or a suite of C++, a scenario of tests/golden, or a function of a Python file below tests/cluster.
set -eu
sources=$1
build=$2
ctest=$3
bad=0
complain() { echo "$page: $*" >&2; bad=1; }

tests=$("$ctest" --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p')
[ -n "$tests" ] || { echo "$ctest lists no test" >&2; exit 1; }
files=$(cd "$sources" && find common pam taskstarter elim sched res -name '*.[ch]pp')
cases=$(find "$sources/tests" -name '*.cpp' -exec sed -n 's/^\(TEST\|TEST_F\|TEST_P\|RC_GTEST_PROP\)(\([^,]*\), *\([A-Za-z0-9_]*\).*/\2\n\3/p' {} +
  find "$sources/tests/golden" -name '*.scenario' | sed 's|.*/||; s|\.scenario$||'
  sed -n 's/^def \(test_[a-z0-9_]*\)(.*/\1/p' "$sources"/tests/cluster/*.py)

# column N: of the rows with four cells.
column() { awk -F'|' -v column="$1" '/^\|/ && NF == 6 { print $(column + 1) }' "$page"; }

# check PAGE FILES TESTS CASES: at least so many are named.
check() {
  page=$sources/docs/$1
  [ -z "$(awk -F'|' '/^\|/ && NF != 6' "$page")" ] || complain "found a row without four cells"
  count=0
  # shellcheck disable=SC2016 # backquotes are what is looked for
  for file in $(column 2 | grep -o '`[^`]*`' | tr -d '`' | sort -u); do
    count=$((count + 1))
    printf '%s\n' "$files" | grep -qE "(^|/)$file\$" || complain "found the file $file, expected one that exists"
  done
  [ "$count" -ge "$2" ] || complain "found $count files, expected at least $2"
  count=0
  # shellcheck disable=SC2016
  for name in $(column 3 | grep -o '`[^`]*`' | tr -d '`' | sort -u); do
    count=$((count + 1))
    printf '%s\n' "$tests" | grep -qxE "${name}(_corpus)?" || complain "found the test $name, expected one that ctest -N lists"
  done
  [ "$count" -ge "$3" ] || complain "found $count tests, expected at least $3"
  count=0
  for name in $(column 3 | grep -o '([^)]*)' | tr -d '(),' | tr ' ' '\n' | sort -u); do
    count=$((count + 1))
    printf '%s\n' "$cases" | grep -qx "$name" || complain "found the case $name, expected one below tests"
  done
  [ "$count" -ge "$4" ] || complain "found $count cases, expected at least $4"
}

check multicluster.md 8 8 15
check preemption.md 12 6 40
exit "$bad"
