rollcall_python_test(cluster_submit SCRIPT submit.py LABELS cluster TIMEOUT 240)
rollcall_python_test(cluster_clients_more SCRIPT clients_more.py LABELS cluster TIMEOUT 300)
rollcall_python_test(cluster_clients_inside SCRIPT clients_inside.py LABELS cluster TIMEOUT 120)
rollcall_python_test(cluster_orders SCRIPT orders.py LABELS cluster TIMEOUT 120)
