#!/bin/sh
# docs_security_tests.sh SOURCE_DIR BUILD_DIR CTEST: every test that docs/security.md names exists: its CTest, and after a "/" its
# case, a TEST of C++ or a function of the Python file that the CTest runs.
set -eu
sources=$1
build=$2
ctest=$3
page=$sources/docs/security.md
bad=0
complain() { echo "docs/security.md: $*" >&2; bad=1; }

# "NAME SCRIPT" for each CTest; SCRIPT is the Python file that it runs, else "-".
listed=$("$ctest" -N -V --test-dir "$build" | awk '
  /Test command: / { script = "-"; if (match($0, /python3[^ ]* "[^"]*"/)) { split(substr($0, RSTART, RLENGTH), part, "\""); script = part[2] } }
  /^ *Test *#[0-9]*: / { sub(/^ *Test *#[0-9]*: /, ""); print $1, script }')
# The last column of every table row: `CTEST` or `CTEST/CASE`, with commas between.
# shellcheck disable=SC2016  # backticks of Markdown
named=$(sed -n 's/^|.*|\([^|]*\)|$/\1/p' "$page" | grep -o '`[A-Za-z0-9_]*\(/[A-Za-z0-9_.]*\)\{0,1\}`' | tr -d '`' | sort -u)
count=$(printf '%s\n' "$named" | grep -c .) || :
[ "$count" -ge 30 ] || complain "found $count tests, expected at least 30"
rows=$(sed -n '/^## What went wrong elsewhere/,$p' "$page" | grep -c '^| \(CVE\|LSF\)') || :
[ "$rows" -ge 16 ] || complain "found $rows rows of vulnerabilities, expected at least 16"
# shellcheck disable=SC2016
without=$(grep -E '^\| (CVE|LSF)' "$page" | grep -v '`[^`]*` |$') || :
[ -z "$without" ] || complain "found a row without a test: $without"

for test in $named; do
    name=${test%%/*}
    script=$(printf '%s\n' "$listed" | sed -n "s/^$name //p")
    if [ -z "$script" ]; then
        complain "found the test $name, expected one that ctest -N lists"
        continue
    fi
    [ "$name" != "$test" ] || continue
    case=${test#*/}
    case $case in
    *.*) grep -rqE "^TEST(_F|_P)?\(${case%.*}, ${case#*.}\)" "$sources/tests" --include='*.cpp' ||
        complain "$name: found no TEST(${case%.*}, ${case#*.})" ;;
    *) grep -q "^def $case(" "$script" 2>/dev/null || complain "$name: found no function $case in its script $script" ;;
    esac
done
[ "$bad" = 0 ] && echo "docs/security.md: $count tests exist"
exit $bad
