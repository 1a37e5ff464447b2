# What mpirun.lsf of LSF 7.0.4 made of a job.
"$PAM" --dry-run -g /opt/lsf/7.0/linux2.6-glibc2.3-x86/bin/openmpi_wrapper /mnt/ewd/mpi/hello/hello
