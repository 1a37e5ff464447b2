# Completion of Rollcall's commands in bash: their options as each command's own -h tells them, and what the cluster has:
# jobs, queues, hosts, users. Nothing is asked of a daemon for an option; a daemon that is away completes to nothing.

# The options of the command $1: the words that begin the lines of its -h. bmod takes those of bsub.
_rollcall_options() { "${1/%bmod/bsub}" -h 2>&1 | sed -n 's/^ \{1,8\}\(-[-A-Za-z0-9_]*\).*/\1/p'; }

# What stands in the first column of a table that the words print.
_rollcall_column() { LSB_NTRIES=1 timeout 2 "$@" 2>/dev/null | awk 'NR > 1 { print $1 }'; }
_rollcall_jobs() { LSB_NTRIES=1 timeout 2 bjobs -noheader -o jobid 2>/dev/null | sort -u; }
_rollcall_queues() { _rollcall_column bqueues -w; }
_rollcall_hosts() { _rollcall_column lshosts -w; }

# What the option $2 of the command $1 wants behind it; nothing where that cannot be known.
_rollcall_value() {
  case $2 in
  -q) _rollcall_queues ;;
  -app) _rollcall_column bapp ;;
  -m | -N) _rollcall_hosts ;;
  -gpu) printf '%s\n' num=1 num=1:mode=shared num=1:mode=exclusive_process ;;
  -u) echo all; cut -d: -f1 /etc/passwd ;;
  -a) [ "$1" = bsub ] && printf '%s\n' openmpi mpich mpich2 intelmpi srun auto ;;
  -s) [ "$1" = bkill ] && printf '%s\n' HUP INT KILL USR1 USR2 TERM CONT STOP ;;
  esac
}

# What the command $1 is about, where no option stands.
_rollcall_operands() {
  case $1 in
  bjobs | bkill | bstop | bresume | bmod | bswitch | btop | bbot | brequeue | bpeek | bhist | bacct) _rollcall_jobs ;;
  bqueues) _rollcall_queues ;;
  bhosts | lshosts | lsload | lsmon | lsplace) _rollcall_hosts ;;
  bmgroup | bugroup | bapp) _rollcall_column "$1" ;;
  busers) echo all; cut -d: -f1 /etc/passwd ;;
  badmin) printf '%s\n' ckconfig reconfig mbdrestart mbdrebuild qopen qclose qact qinact qhist hopen hclose hforget hrestart hshutdown \
    hstartup hhist mbdhist hist showconf showstatus ;;
  lsadmin) printf '%s\n' ckconfig reconfig limstartup limshutdown limrestart limlock limunlock limdebug showconf \
    resstartup resshutdown resrestart resdebug ;;
  lsf_daemons) printf '%s\n' start stop restart status init setup ;;
  esac
}

_rollcall() {
  local command=${1##*/} word=$2 before=$3 words
  words=$(_rollcall_value "$command" "$before")
  if [ -z "$words" ]; then
    case $word in
    -*) words=$(_rollcall_options "$1") ;;
    *) words=$(_rollcall_operands "$command") ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# Files where nothing of ours fits: scripts, programs.
complete -o default -F _rollcall bsub bjobs bkill bstop bresume bmod bswitch btop bbot brequeue bpeek bwait bhist bacct \
  bhosts bqueues busers bparams bclusters bmgroup bugroup bapp blimits bslots brun bpost bread badmin bsched-query lsid lsclusters lsinfo lshosts lsload lsmon lsplace \
  lseligible lsresreq lsadmin lsf_daemons lsrun lsgrun lsrcp blaunch pam
