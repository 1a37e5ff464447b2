rollcall_python_test(cluster_submit SCRIPT submit.py LABELS cluster TIMEOUT 240)
