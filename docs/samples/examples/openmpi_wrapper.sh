#!/bin/sh
# Method 2: a wrapper starts the launcher and puts TaskStarter before the program itself. Options for the launcher
# come between the wrapper and the program.
set -eu
exec pam -g openmpi_wrapper -x OMP_NUM_THREADS "${1:-./my_program}"
