# LSF_TS_OPTIONS cannot carry a blank; an argument can.
/bin/mkdir -p "$SCRATCH/a b"
/bin/cp "$SCRATCH/conf/lsf.conf" "$SCRATCH/a b"
LSF_ENVDIR="$SCRATCH/a b" "$PAM" --dry-run -g wrapper job
echo "exit $?"
LSF_ENVDIR="$SCRATCH/a b" "$PAM" --dry-run -g 1 wrapper job
