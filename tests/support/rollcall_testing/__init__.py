"""What Rollcall's tests with real processes share. Python's standard library, nothing else.

shelter     every test program runs below a process that outlives it, reaps, and ends what was left
runner      finds the functions test_*, runs them, counts; what a check and a skip are
processes   what /proc says: who lives, on which host, below whom
waiting     wait for a condition with a deadline that says what it waited for
cluster     hosts made of namespaces, links between them that can be cut
job         one run of pam: its words, output, report
programs    what the test programs wrote about themselves, held against a report
kill_row    one process of a job is killed, and what must follow
launchers   the command lines of Open MPI and Hydra on such hosts
slurm       Slurm's daemons on such hosts
terminal    a shell with job control on a terminal of our own
"""
