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
echo "$1: needs nothing"
