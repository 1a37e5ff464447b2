# Configurations that cannot be meant: every line named, exit 1, nothing started.
conf() {
    printf "$1" >"$SCRATCH/path/lsf.conf"
    status=0
    LSF_ENVDIR="$SCRATCH/path" "$PAM" -g 1 launcher job || status=$?
    echo "exit $status" >&2
    /bin/rm "$SCRATCH/path/lsf.conf"
}
refuse() {
    status=0
    /usr/bin/env "$@" "$PAM" -g 1 launcher job || status=$?
    echo "exit $status" >&2
}
conf "LSF_BINDIR=/opt\n\nLSF_SERVERDIR\n=x\n"
conf "A=\"never closed\n"
conf "LSF_HPC_PJL_LOADENV_TIMEOUT=-300\nLSF_PAM_CLEAN_JOB_DELAY=soon\n"
refuse LSF_ENVDIR=/nowhere
refuse LSF_HPC_PJL_LOADENV_TIMEOUT=-1
refuse LSF_PAM_HOSTLIST_USE=all
refuse "LSB_HOSTS=n1 n;2"
refuse "LSB_MCPU_HOSTS=n1 2 n2"
refuse LSB_DJOB_NUMPROC=many
refuse "LSB_PJL_TASK_GEOMETRY={(1)(2)}"
refuse LSF_ENVDIR=conf
refuse ROLLCALL_KEY_FILE=key
: >"$SCRATCH/path/lsf.conf"
refuse HOME=home "LSF_ENVDIR=$SCRATCH/path"
