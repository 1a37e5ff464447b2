# shellcheck shell=sh disable=SC2034
# pjloptions.sh: the options of the launchers, and how many words follow each. Part of pjllib.sh.
#
# From `mpirun --help all` (Open MPI 4.1, and what PRRTE under 5.x adds), `mpiexec.hydra --help` (MPICH 4.0, and
# what Intel MPI's has beside it) and srun(1) of Slurm 22.05. PJL_KIND is what follows the option:
#   0, 1, 2     so many words that mean nothing to us
#   np          the number of tasks
#   pernode     the number of tasks on each host; "each" is one task on each host, without a word
#   mapby       a mapping, which may say how many tasks there are on each host
#   hosts       hosts, or a file of hosts
#   pair        NAME=VALUE, or NAME and VALUE
#   infile      a file that names programs, where TaskStarter cannot get in
#   wd          a directory: what Hydra calls -wdir
#   drop0 drop1 an option of launchers that are gone: it means nothing to today's and is left out
#   ''          nobody knows

# pjl_option TABLE NAME: PJL_KIND of the option NAME (without dashes).
pjl_option() {
  PJL_KIND=
  case $2 in
  gm-recv | gm-kill | gm-wait | gm-eager | gm-e | gm-f | p4pg | p4wd | pg) PJL_KIND=drop1 ;;
  gm-*) PJL_KIND=drop0 ;;
  *) "pjl_${1}_option" "$2" ;;
  esac
}

# The template's. A site adds those of its own launcher.
pjl_generic_option() {
  case $1 in n | np) PJL_KIND=np ;; esac
}

pjl_openmpi_option() {
  case $1 in
  n | np | c) PJL_KIND=np ;;
  N | npernode) PJL_KIND=pernode ;;
  pernode) PJL_KIND=each ;;
  map-by | ppr | npersocket) PJL_KIND=mapby ;;
  H | host | hostfile | machinefile | default-hostfile | rf | rankfile) PJL_KIND=hosts ;;
  app) PJL_KIND=infile ;;
  mca | gmca | omca | gomca | prtemca | gprtemca | pmixmca | gpmixmca) PJL_KIND=2 ;;
  am | amca | arch | bind-to | cartofile | cf | cpu-list | cpu-set | cpus-per-proc | cpus-per-rank | debugger | \
    display | dvm-uri | forward-signals | hnp | initial-errhandler | launch-agent | max-restarts | max-vm-size | \
    memory-alloc-kinds | ompi-server | output | output-directory | output-filename | path | personality | prefix | \
    preload-files | pset | rank-by | report-events | report-pid | report-uri | runtime-options | spawn-timeout | \
    stdin | stop-in-app | stop-in-init | stream-buffering | timeout | tmpdir | tune | wd | wdir | with-ft | x | \
    xml-file | xterm) PJL_KIND=1 ;;
  allow-run-as-root | bind-to-core | bind-to-socket | bycore | bynode | byslot | continuous | d | debug | debug-* | \
    disable-recovery | display-* | do-not-launch | do-not-resolve | dvm | enable-* | fwd-mpirun-port | \
    get-stack-traces | h | help | index-argv-by-rank | leave-session-attached | merge-stderr-to-stdout | nolocal | \
    nooversubscribe | noprefix | novm | output-proctable | oversubscribe | preload-binary | q | quiet | \
    report-bindings | report-child-jobs-separately | report-state-on-timeout | s | set-cwd-to-session-dir | \
    show-progress | stop-on-exec | tag-output | terminate | timestamp-output | tv | use-hwthread-cpus | use-regexp | \
    v | V | verbose | version | xml) PJL_KIND=0 ;;
  esac
}

pjl_hydra_option() {
  case $1 in
  n | np) PJL_KIND=np ;;
  f | host | hosts | hostfile | hostlist | machine | machines | machinefile | machinelist) PJL_KIND=hosts ;;
  env | genv) PJL_KIND=pair ;;
  configfile) PJL_KIND=infile ;;
  bind-to | binding | bootstrap | bootstrap-exec | demux | envlist | errfile | errfile-pattern | genvlist | \
    gpu-subdevs-per-proc | gpus-per-proc | iface | launcher | launcher-exec | localhost | map-by | membind | \
    nameserver | order-nodes | outfile | outfile-pattern | output-from | ppn | prepend-pattern | rmk | topolib | \
    usize | wdir) PJL_KIND=1 ;;
  wd) PJL_KIND=wd ;;
  dac | disable-* | enable-* | envall | envnone | genvall | genvnone | h | help | info | l | pmi-port | prepend-rank | \
    print-all-exitcodes | profile | skip-launch-node | v | verbose | version) PJL_KIND=0 ;;
  esac
}

pjl_intelmpi_option() {
  case $1 in
  branch-count | genvuser | grr | gtool | gtoolfile | hosts-group | path | perhost | s | tmpdir | umask) PJL_KIND=1 ;;
  aps | check_mpi | cleanup | gdb | idb | launch-verify | mps | noconf | nolocal | ordered-output | print-rank-map | \
    rr | silent-abort | t | trace | tune | tv | V) PJL_KIND=0 ;;
  *) pjl_hydra_option "$1" ;;
  esac
}
