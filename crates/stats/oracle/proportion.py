"""Golden values for one proportion. Usage: python proportion.py; writes golden/proportion.json.

Wilson is statsmodels'; Clopper-Pearson and Jeffreys are scipy's Beta quantiles, Jeffreys with its ends at 0 for
0 of n and at 1 for n of n (Brown, Cai, DasGupta 2001), checked here against statsmodels; mid-P is solved by
brentq on scipy's Beta and binomial functions, in log-odds.
"""

import random

from numpy import exp, log
from scipy.optimize import brentq
from scipy.special import log_expit
from scipy.stats import beta, binom
from statsmodels.stats.proportion import proportion_confint

from cases import write


def quantiles(a, b, c, d, alpha):
    return [float(beta.ppf(alpha / 2, a, b)), float(beta.isf(alpha / 2, c, d))]


def mid_lower(k, n, half):
    """Where P(X > k) + P(X = k) / 2 = half; the upper bound is its mirror, as a complement."""
    if k == 0:
        return 0.0, 1.0

    def excess(u):
        p = exp(log_expit(u))
        value = binom.sf(k, n, p) + 0.5 * binom.pmf(k, n, p)
        return (log(value) if value > 0 else -1e4) - log(half)

    u = brentq(excess, -60, 60, xtol=1e-14, rtol=1e-14)
    return float(exp(log_expit(u))), float(exp(log_expit(-u)))


def main():
    inputs = [(0, 1), (1, 1), (0, 2), (1, 2), (8, 10), (0, 24), (4, 24), (24, 24), (1, 1000), (999, 1000)]
    draw = random.Random(5)
    while len(inputs) < 170:
        n = draw.choice([draw.randint(1, 40), draw.randint(1, 500), draw.randint(1, 100000)])
        inputs.append((draw.choice([0, 1, n, draw.randint(0, n)]), n))
    big = [(0, 10**6), (1, 10**6), (37, 10**6), (499999, 10**6), (10**6, 10**6), (999990, 10**6), (2, 10**9), (0, 10**9)]
    cases = []
    for k, n in list(dict.fromkeys(inputs)) + big:
        level = draw.choice([0.95, 0.95, 0.9, 0.99, 0.5, 0.9999])
        alpha = 1 - level
        case = {"k": k, "n": n, "level": level}
        low, high = proportion_confint(k, n, alpha, "wilson")
        case["wilson"] = [float(low) if k else 0.0, float(high) if k < n else 1.0]
        case["clopper-pearson"] = quantiles(k or 1, n - k + 1, k + 1, n - k or 1, alpha)
        case["jeffreys"] = quantiles(k + 0.5, n - k + 0.5, k + 0.5, n - k + 0.5, alpha)
        for kind, method in [("clopper-pearson", "beta"), ("jeffreys", "jeffreys")]:
            for i, theirs in enumerate(proportion_confint(k, n, alpha, method)):
                assert theirs != theirs or k in (0, n) or abs(case[kind][i] - theirs) <= 1e-9 * theirs, case
            case[kind] = [case[kind][0] if k else 0.0, case[kind][1] if k < n else 1.0]
        case["mid-p"] = [mid_lower(k, n, alpha / 2)[0], mid_lower(n - k, n, alpha / 2)[1]]
        cases.append(case)
    write("golden/proportion.json", ["scipy", "statsmodels", "numpy"],
          "intervals of a proportion; ends at 0 of n and n of n are exact", cases)


main()
