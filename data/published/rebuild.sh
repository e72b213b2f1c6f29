#!/bin/sh
# Makes the runs of this folder again from sources/: sh data/published/rebuild.sh
# EXPERIMENTS is the program, by default the one on the path.
set -eu
cd "$(dirname "$0")/../.."
from=data/published/sources
xeon="--set cpus=192 --label machine=Xeon-6975P-C"
repro="--stall control:0.5 --control slots:512"

run() {
    name=$1
    source=$2
    shift 2
    rm -rf "data/published/$name"
    "${EXPERIMENTS:-experiments}" import "$from/$source" "$@" --out "data/published/$name"
}

# shellcheck disable=SC2086
{
    run 1-reproducer 1-reproducer.log $xeon $repro --kernel 6.17.0-1019-aws --label source=1-reproducer \
        --title "The reproducer, 96 threads, 6.17"
    run 1-reproducer-7.0 1-reproducer-7.0.log $xeon $repro --kernel 7.0.0-1010-aws --label source=1-reproducer-7.0 \
        --title "The reproducer, 96 threads, 7.0, not pinned"
    run 2-reproducer-7.2 2-reproducer-7.2.log $xeon $repro --kernel 7.2 --label source=2-reproducer-7.2 \
        --set placement=cpus:0-95 --set memory=bind:0,1,2 --set duration_s=5 \
        --title "The reproducer, 96 threads, v7.2"
}
for name in 1-counter-state 1-mutex 1-kernels 1-pool-growth 2-reruns 2-ratios 2-placements 2-stalled-by-threads \
    3-timeline 3-recovery 3-continuous 4-schbench; do
    run $name $name.csv --map $from/$name.toml
done
run 3-stock 3-stock.csv --map $from/3-patch.toml --name 3-stock --label patch=stock --checks $from/3-stock-checks.csv
run 3-patched 3-patched.csv --map $from/3-patch.toml --name 3-patched --label patch=blocked-waiters \
    --checks $from/3-patched-checks.csv
