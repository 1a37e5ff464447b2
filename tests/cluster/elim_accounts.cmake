# Elims of sites, run as the administrator by a LIM of root's.
rollcall_python_test(cluster_elim_accounts SCRIPT elim_accounts.py LABELS cluster TIMEOUT 120)
