"""Golden values of strata that no package here has. Usage: python strata_score.py; writes golden/strata_score.json.

- ratio: Miettinen and Nurminen's stratified score interval with Mantel-Haenszel weights and N / (N - 1). Each
  stratum's maximum under a ratio is found from the log-likelihood's own derivative (no closed form), the bounds by
  halving, all with mpmath at 30 digits. koopman: the same without N / (N - 1), where there is one stratum.
  From the ends inwards in steps of a tenth of ln ratio, so that of several crossings the outermost is taken.
- difference: Klingenberg's interval as the set of differences that are not rejected, by halving, with Sato's
  variance as metafor writes it.
- room: Mantel and Fleiss' criterion from scipy's hypergeometric law, its mean by summing the masses.

Rows are base_k, base_n, test_k, test_n.
"""

import random

import mpmath as mp
from scipy.stats import hypergeom

from cases import bisect, write

mp.mp.dps = 30


def most_likely_base(y2, n2, y1, n1, theta):
    """The base's p at the maximum of the likelihood with test = theta x base."""
    top = min(mp.mpf(1), 1 / theta)

    def slope(p):
        # d/dp of y2 ln p + (n2 - y2) ln(1 - p) + y1 ln(theta p) + (n1 - y1) ln(1 - theta p)
        value = mp.mpf(0)
        if y1 + y2:
            value += (y1 + y2) / p
        if n2 - y2:
            value -= (n2 - y2) / (1 - p)
        if n1 - y1:
            value -= (n1 - y1) * theta / (1 - theta * p)
        return value

    # Without an event the maximum is at 0, with nothing but events at the top.
    if y1 + y2 == 0:
        return mp.mpf(0)
    if slope(top * (1 - mp.mpf(10) ** -28)) > 0:
        return top
    return bisect(slope, mp.mpf(10) ** -28 * top, top * (1 - mp.mpf(10) ** -28), 100)


def outermost(falling, end):
    """The crossing of a falling function that lies nearest to an end, -15 or 15, of its range."""
    at, step = mp.mpf(end), mp.mpf(-end) / 150
    sign = falling(at) > 0
    while (falling(at + step) > 0) == sign:
        at += step
        assert abs(at) <= 15, "no crossing"
    return float(mp.exp(bisect(falling, min(at, at + step), max(at, at + step), 60)))


def ratio_interval(rows, level, corrected=True):
    rows = [row for row in rows if row[1] and row[3]]
    z = mp.sqrt(2) * mp.erfinv(mp.mpf(level))
    test = sum(mp.mpf(y1) * n2 / (n1 + n2) for y2, n2, y1, n1 in rows)
    base = sum(mp.mpf(y2) * n1 / (n1 + n2) for y2, n2, y1, n1 in rows)
    if not rows:
        return None, [None, None]
    if test == 0 and base == 0:
        return None, [0.0, None]

    def score(u):
        theta = mp.exp(u)
        distance = variance = mp.mpf(0)
        for y2, n2, y1, n1 in rows:
            w = mp.mpf(n1) * n2 / (n1 + n2)
            p = most_likely_base(y2, n2, y1, n1, theta)
            distance += w * (mp.mpf(y1) / n1 - theta * mp.mpf(y2) / n2)
            own = theta * p * max(1 - theta * p, 0) / n1 + theta**2 * p * (1 - p) / n2
            variance += w**2 * own * (mp.mpf(n1 + n2) / (n1 + n2 - 1) if corrected else 1)
        if variance <= 0:
            return mp.sign(distance) * mp.inf if distance else mp.mpf(0)
        return distance / mp.sqrt(variance)

    low = 0.0 if test == 0 else outermost(lambda u: score(u) - z, -15)
    high = None if base == 0 else outermost(lambda u: score(u) + z, 15)
    return (float(test / base) if base else None), [low, high]


def sato(rows, delta):
    """The variance of the Mantel-Haenszel difference under a difference delta; a, c are events, test and base."""
    weight = sum(mp.mpf(n1) * n2 / (n1 + n2) for c, n2, a, n1 in rows)
    total = mp.mpf(0)
    for c, n2, a, n1 in rows:
        s, t = mp.mpf(n1) / (n1 + n2), mp.mpf(n2) / (n1 + n2)
        total += delta * (c * s**2 - a * t**2 + s * t * (t - s) * (n1 + n2) / 2)
        total += (a * t * (1 - mp.mpf(c) / n2) + c * s * (1 - mp.mpf(a) / n1)) / 2
    return total / weight**2


def difference_interval(rows, level):
    rows = [row for row in rows if row[1] and row[3]]
    if not rows:
        return None, [None, None]
    z = mp.sqrt(2) * mp.erfinv(mp.mpf(level))
    weight = sum(mp.mpf(n1) * n2 / (n1 + n2) for c, n2, a, n1 in rows)
    d = sum(mp.mpf(n1) * n2 / (n1 + n2) * (mp.mpf(a) / n1 - mp.mpf(c) / n2) for c, n2, a, n1 in rows) / weight
    # Each stratum without an event or with nothing but events: no variance to tell.
    if all(row[0] + row[2] in (0, row[1] + row[3]) for row in rows):
        return float(d), [None, None]
    # Kept while (d - delta)^2 <= z^2 V(delta); it opens upwards, so one crossing on either side.
    kept = lambda delta: z**2 * sato(rows, delta) - (d - delta) ** 2
    low, high = bisect(lambda x: kept(d - x), 0, 4, 100), bisect(lambda x: kept(d + x), 0, 4, 100)
    return float(d), [float(max(-1, d - low)), float(min(1, d + high))]


def room(rows):
    below = above = mp.mpf(0)
    for y2, n2, y1, n1 in rows:
        if n1 and n2:
            law = hypergeom(n1 + n2, y1 + y2, n1)
            least, greatest = (int(x) for x in law.support())
            mean = mp.fsum(x * mp.mpf(float(law.pmf(x))) for x in range(least, greatest + 1))
            below, above = below + mean - least, above + greatest - mean
    return float(max(min(below, above), 0))


def main():
    draw = random.Random(31)
    inputs = [
        [(4, 24, 0, 24)], [(0, 24, 4, 24)], [(0, 1, 0, 1)], [(1, 1, 1, 1)], [(1, 1, 0, 1)], [(0, 1, 1, 1)],
        [(20, 20, 20, 20)], [(20, 20, 19, 20)], [(3, 8, 0, 0)], [(0, 0, 0, 0)], [(0, 12, 0, 9), (0, 3, 0, 3)],
        [(12, 12, 9, 9), (3, 3, 3, 3)], [(0, 5, 3, 5), (0, 4, 1, 9)], [(5, 5, 0, 5), (4, 4, 0, 4)],
        [(1, 1, 0, 1)] * 12, [(0, 1, 1, 1), (1, 1, 0, 1), (0, 1, 1, 1)], [(0, 5, 0, 5), (2, 7, 5, 6)],
        [(5, 5, 5, 5), (1, 3, 2, 3)], [(0, 8, 0, 9), (0, 2, 0, 7), (7, 7, 2, 2)], [(500, 10000, 400, 10000), (30, 9000, 60, 9500)], [(1, 1000, 1000, 1000)],
        # The third: sides of unequal size, and all trials of a stratum with events. At 99 %, which is its place's
        # level, a ratio of 1 is rejected and ratios on both sides of it are not.
        [(9, 9, 4, 4)], [(2, 5, 7, 7)], [(13, 13, 15, 15), (1, 1, 0, 11)],
    ]
    while len(inputs) < 110:
        most = draw.choice([3, 12, 60, 3000])
        rows = []
        for _ in range(draw.randint(1, 7)):
            n2, n1 = draw.randint(0 if draw.random() < 0.1 else 1, most), draw.randint(1, most)
            p2, p1 = draw.choice([0, 0.02, 0.2, 0.6, 1]), draw.choice([0, 0.02, 0.2, 0.6, 0.95, 1])
            rows.append((sum(draw.random() < p2 for _ in range(n2)), n2, sum(draw.random() < p1 for _ in range(n1)), n1))
        inputs.append(rows)
    cases = []
    for i, rows in enumerate(inputs):
        level = [0.95, 0.9, 0.99][i % 3]
        ratio, ratio_bounds = ratio_interval(rows, level)
        difference, bounds = difference_interval(rows, level)
        case = {"strata": rows, "level": level, "ratio": ratio, "ratio_interval": ratio_bounds,
                "difference": difference, "difference_interval": bounds, "room": room(rows)}
        if len(rows) == 1:
            case["koopman"] = ratio_interval(rows, level, corrected=False)[1]
        cases.append(case)
    write("golden/strata_score.json", ["scipy", "mpmath"], "rows are base_k, base_n, test_k, test_n", cases)


main()
