"""Expected values for `stat threshold`: golden/threshold.json.

Coefficients and isotonic steps are R's (threshold.R: brglm2 with type AS_mean, isoreg). Profile
intervals are computed here, apart from the product's way: the penalised likelihood is written out
over pairs of rows, a nuisance parameter is found by grids on the likelihood itself and not on its
derivative, bounds by scipy's brentq. Where the two ways once disagreed (the 106th case, the upper bound of T10, by a profile with two
maxima), mpmath with 30 digits and every maximum followed gave the value that is here.

Usage: python threshold.py     (numpy, scipy, mpmath; Rscript with brglm2, jsonlite)
"""

import json
import multiprocessing
import pathlib
import subprocess
import tempfile

import mpmath
import numpy as np
import scipy
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

HERE = pathlib.Path(__file__).resolve().parent


def cases():
    rng = np.random.default_rng(20250101)
    powers = [1, 2, 4, 8, 16, 32, 64, 128]
    out = [
        dict(threads=powers, n=[10] * 8, k=[0, 0, 0, 1, 8, 10, 9, 10]),
        dict(threads=powers, n=[10] * 8, k=[0, 0, 0, 0, 10, 10, 10, 10]),
        dict(threads=powers, n=[10] * 8, k=[0, 0, 0, 0, 0, 0, 0, 1]),
        dict(threads=[4, 8], n=[5, 5], k=[0, 5]),
        dict(threads=[4, 8, 16], n=[1, 1, 1], k=[0, 1, 1]),
        dict(threads=[4, 8, 16], n=[24, 24, 24], k=[0, 0, 0]),
        dict(threads=[4, 8, 16], n=[24, 24, 24], k=[24, 24, 24]),
        dict(threads=[4, 8, 16, 32], n=[10] * 4, k=[5, 5, 5, 6]),
        dict(threads=[4, 8, 16, 32], n=[10] * 4, k=[9, 6, 4, 0]),
        dict(threads=[90, 96, 100], n=[1000, 1000, 1000], k=[100, 500, 850]),
        dict(threads=[2, 96], n=[3, 200], k=[1, 190]),
    ]
    while len(out) < 160:
        m = int(rng.integers(2, 9))
        threads = sorted(int(t) for t in rng.choice(np.arange(1, 257), size=m, replace=False))
        n = [int(x) for x in rng.integers(1, rng.choice([4, 12, 60]), size=m)]
        slope, half = rng.choice([0.0, 0.5, 1.5, 4.0, 20.0]), rng.uniform(0, 8)
        p = 1 / (1 + np.exp(-slope * (np.log2(threads) - half)))
        k = [int(x) for x in rng.binomial(n, p)]
        out.append(dict(threads=threads, n=n, k=k))
    while len(out) < 240:
        # one or two trials a count: where the penalised likelihood has several maxima
        m = int(rng.integers(2, 13))
        threads = sorted(int(t) for t in rng.choice(np.arange(1, 257), size=m, replace=False))
        n = [int(x) for x in rng.integers(1, rng.choice([2, 3]), size=m)]
        slope, half = rng.choice([0.0, 1.5, 4.0]), rng.uniform(2, 8)
        p = 1 / (1 + np.exp(-slope * (np.log2(threads) - half)))
        out.append(dict(threads=threads, n=n, k=[int(x) for x in rng.binomial(n, p)]))
    for n in ([1, 1, 1], [1, 24, 200]):
        out.append(dict(threads=[8, 16, 96], n=n, k=[0, 0, 0]))
        out.append(dict(threads=[8, 16, 96], n=n, k=n))
    # Thread counts that come in several rows, one of them without a trial: R gets the sums.
    for case in out[:1] + out[20:30] + out[160:170]:
        rows = []
        for threads, n, k in zip(case["threads"], case["n"], case["k"]):
            first = int(rng.integers(0, n + 1))
            hits = int(rng.integers(max(0, k - (n - first)), min(k, first) + 1))
            rows += [[threads, first, hits], [threads, n - first, k - hits]]
        order = rng.permutation(len(rows))
        out.append(dict(case, rows=[rows[i] for i in order]))
    levels = [0.95, 0.9, 0.99, 0.5]
    for i, case in enumerate(out):
        case["level"] = levels[0] if i < 11 else levels[i % 4]
    return out


def penalised(case):
    x, n, k = (np.asarray(v, float) for v in (np.log2(case["threads"]), case["n"], case["k"]))
    i, j = np.triu_indices(len(x), 1)
    gaps = 2 * np.log(x[j] - x[i]) + np.log(n[i]) + np.log(n[j])

    def value(a, b):
        """At each of the curves a, b (scalars or arrays)."""
        eta = np.asarray(a)[..., None] + np.asarray(b)[..., None] * x
        ln_p, ln_q = -np.logaddexp(0, -eta), -np.logaddexp(0, eta)
        ln_w = ln_p + ln_q
        # the determinant as a sum over pairs of rows, without cancellation or underflow
        pairs = ln_w[..., i] + ln_w[..., j] + gaps
        top = pairs.max(axis=-1)
        ln_det = top + np.log(np.exp(pairs - top[..., None]).sum(axis=-1))
        return np.sum(k * ln_p + (n - k) * ln_q, axis=-1) + 0.5 * ln_det

    return value, x


def largest(f, places):
    """The maximum of f, which may have several: the best place of all, then finer and finer grids."""
    places = np.unique(places)
    i = int(np.argmax(f(places)))
    low, high = places[max(i - 1, 0)], places[min(i + 1, len(places) - 1)]
    for _ in range(10):
        places = np.linspace(low, high, 41)
        i = int(np.argmax(f(places)))
        low, high = places[max(i - 1, 0)], places[min(i + 1, 40)]
    return float(np.max(f(places)))


def bound(excess, start, step):
    inner = start
    for _ in range(200):
        outer = inner + step
        if excess(outer) > 0:
            return brentq(excess, inner, outer, xtol=1e-13, rtol=1e-14)
        inner, step = outer, step * 1.3
    return None


def highest(case, fit):
    """brglm2's fit, unless the penalised likelihood has a higher maximum elsewhere."""
    value, x = penalised(case)
    of_r = float(value(fit["intercept"], fit["slope"]))
    gap = np.diff(x).min()
    slopes = np.concatenate([-np.geomspace(0.01, 60 / gap, 80), [0], np.geomspace(0.01, 60 / gap, 80)])
    crossings = np.linspace(x[0] - 3, x[-1] + 3, 200)
    b, t = (grid.ravel() for grid in np.meshgrid(slopes, crossings))
    order = np.argsort(value(-b * t, b))[::-1]
    best = (of_r, fit["intercept"], fit["slope"])
    # the best place, and the best far from it
    for i in (order[0], order[50], order[250]):
        centre = x.mean()
        f = lambda v: -float(value(v[0] - v[1] * centre, v[1]))
        found = minimize(f, [-b[i] * t[i] + b[i] * centre, b[i]], method="Nelder-Mead",
                         options=dict(xatol=1e-12, fatol=1e-15, maxiter=20000, maxfev=20000))
        if -found.fun > best[0] + 1e-8:
            best = (-found.fun, found.x[0] - found.x[1] * centre, found.x[1])
    a, b = polished(case, *best[1:])
    return dict(value=float(value(a, b)), intercept=a, slope=b, value_of_brglm2=of_r)


def polished(case, a, b):
    """The zero of the penalised score nearest to a, b, by Newton's method with 40 digits: on a flat
    top brglm2 and a search by values stop some 1e-6 away."""
    mp = mpmath.mp.clone()
    mp.dps = 40
    x = [mp.log(t) / mp.log(2) for t in case["threads"]]
    rows = list(zip(x, case["n"], case["k"]))

    def value(a, b):
        out, weights = mp.mpf(0), []
        for at, n, k in rows:
            p, q = 1 / (1 + mp.exp(-a - b * at)), 1 / (1 + mp.exp(a + b * at))
            out += k * mp.log(p) + (n - k) * mp.log(q)
            weights.append(n * p * q)
        pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
        return out + mp.log(mp.fsum(weights[i] * weights[j] * (x[i] - x[j]) ** 2 for i, j in pairs)) / 2

    a, b, h = mp.mpf(a), mp.mpf(b), mp.mpf(10) ** -10
    for _ in range(30):
        at = {(i, j): value(a + i * h, b + j * h) for i in (-1, 0, 1) for j in (-1, 0, 1)}
        by_a, by_b = (at[1, 0] - at[-1, 0]) / (2 * h), (at[0, 1] - at[0, -1]) / (2 * h)
        aa = (at[1, 0] - 2 * at[0, 0] + at[-1, 0]) / h**2
        bb = (at[0, 1] - 2 * at[0, 0] + at[0, -1]) / h**2
        ab = (at[1, 1] - at[1, -1] - at[-1, 1] + at[-1, -1]) / (4 * h**2)
        det = aa * bb - ab**2
        step_a, step_b = (ab * by_b - bb * by_a) / det, (ab * by_a - aa * by_b) / det
        a, b = a + step_a, b + step_b
        if abs(step_a) + abs(step_b) < mp.mpf(10) ** -15:
            return float(a), float(b)
    raise ArithmeticError(f"no zero of the score near {a}, {b} in {case}")


def profile(case, fit):
    value, x = penalised(case)
    a, b = fit["intercept"], fit["slope"]
    best, allowed = float(value(a, b)), chi2.ppf(case["level"], 1)
    out = {}

    # The other coefficient at all places where the curve crosses one half near the rows, and others.
    crossings = np.linspace(x[0] - 4, x[-1] + 4, 500)
    others = np.linspace(-40, 40, 401)

    def of_slope(s):
        places = np.concatenate([-s * crossings, others])
        return 2 * (best - largest(lambda i: value(i, s), places)) - allowed

    def of_intercept(s):
        places = np.concatenate([-s / crossings[crossings > 0.05], others])
        return 2 * (best - largest(lambda i: value(s, i), places)) - allowed

    out["slope"] = [bound(of_slope, b, -0.1), bound(of_slope, b, 0.1)]
    out["intercept"] = [bound(of_intercept, a, -0.3), bound(of_intercept, a, 0.3)]

    for name, share in (("t10", 0.1), ("t50", 0.5), ("t90", 0.9)):
        lam = np.log(share / (1 - share))
        if b <= 0:
            out[name] = None
            continue
        t = (lam - a) / b
        if not x[0] - 64 <= t <= x[-1] + 64:
            out[name] = None
            continue

        def excess(t):
            # the slope on a logarithmic scale, refined around the best; and the flat curve
            us, width = np.linspace(-16, 12, 281), 0.1
            for _ in range(8):
                vs = value(lam - np.exp(us) * t, np.exp(us))
                centre = us[int(np.argmax(vs))]
                us, width = np.linspace(centre - width, centre + width, 41), width / 15
            return 2 * (best - max(np.max(vs), float(value(lam, 0.0)))) - allowed

        ends = []
        for sign, edge in ((-1, x[0] - 64), (1, x[-1] + 64)):
            # outwards in steps; the last crossing counts
            places, step = [t], 0.02
            while sign * (edge - places[-1]) > 0:
                nxt = places[-1] + sign * step
                places.append(nxt if sign * (edge - nxt) > 0 else edge)
                step *= 1.15
            kept = [excess(p) <= 0 for p in places]
            last = max(i for i, inside in enumerate(kept) if inside)
            ends.append(None if last == len(places) - 1 else
                        2 ** brentq(excess, places[last], places[last + 1], xtol=1e-12))
        out[name] = [2 ** t, *ends]
    return out


def answer(case, fit):
    top = highest(case, fit)
    return {**case, "fit": fit, "highest": top, "profile": profile(case, top)}


def main():
    inputs = cases()
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.json"), pathlib.Path(folder, "out.json")
        source.write_text(json.dumps(inputs))
        subprocess.run(["Rscript", HERE / "threshold.R", source, target], check=True)
        r = json.loads(target.read_text())
    with multiprocessing.Pool() as pool:
        results = pool.starmap(answer, zip(inputs, r["results"]), chunksize=1)
    versions = {**r["versions"], "numpy": np.__version__, "scipy": scipy.__version__,
                "mpmath": mpmath.__version__}
    lines = ",\n".join(json.dumps(result) for result in results)
    text = '{"versions": %s,\n"cases": [\n%s\n]}\n' % (json.dumps(versions), lines)
    (HERE / "golden" / "threshold.json").write_text(text)


if __name__ == "__main__":
    main()
