#!/bin/sh
# ./quickstart lease with the programs of this build: two clusters of this host, of which one lends slots to the other.
#
#   io_quickstart_lease.sh QUICKSTART BUILD_DIR
set -eu
quickstart=$1
build=$2

skip() {
  echo "SKIPPED: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "not root, whose job runs in the other cluster as another user"
[ "$build" = "$(dirname "$quickstart")/build/release" ] || skip "this build is not build/release, whose programs quickstart starts"

# The build is there: a cmake that does nothing.
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
printf '#!/bin/sh\nexit 0\n' >"$tools/cmake"
chmod 755 "$tools/cmake"
said=$(PATH=$tools:$PATH "$quickstart" lease 2>&1) || {
  echo "FAIL: quickstart lease ended with status $?: $said"
  exit 1
}
case $said in
*'@east            ok '*'a job of west ran on slots that east lent, and both clusters are stopped'*) ;;
*)
  echo "FAIL: found no borrowed host, or no word that a job ran there: $said"
  exit 1
  ;;
esac
