#!/bin/sh
# silent_object.sh OBJECT: a shared object of the client library exports its functions, and imports no symbol by which a program
# prints or ends itself.
set -eu

symbols=$(nm -D -C "$1")
case $symbols in
*" T probe_submit"*) ;;
*)
    echo "$1: no function probe_submit in it" >&2
    exit 1
    ;;
esac
loud=$(echo "$symbols" | grep -E ' U (printf|fprintf|vprintf|vfprintf|__printf_chk|__fprintf_chk|dprintf|puts|fputs|putchar|fputc|perror|syslog|exit|quick_exit|std::cout|std::cerr|std::clog)(@|$)| [UB] (stdout|stderr)(@|$)') || :
if [ -n "$loud" ]; then
    echo "$1: found what prints or ends a program:" >&2
    echo "$loud" >&2
    exit 1
fi
echo "$(echo "$symbols" | grep -c ' U ') names from outside, none that prints"
