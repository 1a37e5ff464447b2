# Parallel jobs: what they use on every host, and how their tasks reach pam.
rollcall_python_test(cluster_relay SCRIPT relay.py LABELS cluster TIMEOUT 300)
