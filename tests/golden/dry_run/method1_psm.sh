# The wrapper of another MPI.
"$PAM" --dry-run -g 1 psm_lsf_wrapper myjob
