"""The non-decreasing estimate over threads. Usage: python isotonic.py; writes golden/isotonic.json.

By the max-min formula over all runs of neighbours in rational arithmetic (Robertson, Wright and Dykstra 1988, 1.4),
which pools nothing; checked here against scipy.optimize.isotonic_regression with the trials as weights.
"""

import random
from fractions import Fraction

from scipy.optimize import isotonic_regression

from cases import write


def estimate(n, k):
    mean = lambda i, j: Fraction(sum(k[i : j + 1]), sum(n[i : j + 1]))
    rows = range(len(n))
    return [max(min(mean(i, j) for j in rows if j >= at) for i in rows if i <= at) for at in rows]


def main():
    draw = random.Random(71)
    inputs = [([10] * 8, [0, 0, 0, 1, 8, 10, 9, 10]), ([1, 1], [1, 0]), ([1, 1], [0, 1]), ([5] * 4, [0] * 4),
              ([5] * 4, [5] * 4), ([10] * 5, [10, 9, 5, 1, 0]), ([10**9, 1, 10**9], [10**9, 0, 1]), ([3, 5], [1, 2])]
    while len(inputs) < 80:
        size, most = draw.randint(2, 12), draw.choice([1, 3, 24, 1000])
        n = [draw.randint(1, most) for _ in range(size)]
        p = sorted(draw.random() for _ in range(size)) if draw.random() < 0.6 else [draw.random()] * size
        inputs.append((n, [sum(draw.random() < q for _ in range(m)) for m, q in zip(n, p)]))
    cases = []
    for n, k in inputs:
        p = estimate(n, k)
        theirs = isotonic_regression([b / a for a, b in zip(n, k)], weights=n).x
        assert all(abs(float(x) - y) < 1e-9 for x, y in zip(p, theirs)), (n, k)
        cases.append({"n": n, "k": k, "p": [float(x) for x in p]})
    write("golden/isotonic.json", ["scipy"], "k stalled of n trials at ascending thread counts", cases)


main()
