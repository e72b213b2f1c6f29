"""Inputs and output shared by the oracle scripts: seeded, so a run can be repeated."""

import itertools
import json
import math
import platform
import random
import statistics
from fractions import Fraction
from importlib.metadata import version


def tables(count, most, seed):
    """Two-by-two tables k1, n1, k2, n2: the extremes first, then random ones."""
    out = []
    for n1, n2 in [(1, 1), (1, 5), (5, 1), (3, 7), (10, 10), (24, 24), (8, 30)]:
        for k1 in sorted({0, 1, n1 // 2, n1}):
            for k2 in sorted({0, 1, n2 // 2, n2}):
                out.append((k1, n1, k2, n2))
    draw = random.Random(seed)
    while len(out) < count:
        n1, n2 = draw.randint(1, most), draw.randint(1, most)
        p1 = draw.choice([0.01, 0.1, 0.3, 0.5, 0.8, 0.99])
        p2 = draw.choice([p1, 0.05, 0.5, 0.9])
        k1 = sum(draw.random() < p1 for _ in range(n1))
        k2 = sum(draw.random() < p2 for _ in range(n2))
        out.append((k1, n1, k2, n2))
    return list(dict.fromkeys(out))


def medians(values):
    """The law of the median of a resample: all n^n of them, by multiplicities."""
    n, law = len(values), {}
    for counts in itertools.product(range(n + 1), repeat=n):
        if sum(counts) != n:
            continue
        ways = math.factorial(n)
        for c in counts:
            ways //= math.factorial(c)
        resample = [v for v, c in zip(values, counts) for _ in range(c)]
        m = statistics.median(resample)
        law[m] = law.get(m, 0) + Fraction(ways, n**n)
    return law


def bisect(f, low, high, steps=70):
    """The zero of a falling f, in mpmath's precision."""
    import mpmath as mp

    low, high = mp.mpf(low), mp.mpf(high)
    for _ in range(steps):
        middle = (low + high) / 2
        if f(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def write(path, packages, what, cases):
    """Writes the golden values, a case a line, with the versions that made them."""
    head = {"python": platform.python_version()} | {name: version(name) for name in packages}
    with open(path, "w") as file:
        file.write('{"made_by": %s,\n "what": %s,\n "cases": [\n' % (json.dumps(head), json.dumps(what)))
        file.write(",\n".join(json.dumps(case, allow_nan=False) for case in cases))
        file.write("\n]}\n")
