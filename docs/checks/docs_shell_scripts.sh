#!/bin/sh
# docs_shell_scripts.sh ROOT: shellcheck has nothing to say about our own shell scripts outside wrappers/ and tests/,
# which have checks of their own.
set -eu
cd "$1"
command -v shellcheck >/dev/null || { echo "skipped: shellcheck is not installed"; exit 77; }
shellcheck -x quickstart .ci/run docs/checks/*.sh docs/samples/examples/*.sh
shellcheck -s sh docs/samples/profile.lsf.in
