# shellcheck shell=sh
# golden.sh: what the scripts of the golden tests share. Read by them with `.`, not a program.
run=0
differ=0

# golden GOLDEN ANSWER UPDATE: counts a case, and compares the file ANSWER with the committed GOLDEN, or with --update
# writes that anew.
golden() {
    run=$((run + 1))
    if [ "$3" = --update ]; then
        cp "$2" "$1"
    elif [ ! -f "$1" ]; then
        echo "$1: missing; ${0##*/} ... --update writes it"
        differ=$((differ + 1))
    elif ! diff -u "$1" "$2"; then
        differ=$((differ + 1))
    fi
}

# golden_end FOLDER CASES: the number of CASES ("cases"), and the exit status: 0 all equal, 1 some differ or a golden file of FOLDER
# has no case, 2 no case was in FOLDER.
golden_end() {
    if [ "$run" -eq 0 ]; then
        echo "$1: no ${2%s} in it" >&2
        exit 2
    fi
    set -- "$1" "$2" "$(find "$1" -maxdepth 1 -name '*.golden' | wc -l)"
    if [ "$3" -ne "$run" ]; then
        echo "$1: found $3 golden files, expected one for each of the $run $2"
        differ=$((differ + 1))
    fi
    echo "$run $2, $differ differ"
    [ "$differ" -eq 0 ]
}
