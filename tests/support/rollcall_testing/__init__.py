"""What Rollcall's tests with real processes share. Python's standard library, nothing else.

Every test
  shelter        every test program runs below a process that outlives it, reaps, and ends what was left
  runner         finds the functions test_*, runs them, counts; the checks and skips
  processes      what /proc says: who lives, on which host, below whom
  waiting        waits for a condition with a deadline that says what it waited for
  cluster        hosts made of namespaces, links between them that can be cut
  files, terminal, flying    reading files; a shell with job control on a terminal of its own; time that passes faster
pam
  job, schema    one run of pam: its words, output, report; the report's schema
  programs       what the test programs wrote about themselves, checked against a report
  kill_row       one process of a job is killed, and what must follow
  launchers, slurm           the command lines of Open MPI and Hydra on such hosts; Slurm's daemons there
LIM and the batch system
  site, one_host, own_cluster    a cluster on this host: with fake daemons, with a LIM, as `lsf_daemons setup` makes it
  load_cluster, batch_cluster    LIMs on the hosts of a test cluster; RES and mbatchd too
  users_site, munge              commands of several users; munged
  faults, host_faults, fault_jobs    what goes wrong with daemons and hosts, and the jobs that it meets
  documents      the command lines of the documents
"""
