# A plain mpirun that is a link is what it points to.
/bin/ln -s /bin/true "$SCRATCH/path/mpiexec.hydra"
echo "#!/bin/sh" >"$SCRATCH/path/orterun"
/bin/chmod +x "$SCRATCH/path/orterun"
/bin/ln -s orterun "$SCRATCH/path/mpirun"
"$PAM" --dry-run -mpi mpirun -display-map job
"$PAM" --dry-run -mpi mpirun -genv A b job
echo "exit $?"
/bin/rm "$SCRATCH/path/mpiexec.hydra" "$SCRATCH/path/orterun" "$SCRATCH/path/mpirun"
