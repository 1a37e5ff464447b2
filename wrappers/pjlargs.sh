# shellcheck shell=sh disable=SC2034
# pjlargs.sh: where the programs are among a launcher's words. Part of pjllib.sh.
#
#   words = part { ":" part }     part = { option { value } } program { argument }
# Nothing is copied: the answer is text for eval that names the caller's words by their numbers.

# pjl_scan TABLE WORD...: reads the words with the options of TABLE. Sets
#   PJL_WORDS      the words, "${1}" "${2}" ..., with TaskStarter's (PJL_TS) before each program
#   PJL_PROGRAMS   how many programs there are; PJL_FIRST is the number of the first one's word
#   PJL_NP         the number of tasks they ask for, PJL_PERNODE the same on each host ("?": by another mapping)
#   PJL_OWN_HOSTS  the option by which the user names hosts; PJL_GIVEN some names the user sets himself
#   PJL_AGENT      what the user has Open MPI start its daemons with
#   PJL_DROPPED    the options left out, PJL_VERBOSE whether there is a -v
pjl_scan() {
  PJL_TABLE=$1 && shift
  PJL_WORDS='' PJL_PROGRAMS=0 PJL_NP=0 PJL_PERNODE='' PJL_OWN_HOSTS='' PJL_GIVEN='' PJL_DROPPED='' np=''
  PJL_FIRST='' PJL_VERBOSE='' PJL_AGENT='' i=0 state=options
  for word do
    i=$((i + 1)) && ref=" \"\${$i}\""
    case $state:$word in
    program::) state=options ;;
    program:*) ;;
    value:*) pjl_value "$word" ;;
    options:-?*) pjl_option_word ;;
    options:*) # the program
      state=program PJL_PROGRAMS=$((PJL_PROGRAMS + 1)) PJL_FIRST=${PJL_FIRST:-$i}
      case $np:$PJL_NP in *: | :*) PJL_NP= ;; *) PJL_NP=$((PJL_NP + np)) ;; esac
      np=
      case ${word##*/} in *TaskStarter) ;; *) ref=$PJL_TS$ref ;; esac
      ;;
    esac
    PJL_WORDS=$PJL_WORDS$ref
  done
  [ "$state" != value ] || pjl_fail 2 "$option: found no word after it, expected its value and a program"
  [ "$state:$PJL_PROGRAMS" != options:0 ] || PJL_NP=$np
  [ "$state" = program ] || [ "$PJL_PROGRAMS" = 0 ] || pjl_fail 2 "':': found no program after it, expected one"
}

# The word is an option; its values, if any, come next.
pjl_option_word() {
  option=$word value='' name=${word#-} name=${name#-}
  case $word in *=*) option=${word%%=*} value="=${name#*=}" name=${name%%=*} ;; esac
  [ "$PJL_TABLE" != slurm ] || pjl_slurm_letters
  case $name in *[!A-Za-z0-9_-]*) PJL_KIND= ;; *) pjl_option "$PJL_TABLE" "$name" ;; esac
  case $name in v | verbose | gm-v) PJL_VERBOSE=yes ;; launcher | bootstrap) PJL_GIVEN="$PJL_GIVEN $name" ;; esac
  case $PJL_KIND in
  '') pjl_fail 2 "$option: found an option unknown here of $PJL_TABLE, expected options, then a program" ;;
  infile) pjl_fail 2 "$option: found programs in a file, out of TaskStarter's reach; expected 'program : program'" ;;
  each) PJL_PERNODE=1 ;;
  hosts) PJL_OWN_HOSTS=$option ;;
  wd) ref=' -wdir' PJL_KIND=1 ;; # as mpirun.ch_gm called it
  drop*) ref='' PJL_DROPPED="$PJL_DROPPED $option" ;;
  esac
  case $PJL_KIND in 0 | each | drop0) return 0 ;; 2 | pair) need=2 ;; *) need=1 ;; esac
  state=value
  [ -z "$value" ] || pjl_value "${value#=}"
}

# pjl_value WORD: a value of $option.
pjl_value() {
  need=$((need - 1))
  case $PJL_KIND:$1 in
  np:0* | np:*[!0-9]* | np: | np:????????* | pernode:0* | pernode:*[!0-9]* | pernode: | pernode:????????*)
    pjl_fail 2 "$option: found '$1', expected a number of tasks" ;;
  np:*) np=$1 ;;
  pernode:*) PJL_PERNODE=$1 ;;
  mapby:ppr:[1-9]:node* | mapby:ppr:[1-9][0-9]:node*) PJL_PERNODE=${1#ppr:} PJL_PERNODE=${PJL_PERNODE%%:*} ;;
  mapby:*ppr* | mapby:[0-9]*) PJL_PERNODE='?' ;;
  pair:*=*) need=0 ;;
  drop1:*) ref= ;;
  *:plm_rsh_agent | *:orte_rsh_agent | *:pls_rsh_agent) PJL_AGENT=$1 ;;
  *:odls_base_num_threads | *:mca_base_env_list | *:ROLLCALL_KEY_FILE*) PJL_GIVEN="$PJL_GIVEN $1" ;;
  esac
  [ "$need" -gt 0 ] || state=options
}

