# The job word behind srun's options.
"$PAM" --dry-run -n 4 -mpi srun -lun4 -N2 --exclusive --kill-on-bad-exit=1 --nodelist n1,n2 job
