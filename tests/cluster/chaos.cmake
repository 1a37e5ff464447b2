# Whole clusters whose daemons, hosts and munged fail; two users on four hosts; badmin's orders.
rollcall_python_test(cluster_parallel_users SCRIPT parallel_users.py LABELS cluster TIMEOUT 300)
rollcall_python_test(cluster_admin SCRIPT admin.py LABELS cluster TIMEOUT 180)
# The procedures of docs/admin.md.
rollcall_python_test(cluster_admin_page SCRIPT admin_page.py LABELS cluster TIMEOUT 300)
