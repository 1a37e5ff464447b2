#!/bin/sh
# Method 1: pam counts the launcher's words (-g 5: mpirun.openmpi -np 4 --map-by node) and puts TaskStarter before
# the program. For launchers whose number of words never changes.
set -eu
exec pam -g 5 mpirun.openmpi -np 4 --map-by node "${1:-./my_program}"
