#!/bin/sh
# A static program needs nothing of a host to start, and asks no name service itself.
# usage: static_program_test.sh PROGRAM [WORDS with which it prints its version: -V]
set -eu
[ -x "$1" ] || { echo "$1: found no program"; exit 1; }
program=$1
shift
[ $# -gt 0 ] || set -- -V
needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -z "$needed" ] || { echo "$program: found dynamic libraries ($needed), expected none"; exit 1; }
readelf -h "$program" | grep -q 'Type: *EXEC' || { echo "$program: found a relocatable program, expected one at a fixed address"; exit 1; }
# A static libc would look for modules of the very version it was linked with.
if nm "$program" | grep -E ' T (getaddrinfo|gethostbyname|getpwuid|getpwnam|getgrgid|getgrouplist|dlopen)$'; then
  echo "$program: found what loads modules of libc, expected none of it"
  exit 1
fi
# Where common/io/no_streams.cpp is in the place of libstdc++'s own, the standard streams are not made.
if ! nm -C "$program" | grep -q ' std::ios_base::Init::_S_refcount$' && nm -C "$program" | grep -E ' std::w?(cout|cin|cerr|clog)$'; then
  echo "$program: found the standard streams, which are not made here"
  exit 1
fi
# It starts once for each task, so it has lsf.conf alone: the tables of the other files would be made at each start.
case $program in */TaskStarter)
  if nm -C "$program" | grep -m 3 -E ' rollcall::conf::(LsfCluster|known_parameters|read_row)'; then
    echo "$program: found what reads other files than lsf.conf, expected none of it"
    exit 1
  fi ;;
esac
# Where it has an entry point of its own (docs/decisions/0022) it begins there.
own=$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) [tT] rollcall_start$/0x\1/p')
if [ -n "$own" ] && ! readelf -h "$program" | grep -q "Entry point address: *$own\$"; then
  echo "$program: found another entry point than rollcall_start ($own)"
  exit 1
fi
# However it begins, an environment that asks something of the C library is heard.
for tunables in '' glibc.malloc.perturb=0; do
  env ${tunables:+GLIBC_TUNABLES=$tunables} "$program" "$@" 2> /dev/null || { echo "$program $*: failed with GLIBC_TUNABLES='$tunables'"; exit 1; }
done
echo "$program: needs nothing"
