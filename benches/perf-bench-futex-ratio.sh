#!/usr/bin/env bash
# Is wake-storm's loop as fast as perf's futex benchmark on this machine?
#
#   benches/perf-bench-futex-ratio.sh [THREADS...]
#
# `perf bench futex wake` times how long a main thread takes to wake threads that sleep; it has no
# rate of calls, and wake-storm wakes where nobody sleeps. perf's nearest form with a rate is
# `perf bench futex hash`: each thread calls futex(2) on words of its own in a loop, a wait whose
# value never matches, so that it too looks up a bucket and comes back. It takes the bucket's lock,
# which a wake without waiters does not: a ratio above 1 is expected of the calls themselves, below 1
# would be our loop. A word a thread in both (-f 1), private, the global hash in both, threads on
# whichever CPU perf pins them to; at most a thread a CPU, since perf divides by the time it asked
# for.
#
# Both run in turn, in pairs, the order swapped from one pair to the next. Printed is the ratio of
# calls, ours over perf's, within pairs: by the clock, and by CPU seconds of the whole process.
#
# PAIRS=7 pairs, SECONDS_EACH=3 a run.
set -euo pipefail

if ! command -v perf >/dev/null; then
    echo "perf is not installed (Debian: apt-get install linux-perf)" >&2
    exit 2
fi
threads=("$@")
[ ${#threads[@]} -gt 0 ] || threads=(1 2)
seconds=${SECONDS_EACH:-3}

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/benches/pairs.sh"
target=${CARGO_TARGET_DIR:-$root/target}
(cd "$root" && cargo build --quiet --release --package stallscope-trial --package stallscope-preload)

spec() { # workload, threads, the rest of the fields
    printf '{"trial":1,"workload":"%s","threads":%s,"ramp":"burst","hash":"global","placement":"unpinned","memory":"default","duration":"%ss","sample":"100ms","seed":1%s}\n' \
        "$1" "$2" "$seconds" "$3"
}
# Each prints millions of calls a second, and a CPU second.
ours() { # threads
    spec wake-storm "$1" "" | "$target/release/race-trial" |
        rates_of_a_trial 1e6
}
theirs() { # threads
    local argv
    argv="[\"perf\",\"bench\",\"futex\",\"hash\",\"-s\",\"-f\",\"1\",\"-t\",\"$1\",\"-r\",\"$seconds\"]"
    spec command "$1" ",\"parameters\":{\"command\":{\"argv\":$argv,\"throughput\":{\"regex\":\"Averaged ([0-9]+) operations/sec\"},\"unit\":\"1/s\"}}" |
        STALLSCOPE_PRELOAD="$target/release/libstallscope_preload.so" "$target/release/race-trial" |
        rates_of_a_command "$seconds" "$1" 1e6
}

in_pairs_head threads perf
for n in "${threads[@]}"; do
    in_pairs "$n" "$n" M/s perf
done
