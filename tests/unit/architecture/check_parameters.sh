#!/bin/sh
# check_parameters.sh SOURCE_DIR: outside common/conf nobody reads the text of a parameter (docs/decisions/0076).
#
# Parameters of lsf.conf are read and checked by the views of common/conf, and by pam's (pam/policy/pam_config.cpp), before which
# the environment counts. Everybody else has the typed values. The same holds for the cells of lsb.params, lsb.queues and
# lsb.applications: commands that show them have `shown`, and look up no keyword in it. Every line that breaks this is printed
# as FILE:LINE.
# Exit: 0 none, 1 some, 2 nothing to check.
set -eu

cd "$1"
files=$(find common pam taskstarter elim sched res -name '*.hpp' -o -name '*.cpp' 2>/dev/null) || :
if ! echo "$files" | grep -q '^common/conf/program_settings.cpp$'; then
    echo "$1: no common/conf/program_settings.cpp, which has the views" >&2
    exit 2
fi
# shellcheck disable=SC2086  # the names of source files have no blanks
awk '
FILENAME ~ /^common\/conf\// || FILENAME ~ /^pam\/policy\/pam_config\.cpp$/ { next }
{
    line = $0
    sub(/\/\/.*/, "", line)
    gsub(/text\.find\(/, "", line)
    if (line ~ /(\.|->)cells([^_A-Za-z0-9(]|$)/ || line ~ /shown[^;]*"[A-Z_]+"/) {
        print FILENAME ":" FNR ": reads the text of a cell: " $0
        bad++
    } else if (line ~ /(value|find|text)\("(LSF|LSB|ROLLCALL|EGO)_[A-Z_0-9]*"\)/ || line ~ /lsf_conf(\(\))?(\.|->)(value|find|settings)/) {
        print FILENAME ":" FNR ": reads the text of a parameter: " $0
        bad++
    }
}
END { if (bad) exit 1; print "nobody outside common/conf reads the text of a parameter" }' $files
