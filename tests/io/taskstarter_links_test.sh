#!/bin/sh
# TaskStarter needs nothing of a host to start, and asks no name service itself: usage: taskstarter_links_test.sh TASKSTARTER
set -eu
[ -x "$1" ] || { echo "$1: found no program"; exit 1; }
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -z "$needed" ] || { echo "$1: found dynamic libraries ($needed), expected none"; exit 1; }
readelf -h "$1" | grep -q 'Type: *EXEC' || { echo "$1: found a relocatable program, expected one at a fixed address"; exit 1; }
# A static libc would look for modules of the very version it was linked with.
if nm "$1" | grep -E ' T (getaddrinfo|gethostbyname|getpwuid)$'; then
  echo "$1: found a name look-up of libc, expected getent to be asked"
  exit 1
fi
# taskstarter/no_streams.cpp: nobody makes them.
if nm -C "$1" | grep -E ' std::w?(cout|cin|cerr|clog)$'; then
  echo "$1: found the standard streams, which are not made here"
  exit 1
fi
# Where it has an entry point of its own (docs/decisions/0022) it begins there.
own=$(nm "$1" | sed -n 's/^0*\([0-9a-f]*\) [tT] rollcall_start$/0x\1/p')
if [ -n "$own" ] && ! readelf -h "$1" | grep -q "Entry point address: *$own\$"; then
  echo "$1: found another entry point than rollcall_start ($own)"
  exit 1
fi
# However it begins, an environment that asks something of the C library is heard.
for tunables in '' glibc.malloc.perturb=0; do
  env ${tunables:+GLIBC_TUNABLES=$tunables} "$1" -V 2> /dev/null || { echo "$1 -V: failed with GLIBC_TUNABLES='$tunables'"; exit 1; }
done
echo "$1: needs nothing"
