# TaskStarter goes before every application.
"$PAM" --dry-run -mpi mpirun -np 2 master : -np 3 worker 1
