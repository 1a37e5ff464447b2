#!/bin/sh
# style.sh SOURCES TESTS: shellcheck has nothing to say about the wrappers and their tests; each wrapper is at most
# 80 lines and opens by saying which launcher it is for and how TaskStarter gets in.
set -eu
command -v shellcheck >/dev/null || { echo 'shellcheck is missing, expected it in PATH (Debian: shellcheck)' >&2 && exit 1; }
failures=0
failed() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}
cd "$1"
count=0
for file in *_wrapper mpirun.lsf cmdfile_task esub.pjl qdel *.sh; do
  count=$((count + 1))
  shellcheck -s sh "$file" || failed "$file: shellcheck"
  [ "$(wc -l <"$file")" -le 80 ] || failed "$file: found $(wc -l <"$file") lines, expected 80 at most"
  awk 'length($0) > 120 { exit 1 }' "$file" || failed "$file: found a line over 120 columns"
  case $file in
  *.sh) [ ! -x "$file" ] || failed "$file: is executable, but is read by the others" ;;
  *)
    [ -x "$file" ] || failed "$file: expected an executable file"
    grep -qx 'set -eu' "$file" || failed "$file: expected the line 'set -eu'"
    ;;
  esac
  case $file in *_wrapper | mpirun.lsf)
    for line in 'Launcher: ' 'How TaskStarter gets in: '; do
      grep -q "^# $line" "$file" || failed "$file: expected a head comment with '$line'"
    done
    ;;
  esac
done
[ "$count" -ge 20 ] || failed "found $count files in $1, expected the wrappers"
cd "$2"
shellcheck -x ./*.sh fakes/* || failed 'shellcheck of the tests'
[ "$failures" = 0 ]
