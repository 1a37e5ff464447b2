#!/bin/sh
# docs_hacking.sh ROOT BUILD CTEST: every file, folder, build target and test that HACKING.md names exists.
# shellcheck disable=SC2016 # backquotes are what is looked for
set -eu
root=$1
build=$2
ctest=$3
page=$root/HACKING.md
bad=0
complain() { echo "HACKING.md: $*" >&2; bad=1; }

spans() { sed '/^```/,/^```/d' "$page" | grep -o '`[^`]*`' | tr -d '`' | sort -u; }

# A path may have wildcards, or lack .cpp or .hpp. NAME and TARGET stand for the reader's own.
checked=0
for path in $(spans | grep -E '^[A-Za-z_.*-]+/[A-Za-z0-9_./*-]*$' | grep -vE '^build/|NAME|TARGET'); do
  checked=$((checked + 1))
  found=
  for place in "$root"/$path "$root/$path.cpp" "$root/$path.hpp"; do
    [ ! -e "$place" ] || found=$place
  done
  # A room's folder by its last name: `policy/`.
  [ -n "$found" ] || [ "$path" = policy/ ] || complain "found $path, which is not there"
done
[ "$checked" -gt 40 ] || complain "found $checked paths, expected the page of places to name more than 40"

tests=$("$ctest" --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p')
[ -n "$tests" ] || { echo "$ctest lists no test" >&2; exit 1; }
checked=0
for name in $(spans | grep -E '^[a-z_]+_test$|^(cluster|docs|known)_[a-z_]+$'); do
  checked=$((checked + 1))
  printf '%s\n' "$tests" | grep -qx -e "$name" || complain "found the test $name, which ctest does not have"
done
[ "$checked" -gt 5 ] || complain "found $checked tests, expected more than 5"

for file in $(spans | grep -E '^[a-z_]+\.(cpp|hpp|sh)$'); do
  [ -n "$(find "$root/common" "$root/pam" "$root/taskstarter" "$root/elim" "$root/sched" "$root/res" "$root/wrappers" "$root/tests" -name "$file")" ] ||
    complain "found $file, and no file has that name"
done
exit "$bad"
