#!/bin/sh
# docs_man_options.sh COMMANDS SOURCES BIN COMPLETION: every option that a command's -h names is in its man page, also those that it
# refuses by name; and bash completes the command.
set -eu
table=$1
sources=$2
bin=$3
completion=$4
bad=0
complain() { echo "$*" >&2; bad=1; }

# The commands whose option tables make their -h: those of the table but some with another form; bmod's options are bsub's.
commands=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$table" |
  grep -vxE 'pam|lsf_daemons|bsched-query|bpost|bread|badmin|lsadmin|bmod')
[ "$(echo "$commands" | wc -l)" -gt 30 ] || complain "$table: found $(echo "$commands" | wc -l) commands, expected more than 30"

# The page that tells of a command.
page_of() { awk -v name="$1" -v sources="$sources" '$1 == name { print sources "/" $3 ".scd" }' "$table"; }

for name in $commands; do
  help=$("$bin/$name" -h 2>&1) || { complain "$name -h: found an exit status of $?, expected 0"; continue; }
  page=$(page_of "$name")
  [ -f "$page" ] || { complain "$name: found no man page, expected $name.1.scd"; continue; }
  # An option stands in bold: *-l*, *-S*, *-D*; scdoc's own escapes taken away.
  told=$(sed 's/\\//g' "$page")
  options=$(printf '%s\n' "$help" |
    sed -n 's/^ \{1,8\}\(-[-A-Za-z0-9_]*\).*/\1/p; s/^Options of LSF.s that are refused, with the reason: *//p' | tr ' ' '\n' | grep -vx -e -h -e -V | sort -u)
  # btop and bbot have none of their own, but every -h tells at least of itself.
  printf '%s\n' "$help" | grep -q '^ \{1,8\}-h' || complain "$name -h: found no line of -h, expected one for each option"
  for option in $options; do
    printf '%s\n' "$told" | grep -qE -e "\*$option(\*| |=|:)" || complain "${page##*/}: found nothing of $name's option $option, expected *$option*"
  done
  sed -n '/^complete /,$s/[ \\]/\n/gp' "$completion" | grep -qx -e "$name" || complain "${completion##*/}: found no completion of $name"
done
exit "$bad"
