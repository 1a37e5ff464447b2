#!/bin/sh
# sanitized_self_test.sh: sanitized.sh fails where a test fails, where a program has found something, and where there is no test at all;
# with a cmake and a ctest that do what this test says.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bin" "$scratch/build/asan/findings"
printf '#!/bin/sh\nexit 0\n' >"$scratch/bin/cmake"
cat >"$scratch/bin/ctest" <<'END'
#!/bin/sh
[ -z "${FINDING:-}" ] || echo "$FINDING" >"$FINDINGS/asan.res.17"
exit "${TESTS:-0}"
END
chmod +x "$scratch/bin/cmake" "$scratch/bin/ctest"
PATH=$scratch/bin:$PATH
FINDINGS=$scratch/build/asan/findings
export PATH FINDINGS

# expect STATUS WORD COMMAND...: it exits so, and says WORD.
expect() {
    wanted=$1
    word=$2
    shift 2
    status=0
    said=$("$@" 2>&1) || status=$?
    if [ "$status" -ne "$wanted" ]; then
        echo "found exit status $status, expected $wanted: $*: $said"
        exit 1
    fi
    case $said in
    *"$word"*) ;;
    *) echo "found \"$said\", expected \"$word\" in it: $*" && exit 1 ;;
    esac
}
run="$here/sanitized.sh $scratch asan io"
# shellcheck disable=SC2086  # words
{
    expect 0 "" $run
    expect 1 "" env TESTS=8 $run
    expect 1 "heap-use-after-free" env FINDING=heap-use-after-free $run
    expect 0 "" $run # what an earlier run has found is gone
    expect 2 "usage" "$here/sanitized.sh" "$scratch"
    rm -r "$FINDINGS"
    expect 1 "no folder" $run
}
echo "sanitized.sh tells what was found"
