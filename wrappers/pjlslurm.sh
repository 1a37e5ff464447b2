# shellcheck shell=sh disable=SC2034,SC2154
# pjlslurm.sh: srun's options, which are getopt's: `-n4`, `-ln4`, `--ntasks=4`. Part of pjllib.sh.
#
# From srun(1) of Slurm 22.05; the meaning of PJL_KIND is in pjloptions.sh. An option whose value is optional
# counts as one without: its value is part of the same word.

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

pjl_slurm_option() {
  case $1 in
  n | ntasks) PJL_KIND=np ;;
  w | nodelist | F | nodefile) PJL_KIND=hosts ;;
  ntasks-per-node) PJL_KIND=mapby ;;
  multi-prog) PJL_KIND=infile ;;
  A | account | accel-bind | acctg-freq | B | b | bb | bbf | bcast-exclude | begin | C | c | chdir | clusters | \
    cluster-constraint | comment | constraint | container | core-spec | cores-per-socket | cpu-bind | cpu-freq | \
    cpus-per-gpu | cpus-per-task | D | d | deadline | delay-boot | dependency | distribution | e | epilog | error | \
    exclude | export | extra-node-info | G | gid | gpu-bind | gpu-freq | gpus | gpus-per-node | gpus-per-socket | \
    gpus-per-task | gres | gres-flags | het-group | hint | i | input | J | job-name | jobid | L | licenses | M | m | \
    mail-type | mail-user | mcs-label | mem | mem-bind | mem-per-cpu | mem-per-gpu | mincpus | mpi | msg-timeout | N | \
    network | nodes | ntasks-per-core | ntasks-per-gpu | ntasks-per-socket | o | open-mode | output | p | partition | \
    power | prefer | priority | profile | prolog | q | qos | r | relative | reservation | S | signal | slurmd-debug | \
    sockets-per-node | switches | T | t | task-epilog | task-prolog | thread-spec | threads | threads-per-core | \
    time | time-min | tmp | uid | W | wait | wckey | x) PJL_KIND=1 ;;
  bcast | compress | contiguous | disable-status | E | exact | exclusive | H | h | help | hold | I | immediate | K | \
    k | kill-on-bad-exit | l | label | nice | no-allocate | no-kill | O | overcommit | overlap | oversubscribe | \
    preserve-env | propagate | pty | Q | quiet | quit-on-interrupt | reboot | resv-ports | s | send-libs | \
    spread-job | test-only | u | unbuffered | usage | use-min-nodes | V | v | verbose | version | X | x11 | Z)
    PJL_KIND=0 ;;
  *) PJL_KIND= ;;
  esac
}
