#!/bin/sh
# built.sh SOURCE PRESET: configures and builds all of a preset, in the folder that the preset names. Where that has
# ROLLCALL_WERROR a warning fails it. Exit: 0 built, 1 not.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: built.sh SOURCE PRESET" >&2
    exit 2
fi
cd "$1"
cmake --preset "$2"
cmake --build --preset "$2" --parallel "$(nproc)" -- -k 0
