"""The ratio of two medians' bootstrap law, without chance. Usage: python bootstrap.py; writes golden/bootstrap.json.

Of each sample of up to 7 values every resample is enumerated (all n^n, by multiplicities, in rational arithmetic),
so the replicates' law is known exactly: its quantiles are what a percentile interval tends to, and with z0 from the
law and a from the jackknife the same holds of BCa (Efron 1987; two samples: Efron and Tibshirani 1993, 14.3). Only
cases are kept in which each tail lies within an atom of the law by six standard errors of 20000 replicates, so that
chance cannot move the answer.
"""

import itertools
import random
import statistics

from scipy.stats import norm

from cases import medians, write

REPLICATES = 20_000


def ratios(a, b):
    law = {}
    for (x, p), (y, q) in itertools.product(medians(a).items(), medians(b).items()):
        law[x / y] = law.get(x / y, 0) + p * q
    return sorted(law.items())


def atom(law, q, more=0.0):
    """The value at q, if q is well within its step of the distribution function."""
    clear = 6 * (q * (1 - q) / REPLICATES) ** 0.5 + more
    total = 0.0
    for value, p in law:
        if total + clear < q < total + float(p) - clear:
            return value
        total += float(p)
    return None


def acceleration(a, b):
    cubes = squares = 0.0
    top, bottom = statistics.median(a), statistics.median(b)
    for sample, of in ((a, lambda rest: statistics.median(rest) / bottom), (b, lambda rest: top / statistics.median(rest))):
        n = len(sample)
        values = [of(sample[:i] + sample[i + 1:]) for i in range(n)]
        mean = sum(values) / n
        influence = [(n - 1) * (mean - v) / n for v in values]
        cubes += sum(u**3 for u in influence)
        squares += sum(u**2 for u in influence)
    return cubes / (6 * squares**1.5)


def main():
    draw = random.Random(51)
    samples = [([52.8, 46.1, 36.3, 51.7, 49.6], [4.2, 4.5, 4.0, 5.1, 4.6]), ([1.0, 2.0], [3.0, 5.0]),
               ([7.0, 7.0, 7.0, 9.0], [2.0, 2.0, 3.0])]
    cases = []
    while samples or len(cases) < 40:
        if samples:
            a, b = samples.pop(0)
        else:
            a, b = ([round(draw.lognormvariate(mu, s), 3) for _ in range(draw.choice([2, 3, 4, 5, 6, 7]))]
                    for mu, s in ((1, 0.5), (0, 0.8)))
        law = ratios(a, b)
        estimate = statistics.median(a) / statistics.median(b)
        below = float(sum(p for v, p in law if v < estimate) + sum(p for v, p in law if v == estimate) / 2)
        skew = acceleration(a, b)
        for level in (0.95, 0.8, 0.5):
            tails = ((1 - level) / 2, (1 + level) / 2)
            percentile = [atom(law, t) for t in tails]
            z0, moved = norm.ppf(below), []
            for t in tails:
                z = z0 + norm.ppf(t)
                moved.append(norm.cdf(z0 + z / (1 - skew * z)))
            # The replicates' own z0 moves the quantile as well.
            bca = [atom(law, t, 0.004) for t in moved]
            if None not in percentile and None not in bca:
                cases.append({"a": a, "b": b, "level": level, "percentile": percentile, "bca": bca})
    write("golden/bootstrap.json", ["scipy"], "quantiles of the exact bootstrap law of median a / median b", cases)


main()
