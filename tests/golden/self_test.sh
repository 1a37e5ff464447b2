#!/bin/sh
# self_test.sh PAM: run_golden.sh fails where pam is missing, a case has no golden file or a golden file no case, or an answer differs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
pam=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS TEXT ARGUMENT...
expect() {
    status=$1
    text=$2
    shift 2
    got=0
    output=$("$here/run_golden.sh" "$@" 2>&1) || got=$?
    case $got:$output in
    "$status":*"$text"*) ;;
    *)
        echo "FAILED: run_golden.sh $*: exit $got, expected $status and '$text': $output" >&2
        failed=1
        ;;
    esac
}

# shellcheck disable=SC2016  # the case expands it
echo '"$PAM" --dry-run -g 1 launcher "a b"' >"$dir/one.sh"
expect 2 "not there or not executable" "$dir/no-pam" "$dir"
expect 2 "no folder" "$pam" "$dir/none"
mkdir "$dir/empty"
expect 2 "no case in it" "$pam" "$dir/empty"
expect 1 "missing" "$pam" "$dir"
expect 0 "1 cases, 0 differ" "$pam" "$dir" --update
expect 0 "1 cases, 0 differ" "$pam" "$dir"
grep -q "^'a b'$" "$dir/one.golden" || { echo "FAILED: the golden file lacks a word" >&2; failed=1; }
sed -i 's/a b/a  b/' "$dir/one.golden"
expect 1 "1 differ" "$pam" "$dir"
"$here/run_golden.sh" "$pam" "$dir" --update >"$dir/update"
mv "$dir/one.sh" "$dir/other.sh"
cp "$dir/one.golden" "$dir/other.golden"
expect 1 "found 2 golden files, expected one for each of the 1 cases" "$pam" "$dir"

[ "$failed" -eq 0 ] && echo "run_golden.sh fails where it should"
exit "$failed"
