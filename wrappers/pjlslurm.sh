# shellcheck shell=sh disable=SC2034,SC2154
# pjlslurm.sh: srun's options, which are getopt's: `-n4`, `-ln4`, `--ntasks=4`. Part of pjllib.sh.
#
# pjloptions.sh says what a line of the table is; pam's table of srun is made from it.

# Slurm: srun 22.05 --help and srun(1).
PJL_SLURM_OPTIONS='
np:         n ntasks
mapby:      ntasks-per-node
hosts:      F nodefile nodelist w
infile/ends: multi-prog
0/ends:     h help usage V version
0/maybe:    bcast compress exclusive I immediate K k kill-on-bad-exit nice no-kill propagate resv-ports send-libs x11
1:          A accel-bind account acctg-freq B b bb bbf bcast-exclude begin C c chdir cluster-constraint clusters
            comment constraint container core-spec cores-per-socket cpu-bind cpu-freq cpus-per-gpu cpus-per-task D d
            deadline delay-boot dependency distribution e epilog error exclude export extra-node-info G gid gpu-bind
            gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags het-group hint i input J job-name
            jobid L licenses M m mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mincpus mpi
            msg-timeout N network nodes ntasks-per-core ntasks-per-gpu ntasks-per-socket o open-mode output p partition
            power prefer priority profile prolog q qos r relative reservation S signal slurmd-debug sockets-per-node
            switches T t task-epilog task-prolog thread-spec threads threads-per-core time time-min tmp uid W wait
            wckey x
0:          contiguous disable-status E exact H hold l label no-allocate O overcommit overlap oversubscribe
            preserve-env pty Q quiet quit-on-interrupt reboot s spread-job test-only u unbuffered use-min-nodes v
            verbose X Z
'

# The word of pjl_option_word is srun's: of letters in one word the last may have its value behind it.
pjl_slurm_letters() {
  case $word in --*) return 0 ;; esac
  value='' name=${word#-}
  while [ ${#name} -gt 1 ]; do
    letter=${name%"${name#?}"}
    pjl_slurm_option "$letter"
    case $letter:$PJL_KIND in
    [IKk]:* | ?:) name=$letter ;; # -K0: the rest is its value; or nobody knows the letter
    *:0) name=${name#?} ;; # -lu
    *) value="=${name#?}" name=$letter ;; # -n4
    esac
  done
}
