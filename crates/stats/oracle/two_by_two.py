"""Golden values for two proportions. Usage: python two_by_two.py; writes golden/two_by_two.json.

Side 1 is the base, side 2 the test; everything is test against base.

- newcombe: statsmodels confint_proportions_2indep(method="newcomb").
- miettinen-nurminen: the score equation solved at 22 digits with mpmath. Not statsmodels: its cubic has a
  count where the paper has a group size (statsmodels issue 10269), and it fails with zero cells.
- koopman: likewise with mpmath; checked here against statsmodels (ratio, score, correction=False) where
  that answers.
- odds ratio, its exact interval: the noncentral hypergeometric sums at 22 digits with mpmath; checked here
  against scipy.stats.contingency.odds_ratio (R's fisher.test is in fisher.R: its uniroot stops at 1e-4).
- fisher, fisher-mid-p: rational arithmetic; checked here against scipy.stats.fisher_exact.
- boschloo, barnard: regions by rational arithmetic over all tables (no convexity assumed), probability over
  a grid of 3001 points in arcsin(sqrt(pi)), the three highest tops zoomed into; checked here never
  to be below scipy's boschloo_exact and barnard_exact by more than 1e-9.
"""

from fractions import Fraction
from math import comb

import mpmath as mp
import numpy as np
from scipy.stats import barnard_exact, binom, boschloo_exact, fisher_exact
from scipy.stats.contingency import odds_ratio
from statsmodels.stats.proportion import confint_proportions_2indep

from cases import bisect, tables, write

mp.mp.dps = 22
SIDES = ["two-sided", "less", "greater"]


def z_of(level):
    return mp.sqrt(2) * mp.erfinv(mp.mpf(level))


def base_under_difference(k1, n1, k2, n2, d):
    """The base's p that maximises the likelihood with test = base + d."""
    low, high = max(mp.mpf(0), -d), min(mp.mpf(1), 1 - d)

    def slope(p):
        total = mp.mpf(0)
        for count, factor in [(k1, p), (k1 - n1, 1 - p), (k2, p + d), (k2 - n2, 1 - p - d)]:
            if count:
                total += mp.inf * count if factor <= 0 else count / factor
        return total

    return bisect(slope, low, high)


def score_difference(k1, n1, k2, n2, d):
    p1 = base_under_difference(k1, n1, k2, n2, d)
    p2 = p1 + d
    v = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / mp.mpf(n1 + n2 - 1)
    distance = mp.mpf(k2) / n2 - mp.mpf(k1) / n1 - d
    if v <= 0:
        return mp.sign(distance) * mp.inf if distance else mp.mpf(0)
    return distance / mp.sqrt(v)


def miettinen_nurminen(k1, n1, k2, n2, level):
    z, d = z_of(level), mp.mpf(k2) / n2 - mp.mpf(k1) / n1

    low = bisect(lambda x: score_difference(k1, n1, k2, n2, x) - z, -1, d, 45)
    high = bisect(lambda x: score_difference(k1, n1, k2, n2, x) + z, d, 1, 45)
    return [float(low), float(high)]


def koopman(k1, n1, k2, n2, level):
    z = z_of(level)
    if k1 == 0 and k2 == 0:
        return [0.0, None]

    def score(u):
        t = mp.exp(u)
        b = n1 + k2 + t * (n2 + k1)
        p1 = 2 * mp.mpf(k1 + k2) / (b + mp.sqrt(b * b - 4 * t * (n1 + n2) * (k1 + k2)))
        p2 = t * p1
        v = p2 * (1 - p2) / n2 + t * t * p1 * (1 - p1) / n1
        distance = mp.mpf(k2) / n2 - t * mp.mpf(k1) / n1
        if v <= 0:
            return mp.sign(distance) * mp.inf if distance else mp.mpf(0)
        return distance / mp.sqrt(v)

    low = 0.0 if k2 == 0 else float(mp.exp(bisect(lambda u: score(u) - z, -40, 40)))
    high = None if k1 == 0 else float(mp.exp(bisect(lambda u: score(u) + z, -40, 40)))
    return [low, high]


def conditional(k1, n1, k2, n2, level):
    k = k1 + k2
    least, greatest = max(0, k - n1), min(k, n2)
    ways = [(x, mp.mpf(comb(n2, x) * comb(n1, k - x))) for x in range(least, greatest + 1)]
    half = (1 - mp.mpf(level)) / 2

    def at(u):
        w = mp.exp(u)
        masses = [(x, m * w ** (x - least)) for x, m in ways]
        total = mp.fsum(m for _, m in masses)
        return [(x, m / total) for x, m in masses]

    mean = lambda u: mp.fsum(x * m for x, m in at(u))
    above = lambda u: mp.fsum(m for x, m in at(u) if x >= k2)
    below = lambda u: mp.fsum(m for x, m in at(u) if x <= k2)
    if k2 == greatest:
        estimate = None
    elif k2 == least:
        estimate = 0.0
    else:
        estimate = float(mp.exp(bisect(lambda u: k2 - mean(u), -40, 40)))
    low = 0.0 if k2 == least else float(mp.exp(bisect(lambda u: half - above(u), -40, 40)))
    high = None if k2 == greatest else float(mp.exp(bisect(lambda u: below(u) - half, -40, 40)))
    return estimate, [low, high]


def hypergeometric(n1, n2, k):
    return {x: Fraction(comb(n2, x) * comb(n1, k - x), comb(n1 + n2, k)) for x in range(max(0, k - n1), min(k, n2) + 1)}


def fisher(k1, n1, k2, n2):
    masses = hypergeometric(n1, n2, k1 + k2)
    here = masses[k2]
    p = {
        "two-sided": sum(m for m in masses.values() if m <= here),
        "less": sum(m for x, m in masses.items() if x <= k2),
        "greater": sum(m for x, m in masses.items() if x >= k2),
    }
    equal = {"two-sided": sum(m for m in masses.values() if m == here), "less": here, "greater": here}
    return p, {side: p[side] - equal[side] / 2 for side in SIDES}


GRID = np.linspace(0, np.pi / 2, 3001)


def supremum(region, n1, n2):
    """The greatest probability of a 0/1 matrix of tables over a common pi."""

    def at(theta):
        pi = np.sin(theta)[:, None] ** 2
        base = binom.pmf(np.arange(n1 + 1), n1, pi)
        return ((base @ region) * binom.pmf(np.arange(n2 + 1), n2, pi)).sum(axis=1)

    values = at(GRID)
    best = values.max()
    tops = [i for i in range(1, 3000) if values[i] >= values[i - 1] and values[i] >= values[i + 1]]
    for i in sorted(tops, key=lambda i: -values[i])[:3]:
        # A quadratically converging zoom: each pass divides the cell by 100.
        low, high = GRID[i - 1], GRID[i + 1]
        for _ in range(3):
            fine = np.linspace(low, high, 201)
            heights = at(fine)
            j = int(np.clip(heights.argmax(), 1, 199))
            best, low, high = max(best, heights.max()), fine[j - 1], fine[j + 1]
    return float(min(best, 1.0))


def unconditional(k1, n1, k2, n2):
    one_sided = {"less": [[None] * (n2 + 1) for _ in range(n1 + 1)], "greater": [[None] * (n2 + 1) for _ in range(n1 + 1)]}
    for k in range(n1 + n2 + 1):
        masses = sorted(hypergeometric(n1, n2, k).items())
        total = Fraction(0)
        for x, m in masses:
            total += m
            one_sided["less"][k - x][x] = total
        total = Fraction(0)
        for x, m in reversed(masses):
            total += m
            one_sided["greater"][k - x][x] = total
    boschloo = {}
    for side, p in one_sided.items():
        region = np.array([[float(p[a][b] <= p[k1][k2]) for b in range(n2 + 1)] for a in range(n1 + 1)])
        boschloo[side] = supremum(region, n1, n2)
    boschloo["two-sided"] = min(1.0, 2 * min(boschloo.values()))

    def score(a, b):
        """z with its sign, squared, up to a factor common to all tables."""
        d, k = b * n1 - a * n2, a + b
        v = k * (n1 + n2 - k)
        return Fraction(d * abs(d), v) if v else Fraction(0)

    z = [[score(a, b) for b in range(n2 + 1)] for a in range(n1 + 1)]
    seen = z[k1][k2]
    tests = {"less": lambda s: s <= seen, "greater": lambda s: s >= seen, "two-sided": lambda s: abs(s) >= abs(seen)}
    barnard = {
        side: supremum(np.array([[float(test(s)) for s in row] for row in z]), n1, n2) for side, test in tests.items()
    }
    return boschloo, barnard


def close(a, b, tolerance):
    return a is not None and b is not None and abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-12


def main():
    cases = []
    everything = tables(240, 40, 7)
    for i, (k1, n1, k2, n2) in enumerate(everything):
        level = [0.95, 0.95, 0.9, 0.99][i % 4]
        case = {"k1": k1, "n1": n1, "k2": k2, "n2": n2, "level": level}
        case["newcombe"] = [float(x) for x in confint_proportions_2indep(k2, n2, k1, n1, compare="diff", method="newcomb", alpha=1 - level)]
        case["miettinen-nurminen"] = miettinen_nurminen(k1, n1, k2, n2, level)
        case["koopman"] = koopman(k1, n1, k2, n2, level)
        if 0 < k1 < n1 and 0 < k2 < n2:
            theirs = confint_proportions_2indep(k2, n2, k1, n1, compare="ratio", method="score", correction=False, alpha=1 - level)
            assert all(close(a, b, 1e-6) for a, b in zip(case["koopman"], theirs)), (case, theirs)
        estimate, interval = conditional(k1, n1, k2, n2, level)
        case["odds_ratio"], case["exact"] = estimate, interval
        if 0 < k1 < n1 and 0 < k2 < n2:
            theirs = odds_ratio([[k2, k1], [n2 - k2, n1 - k1]], kind="conditional")
            assert close(estimate, theirs.statistic, 1e-6), (case, theirs)
            bounds = theirs.confidence_interval(level)
            assert all(close(a, b, 1e-6) for a, b in zip(interval, bounds)), (case, bounds)
        p, mid = fisher(k1, n1, k2, n2)
        case["fisher"] = {side: float(p[side]) for side in SIDES}
        case["fisher-mid-p"] = {side: float(mid[side]) for side in SIDES}
        table = [[k2, k1], [n2 - k2, n1 - k1]]
        for side in SIDES:
            assert close(case["fisher"][side], float(fisher_exact(table, side).pvalue), 1e-9), case
        if i % 3 == 0:
            boschloo, barnard = unconditional(k1, n1, k2, n2)
            case["boschloo"], case["barnard"] = boschloo, barnard
            if 0 < k1 + k2 < n1 + n2 and i % 12 == 0:
                for side in SIDES:
                    theirs = boschloo_exact(table, side, n=64).pvalue
                    assert boschloo[side] >= theirs - 1e-9, ("boschloo", case, side, theirs)
                    theirs = barnard_exact(table, side, n=64).pvalue
                    if barnard[side] < theirs - 1e-9 or barnard[side] > theirs + 1e-3:
                        print("barnard differs from scipy's", case, side, theirs)
        cases.append(case)
    write("golden/two_by_two.json", ["scipy", "statsmodels", "mpmath", "numpy"],
          "effects and tests of two proportions; boschloo and barnard to 1e-9", cases)


main()
