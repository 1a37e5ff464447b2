# shellcheck shell=sh
# check.sh: what the tests of the wrappers share: a private folder of programs, fakes that record, assertions.
# Read with `.`; the arguments are the folder of the wrappers to test and, optionally, the shell to run them with.
#
# A test is a list of cases:   case_ 'what must be so'; run PROGRAM WORDS...; launched NAME WORDS...
# Every assertion that fails prints its case, what was found and what was expected; finish ends the test.
FAKES=$(dirname -- "$(readlink -f -- "$0")")/fakes
[ -f "${1:-}/pjllib.sh" ] || { echo "no wrappers in '${1:-}'" >&2 && exit 1; }
WORK=$(mktemp -d "${TMPDIR:-/tmp}/wrappers.XXXXXX")
# Open MPI's session directories too: where two tests share them, the one that ends first may take the other's away.
TMPDIR=$WORK
export TMPDIR
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
BIN=$WORK/bin RECORD=$WORK/record TOOLS=$WORK/tools
mkdir "$BIN" "$RECORD" "$TOOLS"
for file in "$1"/*_wrapper "$1"/*.sh "$1/mpirun.lsf" "$1/cmdfile_task"; do
  sed "1s|^#!/bin/sh\$|#!${2:-/bin/sh}|" <"$file" >"$BIN/${file##*/}"
  chmod 755 "$BIN/${file##*/}"
done
# Nothing of the machine's launchers, pams and variables reaches a case.
for tool in awk cat dirname env mktemp paste readlink rm sed sh sort tail tr true uname wc; do
  ln -s "$(command -v "$tool")" "$TOOLS/$tool"
done
for name in $(env | sed -n 's/^\(\(LS[BF]_\|OMPI_\|HYDRA_\|I_MPI_\|PMI\|SLURM_\|MP_\|ROLLCALL_\)[A-Za-z0-9_]*\)=.*/\1/p'); do
  unset "$name"
done
LSF_ENVDIR=$WORK/envdir
export RECORD LSF_ENVDIR
mkdir "$LSF_ENVDIR"

failures=0 cases=0 name='' status=0

case_() {
  cases=$((cases + 1)) name=$1
  rm -f "$RECORD"/*
}

failed() {
  failures=$((failures + 1))
  printf 'FAILED: %s\n' "$name" >&2
  [ $# = 0 ] || printf '  %s\n' "$@" >&2
  [ ! -s "$RECORD/stderr" ] || sed 's/^/  stderr: /' <"$RECORD/stderr" >&2
}

# silent_stdin: from here on stdin has no bytes and no end. At the end of its stdin mpiexec.hydra 4.0 writes to its proxy; where the
# proxy's tasks have ended already, SIGPIPE kills mpiexec (141), and their output is lost.
silent_stdin() {
  mkfifo "$WORK/silent"
  exec <>"$WORK/silent"
}

# install_ NAME...: fakes of these names, launchers in PATH, pam and TaskStarter beside the wrappers.
install_() {
  for program do
    case $program in pam | TaskStarter) cp "$FAKES/launcher" "$BIN/$program" ;; *) cp "$FAKES/launcher" "$TOOLS/$program" ;; esac
  done
}
remove_() {
  for program do rm -f "$BIN/$program" "$TOOLS/$program"; done
}

# run_by HOW [NAME=VALUE...] PROGRAM WORD...: HOW starts a program of $BIN, with these in its environment. stdin is its own.
run_by() {
  how=$1 program=
  shift
  for word do
    shift
    case $program:$word in :[A-Z]*=*) ;; :*) program=$BIN/$word word=$program ;; esac
    set -- "$@" "$word"
  done
  status=0
  "$how" "$@" >"$RECORD/stdout" 2>"$RECORD/stderr" || status=$?
}
among_tools() { PATH=$TOOLS "$TOOLS/env" "$@"; }
run() { run_by among_tools "$@"; }

# real_launcher openmpi|hydra|generic: sets $wrapper and $type for a launcher that is installed (77: it is not), and the
# environment in which it starts its daemons by our agent.
real_launcher() {
  # shellcheck disable=SC2034  # for the caller
  case $1 in
  openmpi) wrapper=openmpi_wrapper type=openmpi command=mpirun.openmpi ;;
  hydra) wrapper=mpich_wrapper type=mpich command=mpiexec.hydra ;;
  generic) wrapper=generic_pjl_wrapper type=generic command=sh ;;
  esac
  command -v "$command" >/dev/null || { echo "skipped: $command is not installed" && exit 77; }
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_plm_rsh_agent=$FAKES/agent HYDRA_LAUNCHER=rsh HYDRA_LAUNCHER_EXEC=$FAKES/agent PJL_RSH=$FAKES/agent
  export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_plm_rsh_agent HYDRA_LAUNCHER HYDRA_LAUNCHER_EXEC PJL_RSH
}

exits() {
  [ "$status" = "$1" ] || failed "status: found $status, expected $1"
}

# launched NAME WORD...: the fake NAME was started with exactly these words, byte for byte.
launched() {
  fake=$1 && shift
  if [ ! -f "$RECORD/$fake.argv" ]; then
    failed "$fake was not started"
    return 0
  fi
  : >"$RECORD/expected"
  [ $# = 0 ] || printf '%s\0' "$@" >"$RECORD/expected"
  cmp -s "$RECORD/expected" "$RECORD/$fake.argv" ||
    failed "words of $fake, one per line in <>:" "found:" "$(show "$RECORD/$fake.argv")" "expected:" "$(show "$RECORD/expected")"
}
show() { tr '\n\0' '~\n' <"$1" | sed 's/^\(.*\)$/    <\1>/'; }

not_launched() {
  for fake do [ ! -f "$RECORD/$fake.argv" ] || failed "$fake was started"; done
}

# refuses STATUS TEXT: nothing was started, one line on stderr with TEXT in it, and this status.
refuses() {
  exits "$1"
  not_launched mpirun.openmpi mpiexec.hydra srun pam
  [ "$(wc -l <"$RECORD/stderr")" = 1 ] || failed 'expected one line on stderr'
  grep -qF -- "$2" "$RECORD/stderr" || failed "stderr: expected to find: $2"
}

says() { grep -qF -- "$1" "$RECORD/stderr" || failed "stderr: expected to find: $1"; }
quiet() { [ ! -s "$RECORD/stderr" ] || failed 'expected nothing on stderr'; }

# environment NAME LINE...: the fake NAME had these lines in its environment; unset_in NAME VARIABLE: it had not.
environment() {
  fake=$1 && shift
  for line do grep -qxF -- "$line" "$RECORD/$fake.env" || failed "environment of $fake: no line $line"; done
}
unset_in() { ! grep -q "^$2=" "$RECORD/$1.env" || failed "environment of $1: $2 is set"; }

finish() {
  [ "$failures" = 0 ] || { echo "$failures of the assertions in $cases cases failed" >&2 && exit 1; }
  [ "$cases" -gt 0 ] || { echo 'no case was run' >&2 && exit 1; }
  echo "$cases cases hold"
}
