#!/bin/sh
# esubs.sh WRAPPERS ESUBS: each type that `bsub -a` takes has an esub, which gives the job its type or refuses it by name.
set -eu
WORK=$(mktemp -d "${TMPDIR:-/tmp}/esubs.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
failures=0
failed() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}
# shellcheck source=/dev/null
. "$1/pjltypes.sh"

# esub TYPE: runs it as bsub does; its exit status, $WORK/env, $WORK/stderr.
esub() {
  : >"$WORK/env"
  status=0
  LSB_SUB_MODIFY_ENVFILE=$WORK/env LSB_SUB_ABORT_VALUE=97 LSF_BINDIR=$BINDIR "$ETC/esub.$1" 2>"$WORK/stderr" || status=$?
}
BINDIR=$1 ETC=$2

count=0
# shellcheck disable=SC2086  # the table is words
set -- auto any_wrapper - $PJL_TYPES
while [ $# -ge 3 ]; do
  count=$((count + 1))
  if [ ! -x "$ETC/esub.$1" ]; then
    failed "$1: found no esub.$1 in $ETC"
  else
    esub "$1"
    if [ "$2" = - ]; then
      [ "$status" = 97 ] || failed "$1: found status $status, expected 97: it is not supported"
      grep -q "^esub.$1: PJL type: found $1, which is not supported" "$WORK/stderr" || failed "$1: $(cat "$WORK/stderr")"
      [ ! -s "$WORK/env" ] || failed "$1: is refused and changes the environment"
    else
      [ "$status" = 0 ] || failed "$1: found status $status, expected 0: $(cat "$WORK/stderr")"
      [ "$(cat "$WORK/env")" = "LSF_PJL_TYPE=\"$1\"" ] || failed "$1: found $(cat "$WORK/env")"
    fi
  fi
  shift 3
done
[ "$count" -ge 20 ] || failed "found $count types, expected the table"

mkdir "$WORK/etc" && cp "$ETC/esub.openmpi" "$WORK/etc"
ETC=$WORK/etc
esub openmpi
[ "$status" = 0 ] || failed 'away from bin it is to find LSF_BINDIR'
BINDIR=/nowhere
esub openmpi
[ "$status" = 97 ] || failed 'without pjltypes.sh it is to refuse'
[ "$failures" = 0 ]
