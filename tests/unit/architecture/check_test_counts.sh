#!/bin/sh
# check_test_counts.sh SOURCE_DIR: no test is lost. Counts the test cases of each kind in the sources and compares them with
# test_counts.txt beside this script: a count may rise, and the commit that lowers one says in that file why.
# Exit: 0 none is missing, 1 some are, 2 nothing to compare.
set -eu

counts=$(cd "$(dirname "$0")" && pwd)/test_counts.txt
[ -r "$counts" ] || { echo "$counts: missing" >&2; exit 2; }
cd "$1"

# cases FOLDER: GoogleTest and RapidCheck cases below it.
cases() { find "$1" -name '*.cpp' -exec cat {} + | grep -cE '^[[:space:]]*(TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\('; }
# functions FOLDER: the tests of our own runner in Python.
functions() { find "$1" -name '*.py' -exec cat {} + | grep -cE '^def test_'; }

{
    echo "unit $(cases tests/unit)"
    echo "sim $(cases tests/sim)"
    echo "io $(cases tests/io)"
    echo "io_python $(functions tests/io)"
    echo "cluster_python $(functions tests/cluster)"
    echo "fuzz $(find tests/fuzz -name 'fuzz_*.cpp' | wc -l)"
    echo "fuzz_corpus $(find tests/fuzz/corpus -type f | wc -l)"
    echo "golden $(find tests/golden -type f | wc -l)"
    echo "wrappers $(find tests/wrappers -type f | wc -l)"
    echo "document_checks $(find docs/checks -name '*.sh' | wc -l)"
} | awk -v counts="$counts" '
BEGIN { while ((getline line < counts) > 0) if (line ~ /^[a-z]/) { split(line, part, " "); least[part[1]] = part[2] } }
{
    if (!($1 in least)) { print counts ": found no count of " $1 ", which are " $2; bad = 1 }
    else if ($2 < least[$1]) { print $1 ": found " $2 " tests, expected at least " least[$1] " (" counts ")"; bad = 1 }
    seen[$1] = 1
    all = all (all == "" ? "" : ", ") $1 " " $2
}
END {
    for (kind in least) if (!(kind in seen)) { print counts ": " kind " is not counted"; bad = 1 }
    if (bad) exit 1
    print all
}'
