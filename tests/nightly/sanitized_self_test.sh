#!/bin/sh
# sanitized_self_test.sh: sanitized.sh fails where a test fails, where a sanitizer reported a finding, and where there is no test;
# and it counts what ran. cmake and ctest are fakes here.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/bin" "$scratch/build/asan/findings" "$scratch/build/asan/Testing/Temporary"
printf '#!/bin/sh\nexit 0\n' >"$scratch/bin/cmake"
cat >"$scratch/bin/ctest" <<'END'
#!/bin/sh
[ -z "${FINDING:-}" ] || echo "$FINDING" >"$FINDINGS/asan.res.17"
while [ "$1" != -O ]; do shift; done
printf '97%% tests passed, 1 tests failed out of 40\n\nThe following tests did not run:\n\t 7 - a_test (Skipped)\n' >"$2"
printf '[  SKIPPED ] A.B (0 ms)\n[  SKIPPED ] 1 test, listed below:\n[  SKIPPED ] A.B\n9 passed, 0 failed, 2 skipped\n' \
    >"$FINDINGS/../Testing/Temporary/LastTest.log"
[ -z "${LEAKS_IN:-}" ] || echo "${ASAN_OPTIONS:-none}" >>"$LEAKS_IN"
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
    expect 0 "others: 40 tests, 1 failed, 1 skipped; 3 cases skipped inside of others" $run
    expect 1 "" env TESTS=8 $run
    expect 1 "heap-use-after-free" env FINDING=heap-use-after-free $run
    expect 0 "left out: 1 findings" env FINDING="invalid vptr (errno: 24)" $run
    expect 1 "invalid vptr" env FINDING="invalid vptr" $run
    expect 0 "asan: 0 findings" $run # what an earlier run has found is gone
    expect 2 "usage" "$here/sanitized.sh" "$scratch"
    expect 0 "unit: 40 tests" env LEAKS_IN="$scratch/leaks" "$here/sanitized.sh" "$scratch" asan "^(unit|io)$"
    expect 0 "detect_leaks=1
none" cat "$scratch/leaks"
    rm -r "$FINDINGS"
    expect 1 "no folder" $run
}
echo "sanitized.sh tells what was found"
