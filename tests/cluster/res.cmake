# What controls RES, and what becomes of jobs when it or their shepherds go.
rollcall_python_test(cluster_res_controls SCRIPT res_controls.py LABELS cluster TIMEOUT 240)
rollcall_python_test(cluster_meant_host SCRIPT meant_host.py LABELS cluster TIMEOUT 120)
rollcall_python_test(cluster_hosts_down SCRIPT hosts_down.py LABELS cluster TIMEOUT 240)
rollcall_python_test(cluster_left_behind SCRIPT left_behind.py LABELS cluster TIMEOUT 120)
rollcall_python_test(cluster_own_shepherd SCRIPT own_shepherd.py LABELS cluster TIMEOUT 180)
rollcall_python_test(cluster_root_paths SCRIPT root_paths.py LABELS cluster TIMEOUT 120)
