#!/bin/sh
# TaskStarter needs nothing of a host but libc: usage: taskstarter_links_test.sh TASKSTARTER
set -eu
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ] || { echo "$1: found no dynamic libraries, expected libc at least (name look-ups need it)"; exit 1; }
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | ld-linux*) ;;
    *) echo "$1: found the library $library, expected only libc, libm and the loader"; exit 1 ;;
  esac
done
echo "$1: needs only" $needed
