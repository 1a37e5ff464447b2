#!/bin/sh
# old_build.sh SOURCE BUILD: builds the hosts' programs of the release before, in BUILD/release_before, and runs
# tests/cluster/old_hosts.py with them and the programs of BUILD. tests/nightly/release_before names the commit.
# Exit: that of the test; 77 where the history has no such commit.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: old_build.sh SOURCE BUILD" >&2
    exit 2
fi
source=$1
build=$2
commit=$(cat "$source/tests/nightly/release_before")
if ! git -C "$source" cat-file -e "$commit^{commit}" 2>/dev/null; then
    echo "SKIPPED: the history here has no commit $commit, the release before"
    exit 77
fi
tree=$build/release_before
if [ ! -e "$tree/CMakeLists.txt" ]; then
    mkdir -p "$tree"
    git -C "$source" archive "$commit" | tar -x -C "$tree"
fi
cd "$tree"
cmake --preset release -DROLLCALL_TESTS=OFF
cmake --build build/release --parallel "$(nproc)" --target res shepherd TaskStarter
ROLLCALL_OLD_BUILD=$tree/build/release PYTHONPATH=$source/tests/support PYTHONDONTWRITEBYTECODE=1 \
    exec python3 "$source/tests/cluster/old_hosts.py" --build "$build"
