# Files of jobs, limits that change, and GPUs.
rollcall_python_test(cluster_job_files SCRIPT job_files.py LABELS cluster TIMEOUT 300)
rollcall_python_test(cluster_gpus SCRIPT gpus.py LABELS cluster TIMEOUT 240)
rollcall_python_test(cluster_job_files_users SCRIPT job_files_users.py LABELS cluster TIMEOUT 120)
