# shellcheck shell=sh disable=SC2034
# pjlhosts.sh: the hosts of the job, from LSB_DJOB_HOSTFILE, else LSB_HOSTS, else LSB_MCPU_HOSTS. Part of pjllib.sh.

# pjl_host_lines SOURCE: a line "host slots" for each word, pair or line of the variable SOURCE.
pjl_host_lines() {
  # shellcheck disable=SC2086  # one word, one host
  case $1 in
  LSB_DJOB_HOSTFILE) awk '{ sub(/#.*/, "") } NF { print $1, 1 }' <"$LSB_DJOB_HOSTFILE" ;;
  LSB_HOSTS) printf '%s 1\n' $LSB_HOSTS ;;
  LSB_MCPU_HOSTS) printf '%s %s\n' $LSB_MCPU_HOSTS ;;
  esac
}

# pjl_hosts: PJL_SLOTS=3 PJL_HOSTS="n1:2 n2:1", in the order of first appearance; empty where the job has no
# list. LSF_PAM_HOSTLIST_USE=unique leaves one slot of each host.
pjl_hosts() {
  PJL_SOURCE=none PJL_SLOTS='' PJL_HOSTS=''
  if [ -r "${LSB_DJOB_HOSTFILE:-}" ] && [ -s "$LSB_DJOB_HOSTFILE" ]; then
    PJL_SOURCE=LSB_DJOB_HOSTFILE
  elif [ -n "${LSB_HOSTS:-}" ]; then
    PJL_SOURCE=LSB_HOSTS
  elif [ -n "${LSB_MCPU_HOSTS:-}" ]; then
    PJL_SOURCE=LSB_MCPU_HOSTS
  elif [ -n "${LSB_DJOB_HOSTFILE:-}" ]; then
    pjl_fail 1 "LSB_DJOB_HOSTFILE: cannot read $LSB_DJOB_HOSTFILE, expected a file with a host name on each line"
  fi
  PJL_UNIQUE=$(pjl_conf LSF_PAM_HOSTLIST_USE)
  PJL_PLACE=$(pjl_host_lines "$PJL_SOURCE" | awk -v unique="$PJL_UNIQUE" '
    bad != "" || NF == 0 { next }
    NF != 2 || $1 !~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/ || $2 !~ /^[1-9][0-9]*$/ { bad = $0; next }
    !($1 in slots) { host[++n] = $1 }
    { slots[$1] += $2 }
    END {
      for (i = 1; i <= n; i++) {
        many = (unique == "unique") ? 1 : slots[host[i]]
        total += many; list = list " " host[i] ":" many
      }
      print bad != "" ? "?" bad : total list
    }')
  case $PJL_PLACE in
  \?*) pjl_fail 1 "$PJL_SOURCE: found '${PJL_PLACE#\?}', expected host names (in LSB_MCPU_HOSTS host and slots)" ;;
  *' '*) PJL_SLOTS=${PJL_PLACE%% *} PJL_HOSTS=${PJL_PLACE#* } ;;
  esac
}

# pjl_place: the above, held against what pjl_scan has read. PJL_TASKS is the number of tasks to ask for, empty
# where the user's words say enough; PJL_LIST the hosts with commas: "n1:2,n2:1", under geometry one for each task.
pjl_place() {
  pjl_hosts
  pjl_geometry
  PJL_TASKS=$PJL_SLOTS PJL_LIST=$(printf %s "${PJL_RANKS:-$PJL_HOSTS}" | tr ' ' ,)
  if [ -z "${LSB_PJL_TASK_GEOMETRY:-}" ]; then
    [ -z "$PJL_OWN_HOSTS" ] || PJL_LIST=
    [ -z "$PJL_NP$PJL_PERNODE$PJL_OWN_HOSTS" ] && [ "$PJL_PROGRAMS" = 1 ] || PJL_TASKS=
  elif [ -n "$PJL_OWN_HOSTS$PJL_PERNODE" ]; then
    pjl_fail 2 "${PJL_OWN_HOSTS:-tasks per host}: found with LSB_PJL_TASK_GEOMETRY, expected one of them"
  elif [ "${PJL_NP:-$PJL_SLOTS}" != "$PJL_SLOTS" ]; then
    pjl_fail 2 "-np: found $PJL_NP, expected $PJL_SLOTS, the tasks of LSB_PJL_TASK_GEOMETRY"
  elif [ -n "$PJL_NP" ] || [ "$PJL_PROGRAMS" != 1 ]; then
    PJL_TASKS=
  fi
}
