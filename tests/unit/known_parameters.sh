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
exit $bad
