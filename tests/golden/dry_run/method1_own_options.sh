# All of pam's own options stand before -g.
"$PAM" -t --report=r.json --timeout-first 5 --launcher-grace=1.5 --fold --dry-run -g 2 mpirun.openmpi --oversubscribe job
