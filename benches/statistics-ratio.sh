#!/usr/bin/env bash
# How many times as fast as scipy and lifelines are the statistics, on this machine?
#
#   benches/statistics-ratio.sh
#
# Three comparisons, each within one run, in turn:
#   boschloo  24 of 200 against 40 of 200, two-sided, against scipy.stats.boschloo_exact
#   bca       the ratio of two medians, 24 values each, 100,000 resamples, against
#             scipy.stats.bootstrap(method="BCa")
#   survival  Kaplan-Meier curves of two groups with pointwise intervals and medians, and the
#             log-rank test between them, over 1,000,000 rows, against lifelines
# Only the computation is timed, on data that both hold in memory, after one round of each that is
# not counted; and only where both give the same answer. Ours uses all CPUs, the others what they use
# (lifelines and scipy: one). Our bca draws the medians of resamples from their law in place of
# resampling, which is most of its ratio.
#
# Needs python3 with venv and network, or PYTHON, an interpreter that has scipy and lifelines. The
# packages go to the build folder (target/oracle), which git ignores.
#
# PAIRS=5 pairs. PROFILE=release.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
pairs=${PAIRS:-5}
profile=${PROFILE:-release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python=${PYTHON:-$target/oracle/bin/python}
if [ ! -x "$python" ]; then
    [ -z "${PYTHON:-}" ] || { echo "PYTHON=$PYTHON is no program" >&2; exit 2; }
    python3 -m venv "$target/oracle"
fi
if ! "$python" -c 'import scipy, lifelines' 2>/dev/null; then
    "$python" -m pip install --quiet scipy lifelines
fi

(cd "$root" && cargo build --quiet --profile "$profile" -p stallscope-stats --example statistics-speed)
"$python" "$root/benches/statistics-ratio.py" data "$work"
"$python" "$root/benches/statistics-ratio.py" compare "$target/$profile/examples/statistics-speed" "$work" "$pairs"
