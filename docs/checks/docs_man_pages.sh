#!/bin/sh
# docs_man_pages.sh SOURCES RENDERED: every docs/man/*.scd has been rendered, and mandoc finds no error in the page.
set -eu
sources=$1
rendered=$2
command -v scdoc >/dev/null || { echo "skipped: scdoc is not installed"; exit 77; }
command -v mandoc >/dev/null || { echo "skipped: mandoc is not installed"; exit 77; }

bad=0
complain() { echo "$*" >&2; bad=1; }

for page in pam.1 TaskStarter.8 mpirun.lsf.1; do
  [ -f "$sources/$page.scd" ] || complain "docs/man/$page.scd: expected, but not there"
done
for source in "$sources"/*.scd; do
  page=$(basename "$source" .scd)
  file=$rendered/man${page##*.}/$page
  [ -s "$file" ] || { complain "$file: not rendered (build the target man)"; continue; }
  mandoc -T lint -W error "$file" || complain "docs/man/$page.scd: mandoc finds errors in the rendered page"
done
exit "$bad"
