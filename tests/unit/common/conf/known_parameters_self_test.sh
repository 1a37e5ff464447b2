#!/bin/sh
# known_parameters_self_test.sh SOURCE_DIR: known_parameters.sh names a parameter that a view reads and no table has. Exit: 0 it
# does, 1 not.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$1"
cp -r common pam taskstarter elim sched res wrappers "$dir"
view=$dir/common/conf/program_settings.cpp
for planted in 'in.yes_no("LSF_PLANTED", false);' 'share("LSF_PLANTED", 1, "tasks");' 'in.find("LSF_PLANTED");'; do
    cp common/conf/program_settings.cpp "$view"
    echo "$planted" >>"$view"
    status=0
    said=$("$here/known_parameters.sh" "$dir") || status=$?
    case $status$said in
    1*'LSF_PLANTED is read, and missing'*) ;;
    *)
        echo "planted: $planted; expected exit 1 and its name, found exit $status: $said" >&2
        exit 1
        ;;
    esac
done
