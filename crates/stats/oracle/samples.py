"""Expected values for `stat samples`: golden/samples.json.

Mann-Whitney, Brunner-Munzel and the BCa formula are scipy's; Hodges-Lehmann, its interval and the exact
permutation tests with ties are R's (samples.R). BCa is checked by giving scipy's own interval function
and the product the same replicates, which are stored.

Usage: python samples.py     (numpy, scipy; Rscript with coin, jsonlite)
"""

import json
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy
from scipy import stats
from scipy.stats import _resampling

HERE = pathlib.Path(__file__).resolve().parent


def cases():
    rng = np.random.default_rng(20250102)
    fast, slow = [52.8, 46.1, 36.3, 51.7, 49.6], [4.2, 4.5, 4.0, 5.1, 4.6]
    out = [(fast, slow), ([1.0], [2.0]), ([1.0, 2.0], [3.0]), ([5.0] * 4, [5.0] * 3),
           ([1.0, 1.0, 1.0, 2.0], [1.0, 2.0, 2.0, 2.0, 2.0]), ([0.0, 0.0, 1.0], [0.0, 2.0, 3.0])]
    while len(out) < 240:
        m, n = (int(x) for x in rng.integers(1, 26, size=2))
        shift = rng.choice([0.0, 0.3, 1.0, 4.0])
        spread = rng.choice([0.2, 1.0, 3.0])
        a = np.exp(rng.normal(shift, 1, m))
        b = np.exp(spread * rng.normal(0, 1, n))
        if len(out) % 3 == 0:
            a, b = np.round(a), np.round(b)
        else:
            a, b = np.round(a, 6), np.round(b, 6)
        out.append((a.tolist(), b.tolist()))
    # above the exact law
    for tied in (False, True):
        a, b = rng.normal(0.1, 1, 300), rng.normal(0, 1.5, 250)
        digits = 1 if tied else 9
        out.append((np.round(a, digits).tolist(), np.round(b, digits).tolist()))
    levels = [0.95, 0.9, 0.99, 0.8]
    return [dict(a=a, b=b, level=levels[0] if i < 6 else levels[i % 4])
            for i, (a, b) in enumerate(out)]


def finite(x):
    return float(x) if np.isfinite(x) else None


def by_scipy(case):
    a, b = case["a"], case["b"]
    out = {}
    exact = len(set(a + b)) == len(a + b) and len(a) <= 40 and len(b) <= 40
    sides = (("two_sided", "two-sided"), ("less", "less"), ("greater", "greater"))
    if exact or len(a) > 40:
        method = "exact" if exact else "asymptotic"
        out["mann_whitney"] = {"method": method, "u": float(stats.mannwhitneyu(a, b).statistic)}
        for name, side in sides:
            out["mann_whitney"][name] = float(
                stats.mannwhitneyu(a, b, alternative=side, method=method).pvalue)
    if len(a) > 1 and len(b) > 1:
        with np.errstate(all="ignore"):
            found = {name: stats.brunnermunzel(a, b, alternative=side) for name, side in sides}
        out["brunner_munzel"] = {"w": finite(found["two_sided"].statistic)}
        for name, _ in sides:
            out["brunner_munzel"][name] = (
                finite(found[name].pvalue) if out["brunner_munzel"]["w"] is not None else None)
    return out


def bca_cases():
    """scipy's BCa endpoints for given replicates of the ratio of medians."""
    rng = np.random.default_rng(20250103)
    ratio = lambda a, b, axis=-1: np.median(a, axis=axis) / np.median(b, axis=axis)
    out = []
    for i in range(60):
        m, n = (int(x) for x in rng.integers(3, 16, size=2))
        a = np.round(np.exp(rng.normal(1, 0.5, m)), 4)
        b = np.round(np.exp(rng.normal(0, 0.8, n)), 4)
        replicates = np.array([
            ratio(a[rng.integers(0, m, m)], b[rng.integers(0, n, n)]) for _ in range(199)])
        level = [0.95, 0.9, 0.5][i % 3]
        interval = _resampling._bca_interval(
            (a, b), ratio, axis=-1, alpha=(1 - level) / 2, theta_hat_b=replicates, batch=None,
            xp=np) if "xp" in _resampling._bca_interval.__code__.co_varnames else \
            _resampling._bca_interval(
            (a, b), ratio, axis=-1, alpha=(1 - level) / 2, theta_hat_b=replicates, batch=None)
        low, high, acceleration = interval
        out.append(dict(
            a=a.tolist(), b=b.tolist(), level=level, replicates=replicates.tolist(),
            acceleration=finite(np.asarray(acceleration).item()),
            percentile=[float(np.percentile(replicates, 100 * q))
                        for q in ((1 - level) / 2, (1 + level) / 2)],
            bca=[float(np.percentile(replicates, 100 * np.asarray(q).item())) for q in (low, high)]
            if np.isfinite(low) and np.isfinite(high) else [None, None]))
    return out


def main():
    inputs = cases()
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in.json"), pathlib.Path(folder, "out.json")
        source.write_text(json.dumps(inputs))
        subprocess.run(["Rscript", HERE / "samples.R", source, target], check=True)
        r = json.loads(target.read_text())
    results = [{**case, "scipy": by_scipy(case), "r": of_r}
               for case, of_r in zip(inputs, r["results"])]
    versions = {**r["versions"], "numpy": np.__version__, "scipy": scipy.__version__}
    rows = lambda items: ",\n".join(json.dumps(item) for item in items)
    text = '{"versions": %s,\n"cases": [\n%s\n],\n"bca": [\n%s\n]}\n' % (
        json.dumps(versions), rows(results), rows(bca_cases()))
    (HERE / "golden" / "samples.json").write_text(text)


if __name__ == "__main__":
    main()
