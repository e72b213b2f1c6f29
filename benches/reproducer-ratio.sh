#!/usr/bin/env bash
# Is wake-storm's loop as fast as the report's reproducer on this machine?
#
#   benches/reproducer-ratio.sh futex_hash_repro.c [THREADS...]
#
# The C source comes from the mail that reported the stall; it is not part of this project. It is
# built with the line that the mail gives, and run in turn with `race-trial`: pairs, the order
# swapped from one pair to the next, so that what drifts on the machine hits both. Printed is the
# ratio of rates, ours over the reproducer's, within pairs: median, quartiles, least and most.
#
# Both get a hash of 512 slots before the first thread where the kernel has one: under auto-scaling
# the rate of either may be that of the race. The reproducer divides by the time since its last
# thread was made and counts the operations from before, so with many threads on few CPUs it
# overstates its rate a little.
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
pairs=${PAIRS:-7}
seconds=${SECONDS_EACH:-2}

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -pthread "$source" -o "$work/reproducer"
(cd "$root" && cargo build --quiet --release --package stallscope-trial --bin race-trial)
ours="${CARGO_TARGET_DIR:-$root/target}/release/race-trial"

# A run of each; prints Mops/s.
rate_of_reproducer() { # threads
    "$work/reproducer" "$1" "$seconds" "$slots" | sed -n 's/.* \([0-9.]*\) Mops.*/\1/p'
}
rate_of_ours() { # threads
    printf '{"trial":1,"workload":"wake-storm","threads":%s,"ramp":"burst","hash":"%s","placement":"unpinned","memory":"default","duration":"%ss","sample":"100ms","seed":1}\n' \
        "$1" "$hash" "$seconds" | "$ours" |
        sed -n 's/.*"status":"ok".*"elapsed_s":\([0-9.e-]*\),"ops":\([0-9]*\),.*/\1 \2/p' |
        awk '{ print $2 / $1 / 1e6 }'
}

slots=512 hash=slots:512
if [ -z "$(rate_of_ours 1)" ]; then
    slots=0 hash=auto
    echo "no hash of 512 slots can be set on this kernel: both run with what there is" >&2
fi

printf '%8s %6s %14s %14s   %s\n' threads pairs reproducer ours 'ratio: median [quartiles] (least, most)'
for n in "${threads[@]}"; do
    : >"$work/pairs"
    for ((i = 0; i < pairs; i++)); do
        if ((i % 2)); then
            theirs=$(rate_of_reproducer "$n") mine=$(rate_of_ours "$n")
        else
            mine=$(rate_of_ours "$n") theirs=$(rate_of_reproducer "$n")
        fi
        if [ -z "$theirs" ] || [ -z "$mine" ]; then
            echo "a run with $n threads gave no rate (reproducer: '$theirs', race-trial: '$mine')" >&2
            exit 1
        fi
        awk -v a="$mine" -v b="$theirs" 'BEGIN { print a / b, a, b }' >>"$work/pairs"
    done
    sort -g "$work/pairs" | awk -v n="$n" '
        { ratio[NR] = $1; ours += $2; theirs += $3 }
        function quantile(q,  h, low) {
            h = 1 + (NR - 1) * q; low = int(h)
            return low < NR ? ratio[low] + (h - low) * (ratio[low + 1] - ratio[low]) : ratio[NR]
        }
        END {
            printf "%8d %6d %8.1f Mops/s %8.1f Mops/s   %.3f [%.3f, %.3f] (%.3f, %.3f)\n",
                n, NR, theirs / NR, ours / NR, quantile(0.5), quantile(0.25), quantile(0.75),
                ratio[1], ratio[NR]
        }'
done
