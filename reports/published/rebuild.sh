#!/bin/sh
# Makes the reports of this folder again from data/published: sh reports/published/rebuild.sh
# EXPERIMENTS is the program, by default the one on the path; OUT another folder to write to. With
# TEXTS_ONLY=1 no figure is drawn.
set -eu
cd "$(dirname "$0")/../.."
out=${OUT:-reports/published}
if ! command -v "${EXPERIMENTS:-experiments}" >/dev/null; then
    echo "rebuild.sh: there is no program ${EXPERIMENTS:-experiments}: set EXPERIMENTS to one" >&2
    exit 1
fi
experiments() { "${EXPERIMENTS:-experiments}" "$@"; }

for run in data/published/[0-9]*; do
    to=$out/$(basename "$run")
    rm -rf "$to"
    mkdir -p "$to"
    if [ -z "${TEXTS_ONLY:-}" ]; then
        # The page and the bitmaps hold the same figures once more.
        experiments report "$run" --out "$to" >/dev/null
        rm -f "$to"/report.html "$to"/*.png
    fi
    experiments report "$run" --format md >"$to/report.md"
    experiments report "$run" --format mail >"$to/report.txt"
done

# What the messages' tables say by themselves.
tables=data/published/tables
to=$out/stat
rm -rf "$to"
mkdir -p "$to"
experiments stat threshold $tables/2-stalled-by-threads.csv >"$to/threshold.txt"
experiments stat survival $tables/3-recovery.csv >"$to/recovery.txt"
experiments stat samples $tables/1-mutex-auto-seconds.csv $tables/1-mutex-presized-seconds.csv >"$to/mutex.txt"
experiments stat strata $tables/3-patch.csv >"$to/patch.txt"
experiments stat two-by-two 4 24 0 24 >"$to/4-of-24-against-0-of-24.txt"
experiments stat power --base 0.16667 --test 0 >"$to/trials-to-decide.txt"

# The comparisons that the messages make.
to=$out/compare
rm -rf "$to"
mkdir -p "$to"
d=data/published
experiments compare --base $d/3-stock --test $d/3-patched --format mail >"$to/patch.txt"
experiments compare $d/3-continuous --by patch --base stock --test blocked-waiters --format mail >"$to/continuous.txt"
experiments compare --base $d/1-reproducer --test $d/2-reproducer-7.2 --format mail >"$to/6.17-and-7.2.txt"
