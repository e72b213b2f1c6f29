"""Golden values for `stat power`. Usage: python power.py; writes golden/power.json.

- two proportions: the test's p-value of every table, the power as the sum of the tables' binomial
  probabilities (scipy) where p is at or below the error rate. fisher and fisher-mid-p: p in rational
  arithmetic, so that p = 1/20 is at 5 %; boschloo and barnard: as two_by_two.py computes them, here for
  all tables of one n at once. No region is assumed to be convex or symmetric. The answer to "how many"
  is read off the powers: the n after the last that falls short, up to a limit.
- width of an interval: the mean over all counts (scipy's binomial) of the interval's width; wilson by
  statsmodels, clopper-pearson and jeffreys by scipy's beta, mid-p by brentq, as proportion.py does.
- 0 of n: powers of 1 - p in rational arithmetic.
- events for a hazard ratio: Schoenfeld's formula with mpmath.
"""

from decimal import Decimal
from fractions import Fraction
from math import comb

import mpmath as mp
import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import beta, binom
from statsmodels.stats.proportion import proportion_confint

from cases import write

mp.mp.dps = 30
SIDES = ["two-sided", "less", "greater"]


def conditional(n, mid):
    """p of every table x1, x2 of n a side, by side: rational."""
    out = {side: {} for side in SIDES}
    for total in range(2 * n + 1):
        support = range(max(0, total - n), min(total, n) + 1)
        ways = {x: comb(n, x) * comb(n, total - x) for x in support}
        whole = sum(ways.values())
        for x2 in support:
            here = ways[x2]
            p = {
                "two-sided": sum(w for w in ways.values() if w <= here),
                "less": sum(w for x, w in ways.items() if x <= x2),
                "greater": sum(w for x, w in ways.items() if x >= x2),
            }
            equal = sum(w for w in ways.values() if w == here)
            for side in SIDES:
                same = equal if side == "two-sided" else here
                out[side][total - x2, x2] = Fraction(2 * p[side] - same * mid, 2 * whole)
    return out


GRID = np.sin(np.linspace(0, np.pi / 2, 4001)) ** 2


def suprema(n, order):
    """For every table: the greatest probability, over a common pi, of the tables that `order` puts no later.
    Between two points of the grid a top is found by a parabola through three."""
    ordered = sorted(order, key=order.get)
    masses = binom.pmf(np.arange(n + 1), n, GRID[:, None])
    sums, out, i = np.zeros(len(GRID)), {}, 0
    while i < len(ordered):
        j = i
        while j < len(ordered) and order[ordered[j]] == order[ordered[i]]:
            x1, x2 = ordered[j]
            sums = sums + masses[:, x1] * masses[:, x2]
            j += 1
        at = int(sums.argmax())
        top = sums[at]
        if 0 < at < len(GRID) - 1:
            a, b, c = sums[at - 1], sums[at], sums[at + 1]
            if a - 2 * b + c < 0:
                top = b - (a - c) ** 2 / (8 * (a - 2 * b + c))
        for table in ordered[i:j]:
            out[table] = min(float(top), 1.0)
        i = j
    return out


def boschloo(n):
    one = conditional(n, 0)
    p = {side: suprema(n, one[side]) for side in ("less", "greater")}
    p["two-sided"] = {t: min(1.0, 2 * min(p["less"][t], p["greater"][t])) for t in p["less"]}
    return p


def barnard(n):
    def score(x1, x2):
        """The squared pooled z with its sign, up to a common factor."""
        d, k = x2 - x1, x1 + x2
        v = k * (2 * n - k)
        return Fraction(d * abs(d), v) if v else Fraction(0)

    z = {(a, b): score(a, b) for a in range(n + 1) for b in range(n + 1)}
    keys = {"less": z, "greater": {t: -s for t, s in z.items()}, "two-sided": {t: -abs(s) for t, s in z.items()}}
    return {side: suprema(n, keys[side]) for side in SIDES}


TESTS = {
    "fisher": lambda n: conditional(n, 0),
    "fisher-mid-p": lambda n: conditional(n, 1),
    "boschloo": boschloo,
    "barnard": barnard,
}
MOST = {"fisher": 40, "fisher-mid-p": 40, "boschloo": 40, "barnard": 40}

DESIGNS = [  # base, test, alternative
    (0.5, 0.1, "two-sided"), (0.5, 0.1, "less"), (0.05, 0.6, "greater"), (0.05, 0.6, "two-sided"),
    (1.0, 0.4, "two-sided"), (0.0, 0.3, "greater"), (1.0, 0.0, "two-sided"), (0.02, 0.3, "two-sided"),
    (0.8, 0.5, "less"), (0.001, 0.999, "two-sided"),
]
LEVELS = ["0.95", "0.9", "0.99", "0.8"]


def two_proportions():
    out = []
    for name, test in TESTS.items():
        tables = {n: test(n) for n in range(1, MOST[name] + 1)}
        for i, (base, other, side) in enumerate(DESIGNS):
            for level in LEVELS if i < 4 else LEVELS[:1]:
                alpha = 1 - Fraction(level)
                powers = []
                for n, p in tables.items():
                    rejects = np.zeros((n + 1, n + 1))
                    for (x1, x2), value in p[side].items():
                        if isinstance(value, float):
                            # A supremum is not rational; none may lie so close that its rounding decides.
                            assert abs(value - alpha) > 1e-9 or abs(value - float(alpha)) < 1e-15, (name, n, x1, x2, value)
                            rejects[x1, x2] = value <= float(alpha) + 1e-15
                        else:
                            rejects[x1, x2] = value <= alpha
                    x = np.arange(n + 1)
                    powers.append(float(binom.pmf(x, n, base) @ rejects @ binom.pmf(x, n, other)))
                out.append({"kind": "two-proportions", "test": name, "base": base, "other": other,
                            "alternative": side, "level": float(level), "powers": powers})
    return out


def interval(k, n, level, method):
    alpha = 1 - level
    if method == "wilson":
        low, high = proportion_confint(k, n, alpha, "wilson")
    elif method == "mid-p":
        def excess(u, half):
            p = expit(u)
            return binom.sf(k, n, p) + 0.5 * binom.pmf(k, n, p) - half
        low = expit(brentq(excess, -40, 40, args=(alpha / 2,), xtol=1e-13)) if k else 0.0
        high = expit(brentq(excess, -40, 40, args=(1 - alpha / 2,), xtol=1e-13)) if k < n else 1.0
    else:
        a = 0.0 if method == "clopper-pearson" else 0.5
        b = 1.0 if method == "clopper-pearson" else 0.5
        low = beta.ppf(alpha / 2, k + a, n - k + b) if k else 0.0
        high = beta.isf(alpha / 2, k + b, n - k + a) if k < n else 1.0
    return (float(high) if k < n else 1.0) - (float(low) if k else 0.0)


def widths():
    out = []
    for method in ["wilson", "clopper-pearson", "jeffreys", "mid-p"]:
        for level in [0.95, 0.9]:
            table = {}
            for n in range(1, 151):
                table[n] = np.array([interval(k, n, level, method) for k in range(n + 1)])
            for p in [0.0, 0.03, 0.5, 0.9, 1.0]:
                expected = [float(binom.pmf(np.arange(n + 1), n, p) @ w) for n, w in table.items()]
                for width in [0.95, 0.5, 0.2, 0.16]:
                    # 0.95 is met exactly by one trial at 90 %.
                    reached = [n for n, mean in zip(table, expected) if mean <= width * (1 + 1e-12)]
                    if reached:
                        n = reached[0]
                        out.append({"kind": "width", "interval": method, "level": level, "p": p, "width": width,
                                    "n": n, "expected_width": expected[n - 1]})
    return out


def none_of_n():
    out = []
    for p in ["0.9", "0.5", "0.25", "0.1", "0.05", "0.0123", "0.004", "0.0007"]:
        for level in ["0.95", "0.99", "0.5", "0.875", "0.9"]:
            q, n, alpha = 1 - Fraction(p), 1, 1 - Fraction(level)
            while q**n > alpha:
                n += 1
            bound = 1 - mp.power(mp.mpf(alpha.numerator) / alpha.denominator, mp.mpf(1) / n)
            out.append({"kind": "none-of-n", "p": float(p), "level": float(level), "n": n, "at_most": float(bound)})
    return out


def hazard_ratios():
    out = []
    quantile = lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1)
    for ratio in ["0.1", "0.5", "0.8", "0.99", "1.25", "2", "40"]:
        for share in ["0.5", "0.3", "0.01"]:
            for level, power in [("0.95", "0.8"), ("0.9", "0.95"), ("0.99", "0.5")]:
                for side in ["two-sided", "less" if Decimal(ratio) < 1 else "greater"]:
                    tail = (1 - mp.mpf(level)) / (2 if side == "two-sided" else 1)
                    z = quantile(1 - tail)
                    each = mp.sqrt(mp.mpf(share) * (1 - mp.mpf(share))) * abs(mp.log(mp.mpf(ratio)))
                    events = max(mp.ceil(((z + quantile(mp.mpf(power))) / each) ** 2), 1)
                    out.append({"kind": "hazard-ratio", "hazard_ratio": float(ratio), "share": float(share),
                                "level": float(level), "target": float(power), "alternative": side, "events": int(events),
                                "power": float(mp.ncdf(mp.sqrt(events) * each - z))})
    return out


def main():
    write("golden/power.json", ["scipy", "statsmodels", "mpmath", "numpy"],
          "exact power by n = 1, 2, ... a side; trials for a width, for 0 of n; events for a hazard ratio",
          two_proportions() + widths() + none_of_n() + hazard_ratios())


main()
