"""Golden values of the beta product band and its quantiles. Usage: python beta_product.py; writes
golden/beta_product.json. Debian has no bpcp, so the values follow Fay, Brittain and Proschan (2013) by another
road than the product's: moments in rational arithmetic, one Beta(y, 1) an event as if tied events came one by
one; quantiles of the matched beta law by halving on mpmath's incomplete beta function; quantiles of the curve by
asking at every time, and just after it, which shares its band holds.

Where nothing is censored the band is checked here to be Clopper and Pearson's (scipy).
"""

import random
from fractions import Fraction

import mpmath as mp
from scipy.stats import beta

from cases import write

mp.mp.dps = 25


def law(events, more):
    """The moments of the product of Beta(y, 1), and of it times Beta(more, 1)."""
    first = second = Fraction(1)
    for y in events + ([more] if more else []):
        first *= Fraction(y, y + 1)
        second *= Fraction(y, y + 2)
    return first, second


def quantile(events, more, p, cache={}):
    key = (tuple(events), more, p)
    if key not in cache:
        first, second = law(events, more)
        size = (first - second) / (second - first**2)
        a, b = mp.mpf(first.numerator) / first.denominator, mp.mpf(size.numerator) / size.denominator
        a, b = a * b, (1 - a) * b
        below = lambda x: mp.betainc(a, b, 0, x, regularized=True)
        # About where scipy has it, then Newton on the exact function.
        x = mp.mpf(float(beta.ppf(p, float(a), float(b))))
        for _ in range(6):
            density = mp.exp((a - 1) * mp.log(x) + (b - 1) * mp.log1p(-x) - mp.log(mp.beta(a, b)))
            x -= (below(x) - p) / density
        cache[key] = float(x)
    return cache[key]


def band(trials, at, after, alpha):
    """The bounds of S at a time, or just after it."""
    events = []
    for u in sorted({t for t, e in trials if e and t <= at}):
        y, d = sum(t >= u for t, _ in trials), sum(t == u and e for t, e in trials)
        events += [y - i for i in range(d)]
    # Known to last longer: those followed beyond, and at the time itself those censored at it.
    left = sum(t > at or (t == at and not e and not after) for t, e in trials)
    high = quantile(events, 0, 1 - alpha / 2) if events else 1.0
    low = quantile(events, left, alpha / 2) if left else 0.0
    return low, high


def main():
    draw = random.Random(41)
    samples = [[(5.0, 1)], [(5.0, 0)], [(3.0, 1)] * 5, [(3.0, 0)] * 8, [(2.0, 1), (2.0, 0)], [(0.0, 1), (0.0, 0), (1.0, 1)],
               [(1.0, 1), (2.0, 1), (2.0, 1), (3.0, 1), (4.0, 1)], [(100.0, 0), (300.0, 0), (300.0, 0)],
               [(14.0, 1), (33.0, 1), (165.0, 1), (169.0, 1), (280.0, 1), (300.0, 1), (300.0, 0)],
               [(float(i), 0) for i in range(1, 9)] + [(20.0, 1)], [(1.0, 1)] + [(2.0, 0)] * 23]
    while len(samples) < 70:
        n = draw.choice([2, 3, 5, 8, 13, 24])
        coarse, end = draw.random() < 0.4, draw.choice([None, 1.0, 0.4])
        trials = []
        for _ in range(n):
            t, c = round(draw.expovariate(1), 3), round(draw.expovariate(draw.choice([0.1, 1])), 3)
            if coarse:
                t, c = max(1, round(4 * t)) / 4, max(1, round(4 * c)) / 4
            stop = c if end is None else end
            trials.append((min(t, stop), int(t <= stop)))
        samples.append(trials)
    cases = []
    for i, trials in enumerate(samples):
        level = [0.95, 0.8, 0.99][i % 3]
        alpha = 1 - level
        times = sorted({t for t, _ in trials})
        at = [band(trials, t, False, alpha) for t in times]
        after = [band(trials, t, True, alpha) for t in times]
        if all(e for _, e in trials):
            n = len(trials)
            for t, (low, high) in zip(times, at):
                k = sum(u > t for u, _ in trials)
                exact = beta.ppf(alpha / 2, k, n - k + 1) if k else 0.0, beta.isf(alpha / 2, k + 1, n - k)
                assert all(abs(x - y) <= 1e-9 for x, y in zip((low, high), exact)), (trials, t)
        # Every moment at which the bounds can change, in order: before all events, each time, just after it.
        before = band(trials, -1.0, False, alpha)
        moments = [(0.0, before)]
        for t, here, then in zip(times, at, after):
            moments += [(t, here), (t, then)]
        quantiles = []
        for p in (0.1, 0.25, 0.5, 0.75, 0.9):
            # What meets 1 - p but for rounding is still held.
            low = next((t for t, bounds in moments if bounds[0] <= 1 - p + 1e-12), None)
            high = next((t for t, bounds in moments if bounds[1] < 1 - p - 1e-12), None)
            quantiles.append([p, low, high])
        cases.append({"time": [t for t, _ in trials], "event": [e for _, e in trials], "level": level, "times": times,
                      "low": [b[0] for b in at], "low_after": [b[0] for b in after], "high": [b[1] for b in at],
                      "before": before[0], "quantiles": quantiles})
    write("golden/beta_product.json", ["scipy", "mpmath"], "quantiles are p, low, high", cases)


main()
