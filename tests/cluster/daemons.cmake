# lsf_daemons.
rollcall_python_test(io_lsf_daemons SCRIPT daemons.py LABELS io TIMEOUT 120)
