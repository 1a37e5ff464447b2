#!/bin/sh
# elim.sh: an elim to copy: install it as LSF_SERVERDIR/elim.NAME, executable, owned by root or the LSF administrator.
# It reports one index, myrsc, which must be defined in lsf.shared and mapped to hosts in lsf.cluster.
# The whole story is in docs/your-own-elim.md and elim(5).
set -u

# What this elim can report.
my_resource="myrsc"

# The checking header: LIM says in LSF_RESOURCES what it expects of this host. Where ours is not among it, the exit code
# ELIM_ABORT_VALUE says "not here", and MELIM does not start this elim again.
# (The manual's example compares with " ", which never matches: grep prints nothing where it finds nothing.)
if [ -n "${LSF_RESOURCES:-}" ]; then
    case " $LSF_RESOURCES " in
    *" $my_resource "*) ;;
    *) exit "${ELIM_ABORT_VALUE:-99}" ;;
    esac
fi

# The other way round, for a resource that all hosts share: report it on the master host alone.
#   [ "${LSF_MASTER:-N}" = Y ] || exit "${ELIM_ABORT_VALUE:-99}"

while :; do
    # The value: here, how many files the directory of your choice holds.
    set -- "${MYRSC_DIRECTORY:-/tmp}"/*
    val=$#

    # number_indices index_name index_value ...: one line for all indices. Exit where nobody reads it any more.
    echo "1 $my_resource $val" || exit 1

    # LIM passes values on every 15 seconds: saying more often is of no use.
    sleep "${MYRSC_SECONDS:-30}"
done
