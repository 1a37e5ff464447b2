# shellcheck shell=sh disable=SC2034
# pjllib.sh: what the wrappers and mpirun.lsf share. Read by them with `.`, not a program.
#
#   pjllib.sh      error lines, lsf.conf, TaskStarter's words
#   pjltypes.sh    the one table of PJL types, pjlinstalled.sh which launchers are there
#   pjlhosts.sh    the job's hosts, pjlgeometry.sh which task runs on which of them
#   pjlargs.sh     where the programs are among a launcher's words
#   pjloptions.sh  what follows an option, by the tables of pjltables.sh and (of srun) pjlslurm.sh
#
# The caller has set $here, the directory of these files, and `set -eu`. What the functions set for their
# callers begins with PJL_. No word of the user's is ever evaluated, and none is split.
PJL_NAME=${0##*/}
# shellcheck disable=SC2154
PJL_HERE=$here PJL_TS=
set -f # nothing here is a file name pattern; lists of ours are split at blanks
for part in pjltypes pjlinstalled pjlhosts pjlgeometry pjlargs pjloptions pjltables pjlslurm; do
  # shellcheck source=/dev/null
  . "$here/$part.sh"
done

# pjl_say TEXT: one line on stderr, whatever bytes TEXT has.
pjl_say() {
  printf '%s: %s\n' "$PJL_NAME" "$(printf %s "$1" | LC_ALL=C tr '\000-\037\177' '?')" >&2
}

# pjl_fail STATUS TEXT: what, found, expected; and the end. 2 is a usage error, 1 any other.
pjl_fail() {
  pjl_say "$2"
  exit "$1"
}

# pjl_conf NAME: the value of NAME in the environment, else in lsf.conf of LSF_ENVDIR or, as pam has it, of conf
# beside our directory; nothing where neither has it.
pjl_conf() {
  eval "value=\${$1:-}"
  conf=${LSF_ENVDIR:-${PJL_HERE%/*}/conf}/lsf.conf
  if [ -z "$value" ] && [ -r "$conf" ]; then
    value=$(sed -n "s/^[[:blank:]]*$1[[:blank:]]*=[[:blank:]]*//p" <"$conf" | tail -n 1 |
      sed "s/[[:blank:]]#.*//; s/[[:blank:]]*\$//; s/^[\"']\(.*\)[\"']\$/\1/")
  fi
  printf %s "$value"
}

# pjl_program NAME: PJL_FILE = the executable NAME beside us, else in LSF_BINDIR.
pjl_program() {
  for PJL_FILE in "$PJL_HERE/$1" "${LSF_BINDIR:-$PJL_HERE}/$1"; do
    { [ -f "$PJL_FILE" ] && [ -x "$PJL_FILE" ]; } && return 0
  done
  return 1
}

# pjl_taskstarter: PJL_TS = what goes before each program, as text for eval: a file and LSF_TS_OPTIONS' words;
# nothing without LSF_TS_OPTIONS, where no pam is and the program runs plain.
pjl_taskstarter() {
  [ -n "${LSF_TS_OPTIONS:-}" ] || return 0
  if [ -n "${LSF_TS:-}" ]; then
    PJL_FILE=$LSF_TS
  else
    PJL_FILE=${LSF_BINDIR:-$PJL_HERE}/TaskStarter
    [ -x "$PJL_FILE" ] || PJL_FILE=$PJL_HERE/TaskStarter
  fi
  { [ -f "$PJL_FILE" ] && [ -x "$PJL_FILE" ]; } ||
    pjl_fail 1 "TaskStarter: found no executable $PJL_FILE, expected one named by LSF_TS or in LSF_BINDIR"
  PJL_STARTER=$PJL_FILE
  # shellcheck disable=SC2016  # expanded by the eval that starts the launcher
  PJL_TS=' "$PJL_STARTER" $LSF_TS_OPTIONS'
}

# pjl_prepare TABLE WORD...: all that a wrapper must know before it starts its launcher. PJL_TASKS is the number
# of tasks it has to ask for, empty where the user's words say enough.
pjl_prepare() {
  pjl_taskstarter
  pjl_scan "$@"
  [ "$PJL_PROGRAMS" -gt 0 ] || pjl_fail 2 'program: found none, expected [options] program [arguments]'
  [ -z "$PJL_VERBOSE" ] || [ -z "$PJL_DROPPED" ] || pjl_say "left out, today's launchers lack it:$PJL_DROPPED"
  pjl_place
}
