# The job word behind Hydra's options.
"$PAM" --dry-run -mpi mpiexec.hydra -n 4 -genv A b -env C=d -launcher rsh -launcher-exec agent job
