#!/bin/sh
# docs_man_pages.sh SOURCES RENDERED: every docs/man/*.scd has been rendered, mandoc finds no error in the page,
# and man finds it by each name of its line NAME.
set -eu
sources=$1
rendered=$2
command -v scdoc >/dev/null || { echo "skipped: scdoc is not installed"; exit 77; }
command -v mandoc >/dev/null || { echo "skipped: mandoc is not installed"; exit 77; }

bad=0
complain() { echo "$*" >&2; bad=1; }

pages='pam.1 mpirun.lsf.1 TaskStarter.8 bsub.1 blaunch.1 lsrun.1 lsgrun.1 lsrcp.1
  lsid.1 lsinfo.1 lshosts.1 lsload.1 lsplace.1 lseligible.1 lsresreq.1 lsadmin.8 lsf_daemons.8
  lim.8 melim.8 elim.hwloc.8 elim.5 lsf.conf.5 lsf.shared.5 lsf.cluster.5 lsf.resreq.7 mbatchd.8 res.8 shepherd.8
  lsb.params.5 lsb.queues.5 lsb.hosts.5 lsb.users.5 lsb.resources.5 lsb.applications.5 lsb.events.5 bslots.1 bjobs.1 bkill.1 bhosts.1 bqueues.1 bhist.1 bacct.1 badmin.8'
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
