#!/bin/sh
# check_decisions.sh RECORDER DECISIONS BOOK_SEEDS PLAN_SEEDS: today's decisions are those that DECISIONS has, for the first
# seeds (multiples of 100). Exit: 0 the same, 1 not, 2 nothing to compare.
set -eu
recorder=$1
decisions=$2
[ -r "$decisions" ] || { echo "$decisions: missing" >&2; exit 2; }
status=0
for what in "book $3" "plans $4"; do
    name=${what% *}
    last=${what#* }
    now=$("$recorder" "$name" 1 "$last") || { echo "$recorder $name: failed" >&2; status=1; }
    expected=$(grep "^$name " "$decisions" | head -n "$((last / 100))")
    if [ "$(echo "$expected" | wc -l)" -ne "$((last / 100))" ]; then
        echo "$decisions: found fewer than $last seeds of $name" >&2
        exit 2
    fi
    if [ "$now" != "$expected" ]; then
        echo "$name: other decisions than before. See what changed: build the commit before, then compare for one seed" >&2
        echo "  $recorder $name SEED --trace" >&2
        printf '%s\n' "$now" >"${TMPDIR:-/tmp}/decisions.$$"
        printf '%s\n' "$expected" | diff - "${TMPDIR:-/tmp}/decisions.$$" | grep '^[<>]' | head -4 >&2 || :
        rm -f "${TMPDIR:-/tmp}/decisions.$$"
        status=1
    fi
done
[ "$status" -eq 0 ] && echo "the decisions of $3 seeds of the Book and $4 of the cycle are as before"
exit "$status"
