#!/bin/bash
# io_completion.sh COMPLETION BIN COMMANDS: options come from the commands themselves, operands from their kind; every command
# of the table COMMANDS is completed, and its program answers to its name.
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
names=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$3")
for name in $names; do
  complete -p "$name" >/dev/null 2>&1 || { echo "$name: found no completion, expected one" >&2; failed=1; }
  said=$("$name" -V 2>&1) || { echo "$name -V: exit $?: $said" >&2; failed=1; }
  case $name in
  pam | lsf_daemons | bsched-query | bpost | bread | badmin | lsclusters | lsmon) ;; # their -h has another form
  *) completes "$name" "$name" - -h ;;
  esac
done
for name in $(complete -p | sed -n 's/.*_rollcall \([^ ]*\)$/\1/p'); do
  echo "$names" | grep -qxF "$name" || { echo "$name: is completed, and no command of the table" >&2; failed=1; }
done
exit $failed
