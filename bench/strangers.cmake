# What one user's silent connections cost others. As a test only that the runs do their work; `bench/strangers` alone measures.
rollcall_python_test(bench_strangers_runs SCRIPT strangers LABELS cluster TIMEOUT 120
                     ARGUMENTS --silent 40 --handshaken 40 --runs 2 --blaunch 5)
