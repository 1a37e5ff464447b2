# Options between wrapper and program.
"$PAM" --dry-run -g /afs/group/bin/suncat-tsmpirun -x LD_LIBRARY_PATH -wdir "/scratch/my run" prog "" -n
