#!/bin/sh
# run_golden.sh PAM CASES [--update]: what pam answers to real command lines, compared with committed files.
#
# CASES is a folder. Each NAME.sh in it runs "$PAM" in an environment made of nothing but what is set below (and what the
# case sets itself); stdout, stderr and the exit status must be NAME.golden, byte for byte. What differs from machine to
# machine is replaced: pam's folder by @BIN@, the scratch folder by @SCRATCH@, the names and addresses of this host by
# @HOST@. --update writes the golden files anew; read the difference before it is committed.
# Exit: 0 all equal, 1 some differ, 2 nothing to run.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: run_golden.sh PAM CASES [--update]" >&2
    exit 2
fi
pam=$1
update=${3:-}
if [ ! -x "$pam" ]; then
    echo "$pam: not there or not executable, expected the pam of this build" >&2
    exit 2
fi
if [ ! -d "$2" ]; then
    echo "$2: no folder, expected one with cases" >&2
    exit 2
fi
bin=$(cd "$(dirname "$pam")" && pwd)
cases=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The site of all cases.
mkdir "$scratch/conf" "$scratch/path" "$scratch/home"
echo 'LSF_SERVERDIR=/opt/lsf/7.0/linux2.6-glibc2.3-x86/etc' >"$scratch/conf/lsf.conf"
echo "ROLLCALL_KEY_FILE=$scratch/key" >>"$scratch/conf/lsf.conf"

# clean COMMAND...: in the environment of a case.
clean() {
    env -i PAM="$bin/pam" SCRATCH="$scratch" HOME="$scratch/home" LC_ALL=C TZ=UTC \
        PATH="$scratch/path" LSF_ENVDIR="$scratch/conf" HOSTTYPE=LINUX86 "$@"
}

# literal TEXT: as a regular expression of sed.
literal() { printf '%s\n' "$1" | sed 's/[][\.*^$/]/\\&/g'; }

if ! clean "$bin/pam" --dry-run -g 1 a b >"$scratch/probe" 2>&1; then
    echo "pam cannot even tell what it would start:" >&2
    cat "$scratch/probe" >&2
    exit 2
fi
host=$(sed -n '/^-p$/{n;s/:0$//p;}' "$scratch/probe")

# anonymous: stdin without what is of this machine.
anonymous() {
    sed -e "s/$(literal "$scratch")/@SCRATCH@/g" -e "s/$(literal "$bin")/@BIN@/g" -e "s/$(literal "$host"):0/@HOST@:0/g"
}

# shellcheck source=/dev/null
. "$(dirname -- "$0")/golden.sh"
for case in "$cases"/*.sh; do
    [ -f "$case" ] || continue
    got=0
    (cd "$scratch" && clean /bin/sh "$case" >"$scratch/out" 2>"$scratch/err" </dev/null) || got=$?
    {
        anonymous <"$scratch/out"
        echo "--- stderr"
        anonymous <"$scratch/err"
        echo "--- exit $got"
    } >"$scratch/answer"
    golden "${case%.sh}.golden" "$scratch/answer" "$update"
done
golden_end "$cases" cases
