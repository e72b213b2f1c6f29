"""Posteriors under Jeffreys' prior, by mpmath and scipy: writes golden/posterior.json."""

import json
import sys

import mpmath
import scipy
from scipy import stats

TABLES = [(4, 24, 0, 24), (3, 24, 1, 72), (24, 24, 20, 24), (0, 24, 4, 24), (1, 300, 0, 300), (7, 9, 1, 1), (0, 5, 0, 500), (0, 1, 0, 1)]
NEXT = [(k, n, m) for k, n in [(0, 24), (8, 10), (10, 10), (4, 24), (1, 300), (0, 1), (1, 1)] for m in [1, 20, 1000]]


mpmath.mp.dps = 30


def lower_on_test(k1, n1, k2, n2):
    """The integral over p of the test side's distribution function times the base side's density."""
    half = mpmath.mpf("0.5")
    a1, b1, a2, b2 = k1 + half, n1 - k1 + half, k2 + half, n2 - k2 + half

    def integrand(x):
        density = x ** (a1 - 1) * (1 - x) ** (b1 - 1) / mpmath.beta(a1, b1)
        return mpmath.betainc(a2, b2, 0, x, regularized=True) * density

    middles = sorted({k1 / n1, k2 / n2} - {0, 1})
    return float(mpmath.quad(integrand, [0, *middles, 1]))


def next_at_most(k, n, m, level):
    return int(stats.betabinom(m, k + 0.5, n - k + 0.5).ppf(level))


golden = {
    "versions": {"python": sys.version.split()[0], "scipy": scipy.__version__, "mpmath": mpmath.__version__},
    "lower_on_test": [{"table": table, "probability": lower_on_test(*table)} for table in TABLES],
    "next_at_most": [
        {"k": k, "n": n, "of": m, "level": level, "at_most": next_at_most(k, n, m, level)}
        for k, n, m in NEXT
        for level in [0.5, 0.95, 0.999]
    ],
}
with open("golden/posterior.json", "w") as file:
    json.dump(golden, file, indent=1)
    file.write("\n")
