#!/bin/sh
# known_parameters.sh SOURCE_DIR: what the table of parameters says of the code is true. A parameter with an effect is read
# somewhere; one without is read nowhere but by the views, for a later use, and where it is shown. Exit: 0 true, 1 not, 2 no table.
set -eu
cd "$1"
table=common/conf/known_parameters.cpp
[ -r "$table" ] || { echo "$table: missing" >&2; exit 2; }
bad=0
# Rows with an effect have neither Effect::none nor Effect::later.
for name in $(sed -n 's/^    {"\([A-Z_]*\)"\(, File::lsb_params\)\{0,1\}},$/\1/p' "$table"); do
    if ! grep -rqwF --include='*.cpp' --include='*.hpp' --include='*.sh' --exclude=known_parameters.cpp "$name" \
        common pam taskstarter elim sched res && ! grep -rqwF "$name" wrappers; then
        echo "$table: $name is said to have an effect, and nothing reads it"
        bad=1
    fi
done
for name in $(sed -n 's/^    {"\([A-Z_]*\)", File::[a-z_]*, Effect::none.*/\1/p' "$table"); do
    if grep -rqF --include='*.cpp' --exclude=known_parameters.cpp --exclude='answers_*.cpp' --exclude='show_*.cpp' "\"$name\"" pam taskstarter elim sched res; then
        echo "$table: $name is said to have no effect, and something reads it"
        bad=1
    fi
done
# The groups of LSF's manual. These names are environment variables or columns too.
documented=common/conf/documented_parameters.cpp
[ -r "$documented" ] || { echo "$documented: missing" >&2; exit 2; }
for name in $(grep -oE '"[A-Z_0-9]+"' "$documented" | tr -d '"'); do
    case $name in LSF_ENVDIR | LSF_VERSION | LSB_SUB_COMMANDNAME) continue ;; esac
    if grep -rqF --include='*.cpp' --exclude='answers_*.cpp' --exclude='show_*.cpp' "\"$name\"" pam taskstarter elim sched res; then
        echo "$documented: $name is said to have no effect, and something reads it"
        bad=1
    fi
done
# Keywords of queues that do nothing: no program reads them, but where they are shown. One that lsb.params has too may be read there.
keywords=common/conf/without_effect.cpp
[ -r "$keywords" ] || { echo "$keywords: missing" >&2; exit 2; }
for name in $(sed -n 's/^    {"lsb.queues", "Queue", "\([A-Z_]*\)".*/\1/p' "$keywords"); do
    if grep -q "{\"$name\", File::lsb_params" "$table"; then continue; fi
    if grep -rqF --include='*.cpp' --exclude='answers_*.cpp' --exclude='show_*.cpp' "\"$name\"" pam taskstarter elim sched res; then
        echo "$keywords: $name is said to have no effect, and something reads it"
        bad=1
    fi
done
# And the other way round: what is read of lsf.conf is in the table, or a site that sets it is told that it has no effect.
for name in $(grep -rhoE --include='*.cpp' 'lsf_conf(\(\))?\.(value|find)\("[A-Z_]+"\)' common pam taskstarter elim sched res | grep -oE '"[A-Z_]+"' | tr -d '"' | sort -u); do
    if ! grep -qF "\"$name\"" "$table" common/conf/load_settings.cpp; then
        echo "$table: $name is read, and missing"
        bad=1
    fi
done
exit $bad
