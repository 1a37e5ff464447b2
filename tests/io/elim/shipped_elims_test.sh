#!/bin/sh
# shipped_elims_test.sh SERVERDIR MACHINES SAMPLE: elim.hwloc and elim.jsdl keep an elim's contract: the checking header,
# whole strings at once, the end on SIGTERM and when nobody reads; and say of known machines what they are.
set -eu
etc=$1
machines=$2
sample=$3
dir=$(mktemp -d)
pid=
trap 'if [ -n "$pid" ]; then kill -KILL "-$pid" 2>/dev/null || :; fi; rm -rf "$dir"' EXIT
failed=0

fail() {
    echo "FAILED: $1" >&2
    failed=1
}
# same WHAT FOUND EXPECTED
same() { [ "$2" = "$3" ] || fail "$1: found '$2', expected '$3'"; }

# until_text FILE: it has a line within 20 s.
until_text() {
    tries=0
    while [ ! -s "$1" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 200 ]; then
            fail "$1: nothing in it after 20 s, expected a load update string"
            return
        fi
        sleep 0.1
    done
}
# status COMMAND...: its exit status, its output thrown away.
status() {
    got=0
    "$@" >/dev/null 2>&1 || got=$?
    echo "$got"
}

hwloc() { # hwloc MACHINE WORDS...
    machine=$1
    shift
    "$etc/elim.hwloc" "--hwloc-topology=$machines/$machine/topology.xml" "--hwloc-root=$machines/$machine/root" \
        --hwloc-strings=1 "$@"
}
jsdl() {
    machine=$1
    shift
    "$etc/elim.jsdl" "--jsdl-root=$machines/$machine/root" --jsdl-strings=1 "$@"
}

for elim in elim.hwloc elim.jsdl; do
    if ! [ -x "$etc/$elim" ]; then
        echo "$etc/$elim: missing, expected a program" >&2
        exit 1
    fi
done
unset LSF_RESOURCES ELIM_ABORT_VALUE

# --- what they say
same "two nodes, GPUs and adapters" "$(hwloc xeon-swap)" \
    "16 hw_nodes 2 hw_numa_free0 19729 hw_numa_max0 32132 hw_numa_free1 21334 hw_numa_max1 32132 hw_numa_free 21334 \
hw_kinds 1 hw_fast_cores 16 hw_l1 32 hw_l2 256 hw_l3 20480 hw_gpus 2 hw_nics 2 hw_ib 0 hw_net_speed 10000 \
hw_gpu_model NVIDIA_Corporation_GV100GL_[Tesla_V100_PCIe_16GB]"
same "128 cores" "$(LSF_RESOURCES='hw_fast_cores hw_l3 hw_nodes' hwloc epyc-256)" \
    "3 hw_nodes 2 hw_fast_cores 128 hw_l3 32768"
same "two nodes whose cache is a tmpfs, by a real kernel" \
    "$(LSF_RESOURCES='hw_nodes hw_numa_free0 hw_numa_max0 hw_numa_free1 hw_fast_cores' hwloc vm-numa-swap)" \
    "5 hw_nodes 2 hw_numa_free0 47 hw_numa_max0 469 hw_numa_free1 45 hw_fast_cores 8"
same "two kinds" "$(LSF_RESOURCES='hw_kinds hw_fast_cores' hwloc hybrid)" "2 hw_kinds 2 hw_fast_cores 4"
same "one node of a kernel without NUMA" "$(LSF_RESOURCES=hw_numa_max0 hwloc container)" "1 hw_numa_max0 1031784"
same "jsdl" "$(LSF_RESOURCES='osname cpuspeed bandwidth' jsdl xeon-swap)" "3 osname LINUX cpuspeed 2593 bandwidth 10000"
same "jsdl where there is no speed" "$(LSF_RESOURCES='cpuspeed osname bandwidth' jsdl hybrid)" \
    "2 osname LINUX cpuspeed 2100"
same "jsdl, osver" "$(LSF_RESOURCES=osver jsdl hybrid)" "1 osver $(uname -r)"

# --- names: every one is in the sample, twice, and none else
"$etc/elim.hwloc" --hwloc-strings=2 --hwloc-interval=1 >"$dir/here"
[ "$(wc -l <"$dir/here")" = 2 ] || fail "two strings were asked for"
tail -1 "$dir/here" | grep -q ' hw_idle_cores [0-9]' || fail "the second string has no hw_idle_cores: $(tail -1 "$dir/here")"
for name in $(tr ' ' '\n' <"$dir/here" | grep '^hw_' | sort -u); do
    same "$name in the sample" "$(grep -c "^$name " "$sample")" 2
done
awk '{ if (2 * $1 + 1 != NF) exit 1 }' "$dir/here" || fail "counts do not match: $(cat "$dir/here")"

# --- the checking header
for elim in elim.hwloc elim.jsdl; do
    same "$elim, not asked" "$(LSF_RESOURCES='scratch nio' status "$etc/$elim")" 99
    same "$elim, another abort value" "$(LSF_RESOURCES='scratch' ELIM_ABORT_VALUE=44 status "$etc/$elim")" 44
    same "$elim, quietly" "$(LSF_RESOURCES='scratch' "$etc/$elim" 2>&1 || :)" ""
done
same "words that are another elim's" "$(LSF_RESOURCES=hw_nodes hwloc hybrid -x other --scratch-dir=/tmp)" "1 hw_nodes 1"
same "a broken word of ours" "$(status "$etc/elim.hwloc" --hwloc-interval=never)" 2
same "a topology that is none" "$(status "$etc/elim.hwloc" --hwloc-topology=/nowhere)" 1

# --- the end: TERM, and a reader that is gone
for elim in elim.hwloc elim.jsdl; do
    rm -f "$dir/out"
    : >"$dir/out"
    setsid "$etc/$elim" >"$dir/out" 2>"$dir/err" &
    pid=$!
    until_text "$dir/out"
    kill -TERM "-$pid" # as MELIM does it: the whole group
    got=0
    wait "$pid" 2>/dev/null || got=$?
    pid=
    case $got in 0 | 143) ;; *) fail "$elim: SIGTERM ended it with $got, expected 0 or 143" ;; esac
    [ ! -s "$dir/err" ] || fail "$elim: said at its end: $(cat "$dir/err")"

    # One reader for one line; then the elim has to end by itself.
    mkfifo "$dir/pipe.$elim"
    setsid "$etc/$elim" --hwloc-interval=1 --jsdl-interval=1 >"$dir/pipe.$elim" 2>"$dir/err" &
    pid=$!
    head -1 <"$dir/pipe.$elim" >"$dir/first"
    grep -q '^[0-9]' "$dir/first" || fail "$elim: no string: $(cat "$dir/first")"
    tries=0
    while kill -0 "$pid" 2>/dev/null && [ "$tries" -lt 200 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    if kill -0 "$pid" 2>/dev/null; then
        fail "$elim: runs 20 s after its reader has gone"
        kill -KILL "-$pid"
    fi
    got=0
    wait "$pid" || got=$?
    pid=
    [ "$got" -ne 0 ] || fail "$elim: ended with 0 though nobody read it"
done
exit "$failed"
