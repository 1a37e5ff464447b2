#!/bin/sh
# known_parameters.sh SOURCE_DIR: what the table of parameters says of the code is true. A parameter with an effect is read
# somewhere; one without is read nowhere but by the views, for a later use, and where it is shown. Exit: 0 true, 1 not, 2 no table.
set -eu
cd "$1"
table=common/conf/known_parameters.cpp
[ -r "$table" ] || { echo "$table: missing" >&2; exit 2; }
bad=0
# enough WHAT LEAST NAME...: fails where fewer names were found: the table is then written in a form that this script does not read.
enough() {
    what=$1
    least=$2
    shift 2
    if [ $# -lt "$least" ]; then
        echo "$what: found $# names, expected $least at least"
        bad=1
    fi
}
# Rows with an effect have neither Effect::none nor Effect::later.
with_effect=$(sed -n 's/^    {"\([A-Z_]*\)"\(, File::lsb_params\)\{0,1\}},$/\1/p' "$table")
# shellcheck disable=SC2086 # one word for each name
enough "$table, with an effect" 50 $with_effect
for name in $with_effect; do
    if ! grep -rqwF --include='*.cpp' --include='*.hpp' --include='*.sh' --exclude=known_parameters.cpp "$name" \
        common pam taskstarter elim sched res && ! grep -rqwF "$name" wrappers; then
        echo "$table: $name is said to have an effect, and nothing reads it"
        bad=1
    fi
done
without_effect=$(sed -n 's/^    {"\([A-Z_]*\)", File::[a-z_]*, Effect::none.*/\1/p' "$table")
# shellcheck disable=SC2086
enough "$table, without an effect" 5 $without_effect
for name in $without_effect; do
    if grep -rqF --include='*.cpp' --exclude=known_parameters.cpp --exclude='answers_*.cpp' --exclude='show_*.cpp' "\"$name\"" pam taskstarter elim sched res; then
        echo "$table: $name is said to have no effect, and something reads it"
        bad=1
    fi
done
# The groups of LSF's manual. These names are environment variables or columns too.
documented=common/conf/documented_parameters.cpp
[ -r "$documented" ] || { echo "$documented: missing" >&2; exit 2; }
names=$(grep -oE '"[A-Z_0-9]+"' "$documented" | tr -d '"')
# shellcheck disable=SC2086
enough "$documented" 100 $names
for name in $names; do
    case $name in LSF_ENVDIR | LSF_VERSION | LSB_SUB_COMMANDNAME) continue ;; esac
    if grep -rqF --include='*.cpp' --exclude='answers_*.cpp' --exclude='show_*.cpp' "\"$name\"" pam taskstarter elim sched res; then
        echo "$documented: $name is said to have no effect, and something reads it"
        bad=1
    fi
done
# Keywords of queues without an effect: programs read them only to show them, and in scenarios of bsched-query. One that lsb.params has too may be read there.
keywords=common/conf/without_effect.cpp
[ -r "$keywords" ] || { echo "$keywords: missing" >&2; exit 2; }
names=$(sed -n 's/^    {"lsb.queues", "Queue", "\([A-Z_]*\)".*/\1/p' "$keywords")
# shellcheck disable=SC2086
enough "$keywords" 10 $names
for name in $names; do
    if grep -q "{\"$name\", File::lsb_params" "$table"; then continue; fi
    if grep -rqF --include='*.cpp' --exclude='answers_*.cpp' --exclude='show_*.cpp' --exclude='*_scenario.cpp' "\"$name\"" pam taskstarter elim sched res; then
        echo "$keywords: $name is said to have no effect, and something reads it"
        bad=1
    fi
done
# The other way round: what is read of lsf.conf is in a table; else a site that sets it is told that it has no effect. Views read
# by a SettingsReader, or by a function of theirs that takes the name first.
views=$(grep -rlF --include='*.cpp' '"common/conf/settings_reader.hpp"' common pam taskstarter elim sched res | grep -v batch_settings.cpp)
[ -n "$views" ] || { echo "common/conf/settings_reader.hpp: found no view that includes it" >&2; exit 2; }
listed=$(sed -n '/load_setting_names() {/,/^}/p' common/conf/load_settings.cpp; cat "$table")
read_names() {
    # shellcheck disable=SC2086 # one word for each file
    grep -hoE '\b(in_?\.[a-z_]+|share)\("[A-Z_]+"' $views
    grep -hoE '"LSB_[A-Z_]+"' common/conf/chosen_columns.hpp
    grep -rhoE --include='*.cpp' '(lsf_conf(\(\))?|conf_?)\.(value|find)\("[A-Z_]+"\)' common pam taskstarter elim sched res
}
names=$(read_names | grep -oE '"[A-Z_]+"' | tr -d '"' | sort -u)
# shellcheck disable=SC2086
enough "the views of lsf.conf" 40 $names
for name in $names; do
    case $listed in
    *"\"$name\""*) ;;
    *)
        echo "$table: $name is read, and missing"
        bad=1
        ;;
    esac
done
exit $bad
