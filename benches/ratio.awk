# Ratios within pairs: median, quartiles, least and most.
#
# Reads lines of four columns: ours by the clock, ours by CPU time, theirs by the clock, theirs by
# CPU time. Variables: n (what stands in the first column), unit (of a rate, at most 3 letters).
# Quantiles are interpolated between order statistics (Hyndman and Fan 1996, type 7).

function quantile(ratio, q,  h, low) {
    h = 1 + (NR - 1) * q
    low = int(h)
    return low < NR ? ratio[low] + (h - low) * (ratio[low + 1] - ratio[low]) : ratio[NR]
}
function sorted(values,  i, j, held) {
    for (i = 2; i <= NR; i++) {
        held = values[i]
        for (j = i - 1; j >= 1 && values[j] > held; j--) values[j + 1] = values[j]
        values[j + 1] = held
    }
}
function line(kind, ratio, ours, theirs) {
    sorted(ratio)
    printf "%8d %6d %8.3f %-3s %8.3f %-3s   %-4s %.3f [%.3f, %.3f] (%.3f, %.3f)\n",
        n, NR, theirs / NR, unit, ours / NR, unit, kind, quantile(ratio, 0.5),
        quantile(ratio, 0.25), quantile(ratio, 0.75), ratio[1], ratio[NR]
}
{
    rate[NR] = $1 / $3; rate_ours += $1; rate_theirs += $3
    cpu[NR] = $2 / $4; cpu_ours += $2; cpu_theirs += $4
}
END {
    line("rate", rate, rate_ours, rate_theirs)
    line("cpu", cpu, cpu_ours, cpu_theirs)
}
