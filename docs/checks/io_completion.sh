#!/bin/bash
# io_completion.sh COMPLETION BIN: options come from the commands themselves, operands from their kind; every command of
# BIN that has an -h of ours is completed.
set -eu
PATH=$2:$PATH
# shellcheck source=/dev/null
. "$1"
failed=0

# completes COMMAND BEFORE WORD EXPECTED
completes() {
  COMPREPLY=()
  _rollcall "$1" "$3" "$2"
  case " ${COMPREPLY[*]} " in
  *" $4 "*) ;;
  *)
    echo "$1 $2 $3: found '${COMPREPLY[*]}', expected $4 among them" >&2
    failed=1
    ;;
  esac
}

completes lsload lsload -N -N
completes lsload lsload --w --watch
completes lsadmin lsadmin limr limrestart
completes bkill -s K KILL
completes bsub -n -alloc -alloc_flags
completes badmin badmin qc qclose
completes bsub -gpu num=1:mode=s num=1:mode=shared
for name in lsid lshosts lsload lsplace lsadmin bsub bjobs bkill bstop bresume bmod bswitch btop bbot brequeue bpeek bwait \
  bhist bacct bhosts bqueues busers bparams bmgroup bugroup bapp blimits bslots; do
  completes "$name" "$name" - -h
  complete -p "$name" >/dev/null 2>&1 || { echo "$name: found no completion, expected one" >&2; failed=1; }
done
exit $failed
