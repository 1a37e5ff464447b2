#!/bin/sh
# no_fork_test.sh COMPILER ARCHIVE...: a large daemon starts programs through common/io/spawn alone: a fork would copy its memory's
# tables and run its locks in the child. The undefined symbols of every archive are read; a planted fork must be found.
set -eu

compiler=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# forks ARCHIVE...: prints the objects that start a process by themselves, and with what.
forks() {
    for archive in "$@"; do
        nm "$archive" 2>/dev/null | grep -q ' [TW] ' || { echo "$archive: no code, expected an archive"; continue; }
        nm -A -u "$archive" | grep -E ' U (_?_?v?fork|clone3?|daemon|forkpty|popen|system|posix_spawnp?)(@.*)?$' || :
    done
}

printf '#include <unistd.h>\nint child() { return fork(); }\n' >"$dir/breach.cpp"
"$compiler" -std=c++20 -c "$dir/breach.cpp" -o "$dir/breach.o"
ar rcs "$dir/libbreach.a" "$dir/breach.o"
if [ -z "$(forks "$dir/libbreach.a")" ]; then
    echo "the planted fork was not found" >&2
    exit 1
fi
found=$(forks "$@")
if [ -n "$found" ]; then
    echo "$found" >&2
    exit 1
fi
echo "$# archives, none forks"
