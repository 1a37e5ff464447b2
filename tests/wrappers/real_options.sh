#!/bin/sh
# real_options.sh WRAPPERS: every option that the installed launchers' own help names is in our tables, with the
# number of words that the help gives it. Skipped (77) for a launcher that is not installed.
set -eu
here=${1:?the folder of the wrappers}
# shellcheck source=/dev/null
. "$here/pjllib.sh"
failures=0 names=0
options=$(mktemp)
trap 'rm -f "$options"' EXIT

# expect TABLE NAME WORDS: the option NAME is followed by WORDS words.
expect() {
  names=$((names + 1))
  pjl_option "$1" "$2"
  case $PJL_KIND in 0 | each) found=0 ;; 2 | pair) found=2 ;; '') found=unknown ;; *) found=1 ;; esac
  [ "$found" = "$3" ] || { failures=$((failures + 1)) && echo "FAILED: $1: -$2: found $found, expected $3 words" >&2; }
}

# "-wd|--wd <arg0>  text", "-c|-np|--np <arg0>", "-gmca|--gmca <arg0> <arg1>"; continuation lines have no option
openmpi_help() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --help all 2>/dev/null </dev/null |
    awk '/^ *-/ { words = gsub(/<arg[0-9]>/, ""); n = split($1, name, "|")
      for (i = 1; i <= n; i++) { sub(/^-+/, "", name[i]); print name[i], words } }'
}
# "    -genv {name} {value}    text", "-n/-np {value}"; Hydra's help leaves out the words of its own options
hydra_help() {
  mpiexec.hydra --help 2>/dev/null </dev/null | awk '/^    -/ { n = split($1, name, "/")
      words = ($2 ~ /^{/) + ($3 ~ /^{/)
      for (i = 1; i <= n; i++) { sub(/^-/, "", name[i]); print name[i], words } }'
}

if command -v mpirun.openmpi >/dev/null; then
  openmpi_help >"$options"
  # -h takes a word in the help's eyes; nobody gives it one before a program
  while read -r name words; do case $name in h | help) ;; *) expect openmpi "$name" "$words" ;; esac; done <"$options"
  [ "$names" -gt 80 ] || { echo "found $names options in mpirun's help, expected more than 80" >&2 && failures=1; }
fi
if command -v mpiexec.hydra >/dev/null; then
  hydra_help >"$options"
  names=0
  while read -r name words; do
    pjl_option hydra "$name"
    [ "$words" != 0 ] || case $PJL_KIND in 1) words=1 ;; esac # known to take one, unsaid in the help
    case $name in \{*) ;; *) expect hydra "$name" "$words" ;; esac
  done <"$options"
  [ "$names" -gt 40 ] || { echo "found $names options in mpiexec's help, expected more than 40" >&2 && failures=1; }
fi
[ "$names" -gt 0 ] || { echo 'skipped: neither mpirun.openmpi nor mpiexec.hydra is installed' && exit 77; }
[ "$failures" = 0 ]
