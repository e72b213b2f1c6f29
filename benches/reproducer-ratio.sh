#!/usr/bin/env bash
# Is wake-storm's loop as fast as the report's reproducer on this machine?
#
#   benches/reproducer-ratio.sh futex_hash_repro.c [THREADS...]
#
# The C source comes from the mail that reported the stall; it is not part of this project. It is
# built with the line that the mail gives, its rate printed with more digits than its one, and run
# in turn with `race-trial`: pairs, the order swapped from one pair to the next, so that what drifts
# on the machine hits both. Printed are two ratios within pairs, ours over the reproducer's, each as
# median, quartiles, least and most:
#   rate   operations a second of the clock, as each of the two counts them. With more threads than
#          CPUs the reproducer divides by less time than its threads worked (each works its seconds
#          from when it begins, and the clock starts after the last was made), so it overstates.
#   cpu    operations a CPU second of the whole process: what other load on the machine, and the
#          reproducer's clock, distort least. The goal is at least 1 here.
#
# Both get a hash of 512 slots before the first thread where the kernel has one: under auto-scaling
# the rate of either may be that of the race.
#
# PAIRS=7 pairs a thread count, SECONDS_EACH=2 a run.
set -euo pipefail

if [ $# -lt 1 ] || [ ! -f "$1" ]; then
    echo "usage: $0 PATH-TO-futex_hash_repro.c [THREADS...]; ${1:-no path} is not a file" >&2
    exit 2
fi
source=$1
shift
threads=("$@")
[ ${#threads[@]} -gt 0 ] || threads=(1 2 8 96)
seconds=${SECONDS_EACH:-2}

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/benches/pairs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's/%\.2fs %\.1f Mops/%.6fs %.6f Mops/' "$source" >"$work/reproducer.c"
gcc -O2 -pthread "$work/reproducer.c" -o "$work/reproducer"
(cd "$root" && cargo build --quiet --release --package stallscope-trial --bin race-trial)
race_trial="${CARGO_TARGET_DIR:-$root/target}/release/race-trial"

# A run of each: prints millions of operations a second, and a CPU second. CPU time is the shell's
# account of the process, for both.
TIMEFORMAT='%U %S'
measure() { # file for the output, program and arguments
    local out=$1
    shift
    { time "$@" >"$out" 2>/dev/null; } 2>&1
}
theirs() { # threads
    local cpu
    cpu=$(measure "$work/out" "$work/reproducer" "$1" "$seconds" "$slots")
    sed -n 's/.* \([0-9.]*\)s \([0-9.]*\) Mops.*/\1 \2/p' "$work/out" |
        awk -v cpu="$cpu" '{ split(cpu, c, " "); print $2, $1 * $2 / (c[1] + c[2]) }'
}
ours() { # threads
    local cpu
    printf '{"trial":1,"workload":"wake-storm","threads":%s,"ramp":"burst","hash":"%s","placement":"unpinned","memory":"default","duration":"%ss","sample":"100ms","seed":1}\n' \
        "$1" "$hash" "$seconds" >"$work/spec"
    cpu=$(measure "$work/out" "$race_trial" <"$work/spec")
    # The window's rate; for the CPU time the operations of the whole process: the last sample's.
    sed -n 's/.*"status":"ok".*"elapsed_s":\([0-9.e-]*\),"ops":\([0-9]*\),.*"ops":\([0-9]*\),"slots":[0-9nul]*}\].*/\1 \2 \3/p' "$work/out" |
        awk -v cpu="$cpu" '{ split(cpu, c, " "); print $2 / $1 / 1e6, $3 / 1e6 / (c[1] + c[2]) }'
}

slots=512 hash=slots:512
if [ -z "$(ours 1)" ]; then
    slots=0 hash=auto
    echo "no hash of 512 slots can be set on this kernel: both run with what there is" >&2
fi

in_pairs_head threads reproducer
for n in "${threads[@]}"; do
    in_pairs "$n" "$n" M/s reproducer
done
