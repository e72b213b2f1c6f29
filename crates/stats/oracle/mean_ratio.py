"""The mean ratio of medians over strata, its bootstrap law without chance. Usage: python mean_ratio.py; writes golden/mean_ratio.json.

Of each stratum and side every resample is enumerated, so the law of the geometric mean of the strata's ratios, test
over base, is known exactly. A percentile bound from R replicates lies between the law's quantiles at q - 6 and q + 6
standard errors, sqrt(q (1 - q) / R): that range is `low` and `high`, a single value where it lies within an atom.
"""

import itertools
import math
import random
import statistics
from fractions import Fraction

from cases import medians, write

REPLICATES = 50_000


def law_of(strata):
    """(value, probability) of the product of the strata's ratios, ascending; ties are exact."""
    law = {1: 1.0}
    for base, test in strata:
        ratios = {}
        for (x, p), (y, q) in itertools.product(medians(test).items(), medians(base).items()):
            ratios[x / y] = ratios.get(x / y, 0.0) + float(p * q)
        product = {}
        for (x, p), (y, q) in itertools.product(law.items(), ratios.items()):
            product[x * y] = product.get(x * y, 0.0) + p * q
        law = product
    return sorted(law.items())


def quantile(law, q):
    total = 0.0
    for value, p in law:
        total += p
        if total >= q:
            return value
    return law[-1][0]


def main():
    draw = random.Random(83)
    designs = [[(5, 5)], [(2, 2)], [(3, 3)] * 2, [(5, 5)] * 2, [(2, 7), (3, 3)], [(4, 4), (3, 5)], [(3, 3)] * 3, [(2, 2)] * 4,
               [(2, 3)] * 5, [(6, 3), (2, 2)]]
    cases = []
    for i in range(48):
        strata = []
        for j, sizes in enumerate(designs[i % len(designs)]):
            # Every third has ties.
            digits = 0 if i % 3 == 2 else 2
            side = lambda n, mu: [max(round(10 * draw.lognormvariate(mu, 0.4), digits), 1.0) for _ in range(n)]
            strata.append([side(sizes[0], j), side(sizes[1], j + draw.choice([0, 0.5]))])
        level = [0.95, 0.8, 0.5][i // len(designs) % 3]
        exact = [[[Fraction(str(x)) for x in side] for side in sides] for sides in strata]
        law = law_of(exact)
        mean = lambda product: math.exp(math.log(product) / len(strata))
        estimate = mean(math.prod(statistics.median(test) / statistics.median(base) for base, test in exact))
        bounds = []
        for q in ((1 - level) / 2, (1 + level) / 2):
            clear = 6 * math.sqrt(q * (1 - q) / REPLICATES)
            bounds.append([mean(quantile(law, q - clear)), mean(quantile(law, q + clear))])
        cases.append({"strata": strata, "level": level, "estimate": estimate, "low": bounds[0], "high": bounds[1],
                      "atoms": len(law)})
    what = "strata are [base, test]; low and high are where a bound of %d replicates lies" % REPLICATES
    write("golden/mean_ratio.json", [], what, cases)


main()
