#!/bin/sh
# io_quickstart_refusals.sh QUICKSTART: what quickstart says and does where packages are missing, a step fails, or
# the tests do. Runs a copy of it in a folder of its own, with a PATH of fakes, so that nothing is installed or built.
# shellcheck disable=SC2016 # the fakes' bodies are expanded when they run
set -eu
unset CI
quickstart=$1
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
TMPDIR=$top
export TMPDIR
bad=0

# fake NAME: a program whose body is read from here; it first writes its command line to $top/calls. What has the name is
# removed first: it may be a link to the machine's own program, which would be written to.
fake() {
  rm -f "$top/bin/$1"
  { printf '#!/bin/sh\nprintf "%%s\\n" "%s $*" >>"%s/calls"\n' "$1" "$top"; cat; } >"$top/bin/$1"
  chmod +x "$top/bin/$1"
}

fresh() {
  rm -rf "${top:?}"/*
  mkdir -p "$top/bin" "$top/tree/build/release/bin"
  : >"$top/calls"
  cp "$quickstart" "$top/tree/quickstart"
  for tool in sh dirname cat grep date tee env rm mktemp awk mkdir chmod uname tail sleep cp; do ln -s "$(command -v "$tool")" "$top/bin/$tool"; done
  # All is installed but scdoc; we are a user whom sudo asks for a password; every step works.
  fake dpkg-query <<'END'
case $* in *scdoc) exit 1 ;; *) echo 'ii ' ;; esac
END
  echo 'echo 1000' | fake id
  echo 'exit 1' | fake sudo
  echo 'exit 0' | fake apt-get
  echo 'exit 0' | fake cmake
  echo 'shift 2; exec "$@"' | fake timeout
  echo 'echo 2' | fake nproc
  echo 'echo "100% tests passed, 0 tests failed out of 7"' | fake ctest
  echo 'exit 0' | fake pam
  echo '[ "$1" != status ] || exit 3' | fake lsf_daemons
  echo 'exit 0' | fake lsid
  printf '%s\n' 'echo "HOST_NAME status scratch"' 'echo "here ok 4711"' | fake lsload
  printf '%s\n' 'echo "HOST_NAME STATUS"' 'echo "here ok"' | fake bhosts
  echo 'for word; do [ "$word" != -o ] || { shift; break; }; shift; done; echo "hello 0 4" >"$1"' | fake bsub
  echo 'exit 0' | fake bhist
  for program in lim melim res shepherd mbatchd esub.openmpi; do echo 'exit 9' | fake "$program"; done
  mkdir -p "$top/tree/build/release/etc"
  mv "$top/bin/esub.openmpi" "$top/tree/build/release/etc/"
  for program in pam lim melim res shepherd mbatchd lsf_daemons lsid lsload bhosts bsub bhist; do
    mv "$top/bin/$program" "$top/tree/build/release/bin/$program"
  done
}
built() { fake "$1"; mv "$top/bin/$1" "$top/tree/build/release/bin/$1"; } # another body for a program of the build
all_installed() { echo 'echo "ii "' | fake dpkg-query; }
as_superuser() { echo 'echo 0' | fake id; }

# run NAME WANTED_STATUS WORDS...: runs it without a terminal; the output is in $out.
run() {
  name=$1
  wanted=$2
  shift 2
  found=0
  out=$(PATH="$top/bin" "$top/tree/quickstart" "$@" 2>&1 </dev/null) || found=$?
  [ "$found" -eq "$wanted" ] || complain "exit status $found, expected $wanted"
}
complain() {
  printf '%s: %s\n%s\n--\n' "$name" "$*" "$out" >&2
  bad=1
}
says() { printf '%s\n' "$out" | grep -qF -e "$1" || complain "does not say: $1"; }
last_line_says() { printf '%s\n' "$out" | tail -n 1 | grep -qF -e "$1" || complain "last line does not say: $1"; }
called() { grep -qF -e "$1" "$top/calls" || complain "did not call: $1"; }
no_cluster_left() { [ -z "$(find "$top/tree/build" -name 'quickstart-cluster*')" ] || complain "left a cluster's files"; }
never_called() { ! grep -q -e "^$1" "$top/calls" || complain "called: $1"; }

fresh; rm "$top/bin/dpkg-query"
run "no Debian" 1; last_line_says 'no dpkg-query'; last_line_says libboost1.81-dev; never_called cmake

fresh; rm "$top/bin/apt-get"
run "no apt-get" 1; last_line_says 'no apt-get'; last_line_says scdoc; never_called cmake

fresh; rm "$top/bin/sudo"
run "no sudo" 1; says 'missing and will be installed: scdoc'; last_line_says 'apt-get install scdoc'
never_called apt-get; never_called cmake

fresh
run "sudo asks" 1; last_line_says 'sudo wants a password'; never_called apt-get; never_called cmake

fresh; echo 'case $1 in -n) exit 0 ;; *) exec "$@" ;; esac' | fake sudo
run "sudo works" 0; called 'apt-get install -y -q --no-install-recommends scdoc'; called 'cmake --build build/release'

fresh; as_superuser; echo 'case $1 in install) exit 100 ;; esac' | fake apt-get
run "apt-get fails" 1; last_line_says 'could not install'; last_line_says scdoc; never_called cmake

fresh; as_superuser
run "root" 0; says 'will be installed: scdoc'; called 'apt-get install'; never_called sudo
last_line_says './quickstart test'

fresh; all_installed
run "nothing missing" 0; never_called apt-get; never_called sudo; called 'pam --usage -g'; called 'pam --usage -mpi'

says '$ lsload -l'; called 'bsub -K -n 4 -a openmpi'; says 'hello 0 4'; called 'bhist -l'; called 'lsf_daemons start'; called 'lsf_daemons stop'; no_cluster_left

fresh; all_installed; echo 'case $1 in start) exit 1 ;; status) exit 3 ;; esac' | built lsf_daemons
run "no cluster" 1; last_line_says 'ended with status 1'; called 'lsf_daemons stop'; no_cluster_left

# Time flies: the deadline is there at the second look.
fresh; all_installed; echo 'echo 0 >>"$0.calls"; echo "$(grep -c 0 "$0.calls")00"' | fake date
printf '%s\n' 'echo "HOST_NAME status scratch"' 'echo "here ok -"' | built lsload
run "no value" 1; says 'no value of scratch after 60 s'; called 'lsf_daemons stop'; no_cluster_left

fresh; all_installed
run "a word too many" 2 lease here; last_line_says 'found "here" behind "lease"'; never_called cmake

fresh; all_installed
run "lease as a user" 1 lease; last_line_says 'lease needs root'; never_called cmake

# Two clusters of which all that lease asks succeeds.
fresh_lease() {
  fresh; all_installed; as_superuser
  for tool in sed rmdir; do ln -s "$(command -v "$tool")" "$top/bin/$tool"; done
  echo 'case $1 in status) exit 3 ;; peerkey) : >"${LSF_ENVDIR%/conf}/peers/$2" ;; esac' | built lsf_daemons
  echo 'echo "cluster east: connected, term 1"' | built badmin
  printf '%s\n' 'echo "east IMPORT conn"' 'echo "east IMPORT ok"' | built bclusters
  echo 'echo "Job <7> is submitted to default queue <normal>."; echo RUN >"${0%/*}/state"' | built bsub
  echo 'case $* in *noheader*) cat "${0%/*}/state" ;; esac' | built bjobs
  echo 'echo EXIT >"${0%/*}/state"' | built bkill
}

fresh_lease
run "lease" 0 lease; called 'cmake --build build/release'; called 'lsf_daemons peerkey east'; called 'bhosts -e'; called 'bkill 7'; called 'lsf_daemons stop'
says 'DISTRIBUTION = ([west, 1])'; says 'west$ bclusters'; last_line_says 'Lend ten hosts'
[ -z "$(find "$top" -name 'quickstart-lease.*')" ] || complain "left the clusters' files"

# The fifth port that is looked at is taken; every cluster's ports are kept.
fresh_lease
printf 'case $* in */proc/net/tcp*) [ "$(%s -c "^grep .*/proc/net/tcp" "%s/calls")" -eq 5 ] ;; *) exec %s "$@" ;; esac\n' \
  "$(command -v grep)" "$top" "$(command -v grep)" | fake grep
echo 'case $1 in status) exit 3 ;; start) cat "$LSF_ENVDIR/lsf.conf" >>"${0%/*}/confs" ;; peerkey) : >"${LSF_ENVDIR%/conf}/peers/$2" ;; esac' |
  built lsf_daemons
run "lease where a port is taken" 0 lease
ports=$(sed -n 's/^LS._[A-Z]*_PORT=//p' "$top/tree/build/release/bin/confs")
[ "$(echo "$ports" | sort -u | wc -l)" -eq 6 ] || complain "found the ports $ports, expected six"
taken=$(grep /proc/net/tcp "$top/calls" | sed -n '5s/.*\]\*:\([0-9A-F]*\) .*/\1/p')
for port in $ports; do
  called "]*:$(printf %04X "$port") "
  [ "$(printf %04X "$port")" != "$taken" ] || complain "uses port $port, which is taken"
done

# lsf_daemons stop fails and leaves daemons, or says nothing and leaves some.
for status in 0 1; do
  fresh_lease
  echo 'case $1 in status) exit 0 ;; stop) exit '$status' ;; peerkey) : >"${LSF_ENVDIR%/conf}/peers/$2" ;; esac' | built lsf_daemons
  run "lease that does not stop ($status)" 1 lease; says 'could not be stopped; its files are left there'
  last_line_says 'a job of west ran on slots that east lent, but not all is stopped'
done

fresh; all_installed; as_superuser
for tool in sed rmdir; do ln -s "$(command -v "$tool")" "$top/bin/$tool"; done
echo 'case $1 in start) exit 1 ;; status) exit 3 ;; peerkey) : >"${LSF_ENVDIR%/conf}/peers/$2" ;; esac' | built lsf_daemons
run "lease without daemons" 1 lease; last_line_says 'cluster west did not start'; called 'lsf_daemons stop'

fresh; all_installed; echo 'case $1 in --build) exit 3 ;; esac' | fake cmake
run "build fails" 1; last_line_says 'the build failed'

fresh; all_installed; printf '#!/bin/sh\nexit 9\n' >"$top/tree/build/release/bin/pam"
run "job fails" 1; last_line_says 'status 9'

fresh; all_installed
run "unknown word" 2 tset; last_line_says 'found "tset"'; never_called cmake

fresh; all_installed
run "tests pass" 0 test; called 'ctest '; last_line_says 'all tests passed'

fresh; all_installed; mkdir -p "$top/tree/build/release/Testing/Temporary"
printf '7/7 Test: far\nOutput:\nSKIPPED: no namespaces here\n' >"$top/tree/build/release/Testing/Temporary/LastTest.log"
run "tests skipped" 0 test; says 'far: SKIPPED: no namespaces here'; last_line_says 'all tests that can run here passed'

fresh; all_installed; echo 'echo "86% tests passed, 1 tests failed out of 7"; exit 8' | fake ctest
run "tests fail" 8 test; last_line_says '--rerun-failed'

fresh; all_installed
CI=true; export CI
run "tests in CI" 0 test; last_line_says '100% tests passed, 0 tests failed out of 7'

exit "$bad"
