#!/bin/sh
# docs_readme_commands.sh ROOT BIN: what README.md names exists: the options of its `pam ...` lines are in `pam -h`,
# and every wrapper, program and build target's path it names is there, and no command that it calls absent.
# shellcheck disable=SC2016 # backquotes are what is looked for
set -eu
root=$1
bin=$2
readme=$root/README.md
pam=$bin/pam
[ -x "$pam" ] || { echo "$pam: not there: nothing to compare README.md with" >&2; exit 1; }
help=$("$pam" -h 2>&1)

bad=0
complain() { echo "README.md: $*" >&2; bad=1; }

# pam's own options: the words between `pam` and -g or -mpi, and those in the first column of its option table.
options=$(
  {
    grep -oE '(^|[`$/ ])pam -[^`|]*' "$readme" | sed -E 's/^.*pam //; s/(^| )(-g|-mpi)( .*)?$/ \2/'
    sed -nE 's/^\| `(-[^`]*)` .*/\1/p' "$readme"
  } | tr ' ,[]' '\n' | grep -E '^-' | sort -u
)
[ -n "$options" ] || complain "names no option of pam at all"
for option in $options; do
  printf '%s\n' "$help" | grep -qE -e "(^|[^[:alnum:]-])$option([^[:alnum:]-]|\$)" ||
    complain "names pam's option $option, which \`pam -h\` does not"
done

for program in $(grep -oE '`[a-z0-9]+_wrapper`|`mpirun\.lsf`|`TaskStarter`|`pam`' "$readme" | tr -d '`' | sort -u); do
  [ -x "$bin/$program" ] || complain "names $program, which is not in $bin"
done
for path in $(grep -oE '`(bench|tests|docs|wrappers|common|pam|taskstarter|cmake|build/release)/[A-Za-z0-9_./-]*`' "$readme" |
  tr -d '`' | sort -u); do
  [ -e "$root/$path" ] || [ -e "$bin/../${path#build/release/}" ] || complain "names $path, which is not there"
done

# The options that bsub and bmod refuse: the table in the code and the sentence agree.
table=$root/sched/policy/submit/submit_options.cpp
refused=$(sed -n '/constexpr auto other_options/,/^}/p' "$table" | sed -nE 's/.*(word|flag)\("(-[^"]+)".*/\2/p' | sort)
told=$(sed -n '/^bsub and bmod refuse these options:/,/\.$/p' "$readme" | sed 's/^bsub and bmod refuse these options://; s/\.$//' | tr ' ' '\n' | grep . | sort)
[ -n "$refused" ] || complain "found no refused option in $table"
[ "$refused" = "$told" ] || complain "tells other refused options than $table has: $told"

# Commands that it calls absent; the sentence ends with a full stop.
absent=$(sed -n '/^These commands of LSF are absent:/,/\.$/p' "$readme" | grep -oE '\b(b|ls|ss)[a-z]+\b' || true)
[ -n "$absent" ] || complain 'lists no command of LSF as absent'
for name in $absent; do
  [ ! -e "$bin/$name" ] || complain "calls $name absent, which is in $bin"
done
exit "$bad"
