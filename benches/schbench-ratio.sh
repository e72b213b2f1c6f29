#!/usr/bin/env bash
# Is the workload messenger as fast as schbench on this machine?
#
#   benches/schbench-ratio.sh PATH-TO-schbench [WORKERS-A-MESSENGER...]
#
# schbench is built outside this project (its `make`). Both have the same number of messengers and
# workers, no work, no locks, no sleep and no pinning, and the global hash, so that neither the size
# of the private one nor its counter is part of the comparison. They run in turn, in pairs, the order
# swapped from one pair to the next. Printed is the ratio of requests, ours over schbench's, within
# pairs: median, quartiles, least and most; by the clock, and by CPU seconds of the whole process.
#
# schbench is given the global hash by the same preloaded library as any command.
#
# PAIRS=7 pairs, SECONDS_EACH=3 a run, MESSENGERS=2. PLACEMENT=unpinned: with cpus:0 both have one CPU,
# and which CPU a waker and its waiter happen to be on is not part of the comparison.
set -euo pipefail

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 PATH-TO-schbench [WORKERS-A-MESSENGER...]; ${1:-no path} is no program" >&2
    exit 2
fi
schbench=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
workers=("$@")
[ ${#workers[@]} -gt 0 ] || workers=(1 4 16 48)
seconds=${SECONDS_EACH:-3}
messengers=${MESSENGERS:-2}
placement=${PLACEMENT:-unpinned}

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/benches/pairs.sh"
target=${CARGO_TARGET_DIR:-$root/target}
(cd "$root" && cargo build --quiet --release --package stallscope-trial --package stallscope-preload)

spec() { # workload, threads, the rest of the fields
    printf '{"trial":1,"workload":"%s","threads":%s,"ramp":"burst","hash":"global","placement":"%s","memory":"default","duration":"%ss","sample":"100ms","seed":1,%s}\n' \
        "$1" "$2" "$placement" "$seconds" "$3"
}
# Prints requests a second and requests a CPU second, in thousands.
ours() { # workers a messenger
    spec messenger $(($1 * messengers)) "\"messengers\":\"$messengers\"" |
        "$target/release/race-trial" |
        rates_of_a_trial 1e3
}
theirs() { # workers a messenger
    local argv
    argv="[\"$schbench\",\"-L\",\"-m\",\"$messengers\",\"-t\",\"$1\",\"-n\",\"0\",\"-s\",\"0\",\"-r\",\"$seconds\"]"
    spec command "$1" "\"parameters\":{\"command\":{\"argv\":$argv,\"throughput\":{\"regex\":\"average rps: ([0-9.]+)\"},\"unit\":\"1/s\"}}" |
        STALLSCOPE_PRELOAD="$target/release/libstallscope_preload.so" "$target/release/race-trial" |
        rates_of_a_command "$seconds" 1 1e3
}

in_pairs_head workers schbench
for n in "${workers[@]}"; do
    in_pairs "$n" "$((n * messengers))" k/s schbench
done
