"""Golden values for strata. Usage: python strata.py; writes golden/strata.json. R's own values: strata.R.

- odds ratio, its interval, cmh, breslow-day-tarone: statsmodels StratifiedTable over the informative strata.
- difference: the Mantel-Haenszel estimate with Klingenberg's interval by rational arithmetic up to the last
  square root, from the paper's formulas (no package here has it).
- exact-strata: rational convolution, tables at most as likely as the one seen.
"""

import random
from fractions import Fraction
from math import comb, isfinite, sqrt

import numpy as np
from scipy.stats import norm
from statsmodels.stats.contingency_tables import StratifiedTable

from cases import write


def klingenberg(strata, level):
    w = d = p = q = Fraction(0)
    for y2, n2, y1, n1 in strata:
        if n1 == 0 or n2 == 0:
            continue
        n = n1 + n2
        w += Fraction(n1 * n2, n)
        d += Fraction(y1 * n2 - y2 * n1, n)
        p += (Fraction(n1**2 * y2 - n2**2 * y1) + Fraction(n1 * n2 * (n2 - n1), 2)) / n**2
        q += Fraction(y1 * (n2 - y2) + y2 * (n1 - y1), 2 * n)
    if not w:
        return None, [None, None]
    d /= w
    if not q:
        return float(d), [None, None]
    z2 = Fraction(norm.isf((1 - level) / 2) ** 2)
    middle = d + z2 * p / (2 * w**2)
    square = middle**2 - d**2 + z2 * q / w**2
    if square <= 0:
        return float(d), [None, None]
    reach = sqrt(square)
    return float(d), [max(-1.0, float(middle) - reach), min(1.0, float(middle) + reach)]


def exact(strata):
    total, at, varies = {0: Fraction(1)}, 0, False
    for y2, n2, y1, n1 in strata:
        if n1 == 0 or n2 == 0:
            continue
        k = y1 + y2
        masses = {x: Fraction(comb(n1, x) * comb(n2, k - x), comb(n1 + n2, k)) for x in range(max(0, k - n2), min(k, n1) + 1)}
        varies |= len(masses) > 1
        after = {}
        for a, p in total.items():
            for b, m in masses.items():
                after[a + b] = after.get(a + b, 0) + p * m
        total, at = after, at + y1
    return float(sum(m for m in total.values() if m <= total[at])) if varies else None


def number(x):
    return float(x) if isfinite(x) else None


def main():
    draw = random.Random(11)
    inputs = [
        [(8, 10, 0, 10), (3, 10, 1, 10)],
        [(0, 0, 1, 3), (2, 9, 4, 9)],
        [(0, 5, 0, 5)],
        [(5, 5, 5, 5), (0, 3, 0, 3)],
        [(0, 5, 3, 5), (0, 4, 1, 9)],
        [(1, 1, 0, 1)] * 12,
        [(0, 1, 1, 1), (1, 1, 0, 1), (0, 1, 1, 1)],
        [(0, 10, 10, 10)],
        [(500, 10000, 400, 10000), (30, 9000, 60, 9500)],
    ]
    while len(inputs) < 220:
        most = draw.choice([3, 12, 60])
        rows = []
        for _ in range(draw.randint(1, 8)):
            n2, n1 = draw.randint(0 if draw.random() < 0.1 else 1, most), draw.randint(1, most)
            p2, p1 = draw.choice([0.02, 0.2, 0.6]), draw.choice([0.02, 0.2, 0.6, 0.95])
            rows.append((sum(draw.random() < p2 for _ in range(n2)), n2, sum(draw.random() < p1 for _ in range(n1)), n1))
        inputs.append(rows)
    cases = []
    for i, rows in enumerate(inputs):
        level = [0.95, 0.9, 0.99][i % 3]
        case = {"strata": rows, "level": level}
        case["difference"], case["difference_interval"] = klingenberg(rows, level)
        if max(n for _, n, _, _ in rows) < 1000:
            case["exact-strata"] = exact(rows)
        informative = [r for r in rows if r[1] > 0 and r[3] > 0 and 0 < r[0] + r[2] < r[1] + r[3]]
        if informative:
            table = StratifiedTable([np.array([[y1, n1 - y1], [y2, n2 - y2]], float) for y2, n2, y1, n1 in informative])
            with np.errstate(all="ignore"):
                odds = number(table.oddsratio_pooled)
                case["odds_ratio"] = odds
                case["cmh"] = [float(x) for x in (table.test_null_odds().statistic, table.test_null_odds().pvalue)]
                finite = odds is not None and odds > 0
                bounds = table.oddsratio_pooled_confint(1 - level) if finite else [None, None]
                case["odds_ratio_interval"] = [None if b is None else number(b) for b in bounds]
                tarone = table.test_equal_odds(adjust=True) if finite and len(informative) > 1 else None
                # statsmodels divides by a difference of odds; where that is exactly 0 it has no answer.
                if tarone is None or isfinite(tarone.statistic):
                    case["breslow-day-tarone"] = tarone and [float(tarone.statistic), float(tarone.pvalue)]
                else:
                    print("no answer of statsmodels to", rows, tarone.statistic)
        cases.append(case)
    write("golden/strata.json", ["scipy", "statsmodels", "numpy"], "rows are base_k, base_n, test_k, test_n", cases)


main()
