#!/usr/bin/env bash
# How much memory and time does `experiments analyze` take as a run grows?
#
#   benches/analyze-scale.sh [TRIALS...]
#
# For each number of trials a run is made up (crates/analysis/examples/large-run.rs, SAMPLES=100 rows
# of timeline.csv a trial) and analysed once. Printed are the rows of the timeline, the seconds and
# the microseconds a row by the clock, and the most memory that the process held (its resident set,
# as the kernel accounts it). The goal: memory below 2 GiB at 1,000,000 trials and 100,000,000 rows,
# and the time a row as flat as the rows are many.
#
# A run of 1,000,000 trials is about 6 GB; WORK is where it is made, a temporary folder by default,
# and it is removed. PROFILE=release or full.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
profile=${PROFILE:-release}
samples=${SAMPLES:-100}
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(10000 100000 1000000)
for n in "${sizes[@]}"; do
    if ! [[ $n =~ ^[1-9][0-9]*$ ]]; then
        echo "usage: $0 [TRIALS...]; found $n, accepted is a whole number from 1" >&2
        exit 2
    fi
done
work=$(mktemp -d "${WORK:-${TMPDIR:-/tmp}}/analyze-scale.XXXXXX")
trap 'rm -rf "$work"' EXIT

(cd "$root" && cargo build --quiet --profile "$profile" -p experiments &&
    cargo build --quiet --profile "$profile" -p stallscope-analysis --example large-run)
target=${CARGO_TARGET_DIR:-$root/target}/$profile

# Runs a program with its output thrown away; prints seconds and the most KiB that it held.
measured() {
    python3 - "$@" <<'PYTHON'
import resource, subprocess, sys, time
begin = time.monotonic()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
seconds = time.monotonic() - begin
if done.returncode:
    sys.exit(done.returncode)
print(seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PYTHON
}

printf '%10s %12s %9s %10s %10s %9s\n' trials rows seconds 'us a row' 'us a trial' 'peak MiB'
for n in "${sizes[@]}"; do
    "$target/examples/large-run" "$work/run" "$n" "$samples"
    read -r seconds kib <<<"$(measured "$target/experiments" analyze "$work/run")"
    awk -v n="$n" -v rows=$((n * samples)) -v s="$seconds" -v kib="$kib" \
        'BEGIN { printf "%10d %12d %9.2f %10.3f %10.1f %9.0f\n", n, rows, s, s / rows * 1e6, s / n * 1e6, kib / 1024 }'
    rm -rf "$work/run"
done
