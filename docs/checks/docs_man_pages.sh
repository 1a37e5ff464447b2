#!/bin/sh
# docs_man_pages.sh COMMANDS SOURCES RENDERED: each command of the table COMMANDS has its page, every docs/man/*.scd has been
# rendered, mandoc finds no error in the page, and man finds it by each name of its line NAME.
set -eu
commands=$1
sources=$2
rendered=$3
command -v scdoc >/dev/null || { echo "skipped: scdoc is not installed"; exit 77; }
command -v mandoc >/dev/null || { echo "skipped: mandoc is not installed"; exit 77; }

bad=0
complain() { echo "$*" >&2; bad=1; }

# NAME PROGRAM PAGE: a page of the command's own, or one that names it in its line NAME.
rows=$(grep -c '^[a-z]' "$commands") || { echo "$commands: no command in it" >&2; exit 2; }
[ "$rows" -gt 30 ] || complain "$commands: found $rows commands, expected more than 30"
while read -r name _ page; do
  [ -f "$sources/$page.scd" ] || { complain "$name: docs/man/$page.scd is not there"; continue; }
  awk '/^# NAME/ { getline; getline; sub(/ - .*/, ""); gsub(/, */, "\n"); print; exit }' "$sources/$page.scd" | grep -qxF "$name" ||
    complain "$name: its page $page does not name it in its line NAME"
done <<EOF
$(grep '^[a-z]' "$commands")
EOF
pages='mpirun.lsf.1 TaskStarter.8 lim.8 melim.8 elim.hwloc.8 elim.5 lsf.conf.5 lsf.shared.5 lsf.cluster.5 lsf.resreq.7 mbatchd.8
  res.8 shepherd.8 lsb.params.5 lsb.queues.5 lsb.hosts.5 lsb.users.5 lsb.resources.5 lsb.applications.5 lsb.events.5'
for page in $pages; do
  [ -f "$sources/$page.scd" ] || complain "docs/man/$page.scd: expected, but not there"
done
for source in "$sources"/*.scd; do
  page=$(basename "$source" .scd)
  file=$rendered/man${page##*.}/$page
  [ -s "$file" ] || { complain "$file: not rendered (build the target man)"; continue; }
  section=${page##*.}
  awk '/^# NAME/ { getline; getline; sub(/ - .*/, ""); gsub(/, */, "\n"); print; exit }' "$source" >"$rendered/names.$$"
  while read -r name; do
    [ -f "$sources/$name.$section.scd" ] || [ "$(cat "$rendered/man$section/$name.$section")" = ".so man$section/$page" ] ||
      complain "man $name: expected a page that leads to $page"
  done <"$rendered/names.$$"
  rm -f "$rendered/names.$$"
  mandoc -T lint -W error "$file" || complain "docs/man/$page.scd: mandoc finds errors in the rendered page"
done
exit "$bad"
