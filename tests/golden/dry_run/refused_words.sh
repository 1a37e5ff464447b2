# Command lines that cannot be meant: one line each, exit 2, nothing started.
refuse() {
    status=0
    "$PAM" "$@" || status=$?
    echo "exit $status" >&2
}
refuse
refuse -g
refuse -g 3
refuse -g 0 launcher job
refuse -g 3 launcher job
refuse -g 1000000000 launcher job
refuse -g 2 launcher job
refuse -g ""
refuse -n 0 -g 1 launcher job
refuse -n -3 -g 1 launcher job
refuse -n 99999999999 -g 1 launcher job
refuse -n
refuse --timeout-first -1 -g 1 launcher job
refuse --launcher-grace=soon -g 1 launcher job
refuse --report= -g 1 launcher job
refuse --nonsense -g 1 launcher job
refuse --fold --full-table -g 1 launcher job
refuse -mpi -auto_place job
refuse -mpi
refuse -mpi strange_launcher job
refuse -mpi mpirun --nonsense 3 job
refuse -mpi mpirun -np
refuse -mpi mpirun -np 4
refuse -mpi mpirun.openmpi --app file
