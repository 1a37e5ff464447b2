# The batch system on several hosts.
rollcall_python_test(cluster_batch SCRIPT batch.py LABELS cluster TIMEOUT 600)
rollcall_python_test(cluster_bare_mpirun SCRIPT bare_mpirun.py LABELS cluster TIMEOUT 180)
rollcall_python_test(cluster_clients SCRIPT clients.py LABELS cluster TIMEOUT 600)
rollcall_python_test(cluster_chaos SCRIPT chaos.py LABELS cluster TIMEOUT 900)
# Each fault of hosts and networks, met by jobs at each of their moments; with all kinds of jobs and drawn lengths for the night.
rollcall_python_test(cluster_faults SCRIPT fault_matrix.py LABELS cluster TIMEOUT 300 ARGUMENTS --only short)
rollcall_python_test(cluster_faults_long SCRIPT fault_matrix.py LABELS nightly TIMEOUT 5400 ARGUMENTS --only long)
rollcall_python_test(cluster_users SCRIPT users.py LABELS cluster TIMEOUT 400)
rollcall_python_test(cluster_starts SCRIPT starts.py LABELS cluster TIMEOUT 300)
# What an attacker with accounts on the cluster tries: docs/security.md.
rollcall_python_test(cluster_names SCRIPT names.py LABELS cluster TIMEOUT 120)
rollcall_python_test(cluster_attacks SCRIPT attacks.py LABELS cluster TIMEOUT 300)
# Parallel jobs whose host is cut off, with both MPIs; the cuts of 40 and 120 s are for the night.
rollcall_python_test(cluster_patience SCRIPT patience.py LABELS cluster TIMEOUT 240 ARGUMENTS --only short)
rollcall_python_test(cluster_patience_long SCRIPT patience.py LABELS nightly TIMEOUT 900 ARGUMENTS --only long)
# Commands that wait while mbatchd's host is out of reach.
rollcall_python_test(cluster_waiting_commands SCRIPT waiting_commands.py LABELS cluster TIMEOUT 120)
