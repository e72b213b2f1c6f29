"""The laws behind the exact tests, far out. Usage: python tails.py; writes golden/tails.json.

Binomial masses and tails, hypergeometric masses and tails, and Fisher's noncentral ones, with mpmath at 50 digits:
sums of exact integer coefficients where counts are small, else log-gamma and the incomplete beta function.
"""

import random
from math import comb

import mpmath as mp

from cases import write

mp.mp.dps = 50


def ln_choose(n, k):
    return mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)


def binomial(k, n, p):
    p = mp.mpf(p)
    ln_pmf = ln_choose(n, k) + (k * mp.log(p) if k else 0) + ((n - k) * mp.log1p(-p) if n > k else 0)
    if n <= 400:
        masses = [comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)]
        at_most, at_least = mp.fsum(masses[: k + 1]), mp.fsum(masses[k:])
    else:
        # Outwards from k: the terms fall at least geometrically on the far side; the other side is what remains.
        def walk(direction):
            term = total = mp.exp(ln_pmf)
            x = k
            while 0 <= x + direction <= n and term > total * mp.mpf(10) ** -40:
                if direction > 0:
                    term *= mp.mpf(n - x) / (x + 1) * p / (1 - p)
                else:
                    term *= mp.mpf(x) / (n - x + 1) * (1 - p) / p
                x += direction
                total += term
            return total

        if k > n * p:
            at_least = walk(1)
            at_most = 1 - at_least + mp.exp(ln_pmf)
        else:
            at_most = walk(-1)
            at_least = 1 - at_most + mp.exp(ln_pmf)
    return {"k": k, "n": n, "p": float(p), "ln_pmf": float(ln_pmf), "at_most": float(at_most), "at_least": float(at_least)}


def hypergeometric(base_n, test_n, total, x, omega):
    least, greatest = max(0, total - base_n), min(total, test_n)
    weights = [mp.mpf(comb(test_n, y) * comb(base_n, total - y)) for y in range(least, greatest + 1)]
    everything = mp.fsum(weights)
    w = mp.mpf(omega)
    tilted = [m * w ** (y - least) for m, y in zip(weights, range(least, greatest + 1))]
    all_tilted, at = mp.fsum(tilted), x - least
    return {"base_n": base_n, "test_n": test_n, "total": total, "x": x, "omega": omega,
            "ln_pmf": float(mp.log(weights[at] / everything)),
            "at_most": float(mp.fsum(weights[: at + 1]) / everything), "at_least": float(mp.fsum(weights[at:]) / everything),
            "ln_tails": [float(mp.log(mp.fsum(tilted[: at + 1]) / all_tilted)), float(mp.log(mp.fsum(tilted[at:]) / all_tilted))],
            "mean": float(mp.fsum(y * m for m, y in zip(tilted, range(least, greatest + 1))) / all_tilted)}


def main():
    draw = random.Random(61)
    one = [binomial(k, n, p) for k, n, p in [(0, 1, 0.5), (1, 1, 0.5), (0, 24, 1e-9), (24, 24, 1e-9), (1, 10**6, 1e-9),
           (3, 10**9, 1e-9), (0, 10**9, 1e-9), (60, 10**9, 1e-9), (10**6, 10**9, 0.000998), (150, 300, 0.999999)]]
    while len(one) < 120:
        n = draw.choice([1, 2, 10, 24, 100, 300, 5000, 10**6])
        p = draw.choice([1e-12, 1e-4, 0.03, 0.25, 0.5, 0.8, 0.9999])
        # Near the mean, and anywhere.
        k = min(n, max(0, round(draw.gauss(n * p, 4 * (n * p * (1 - p)) ** 0.5 + 1))))
        one.append(binomial(k if n > 400 else draw.choice([k, draw.randint(0, n)]), n, p))
    two = []
    while len(two) < 120:
        most = draw.choice([1, 3, 24, 24, 200, 2000])
        base_n, test_n = draw.randint(1, most), draw.randint(1, most)
        total = draw.choice([0, 1, base_n + test_n, draw.randint(0, base_n + test_n)])
        least, greatest = max(0, total - base_n), min(total, test_n)
        x = draw.choice([least, greatest, draw.randint(least, greatest)])
        two.append(hypergeometric(base_n, test_n, total, x, draw.choice([1.0, 1e-6, 0.1, 0.7, 3.0, 1e4])))
    write("golden/tails.json", ["mpmath"], "first the binomial cases, then the hypergeometric ones", one + two)


main()
