# shellcheck shell=sh disable=SC2034
# pjltables.sh: the options of the launchers, once for the wrappers and for pam. Part of pjllib.sh.
#
# pjloptions.sh says what a line is; srun's table is in pjlslurm.sh. pam's tables (pam/policy/launcher_table_data.hpp)
# are made from these two files when Rollcall is built.

# Open MPI: mpirun 4.1 --help all, mpirun(1), and the options that PRRTE, under Open MPI 5, adds or renames.
PJL_OPENMPI_OPTIONS='
np:         c n np
pernode:    N npernode
each:       pernode
mapby:      map-by npersocket ppr
hosts:      default-hostfile H host hostfile machinefile rankfile rf
infile:     app
0/ends:     h help V version
2:          gmca gomca gpmixmca gprtemca mca omca pmixmca prtemca
1:          am amca arch bind-to cartofile cf cpu-list cpu-set cpus-per-proc cpus-per-rank debugger display dvm-uri
            file forward-signals hnp initial-errhandler launch-agent max-restarts max-vm-size memory-alloc-kinds
            ompi-server output output-directory output-filename path personality prefix preload-files pset rank-by
            report-events report-pid report-uri runtime-options spawn-timeout stdin stop-in-app stop-in-init
            stream-buffering timeout tmpdir tune wd wdir with-ft x xml-file xterm
0:          allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous d debug debug-daemons
            debug-daemons-file debug-devel disable-recovery display-allocation display-comm display-comm-finalize
            display-devel-allocation display-devel-map display-diffable-map display-map display-topo do-not-launch
            do-not-resolve dvm enable-instant-on-support enable-recovery fwd-mpirun-port get-stack-traces
            index-argv-by-rank leave-session-attached merge-stderr-to-stdout nolocal nooversubscribe noprefix novm
            output-proctable oversubscribe preload-binary q quiet report-bindings report-child-jobs-separately
            report-state-on-timeout s set-cwd-to-session-dir show-progress stop-on-exec tag-output terminate
            timestamp-output tv use-hwthread-cpus use-regexp v verbose xml
0@wrappers: debug-* display-* enable-*
'

# Hydra: mpiexec.hydra 4.0 -help and its answers to each option. -wd is mpirun.ch_gm's.
PJL_HYDRA_OPTIONS='
np:         n np
1/pernode:  ppn
hosts:      f host hostfile hostlist hosts machine machinefile machinelist machines
pair:       env genv
infile:     configfile
0/ends:     h help info version
1:          bind-to binding bootstrap bootstrap-exec demux envlist errfile errfile-pattern genvlist
            gpu-subdevs-per-proc gpus-per-proc iface launcher launcher-exec localhost map-by membind nameserver
            order-nodes outfile outfile-pattern output-from prepend-pattern rmk topolib usize wdir
0:          dac disable-auto-cleanup disable-hostname-propagation disable-x enable-hostname-propagation enable-x envall
            envnone genvall genvnone l pmi-port prepend-rank print-all-exitcodes profile skip-launch-node v verbose
0@wrappers: disable-* enable-*
wd@wrappers: wd
'

# What Intel MPI's mpiexec.hydra has beyond Hydra's.
PJL_INTELMPI_OPTIONS='
1/pernode:  perhost
1:          arch branch-count genvuser grr gtool gtoolfile hosts-group path s tmpdir umask
0:          aps check_mpi cleanup DAPL dapl gdb gdba IB ib idb launch-verify mps noconf nolocal OFI ofi ordered-output
            print-rank-map PSM psm PSM2 psm2 RDMA rdma rr silent-abort t trace tune tv V
'

# MPICH-GM's mpirun.ch_gm, MPICH-P4's mpirun and MVAPICH's mpirun_rsh, as far as scripts give them to their wrappers.
PJL_OLD_OPTIONS='
drop1:      gm-e gm-eager gm-f gm-kill gm-recv gm-wait p4pg p4wd pg
drop0:      gm-copy-env gm-no-shmem gm-numa-shmem gm-tree-spawn gm-use-shmem gm-v
0@pam:      all-local nolocal rsh ssh
1@pam:      wd x
drop0@wrappers: gm-*
'
