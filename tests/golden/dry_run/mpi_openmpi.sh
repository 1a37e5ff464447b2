# The job word behind Open MPI's options.
"$PAM" --dry-run -mpi mpirun.openmpi -np 4 --mca btl tcp,self -x A=b --host n1:2,n2:2 --map-by node job -np 9
