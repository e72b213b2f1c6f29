"""Golden values of survival statistics from lifelines, statsmodels and scipy.

    python survival.py > survival_python.json     (after survival.R: it takes its inputs from there)

Where no library computes a thing (Turnbull to full convergence, the beta product), the code here is
written from the papers, by another algorithm than the crate's.
"""

import json
import math
import sys
import warnings
from pathlib import Path

import lifelines
import numpy as np
import scipy
import statsmodels
from lifelines.statistics import multivariate_logrank_test
from scipy import optimize, special, stats
from statsmodels.duration.survfunc import survdiff

warnings.simplefilter("ignore")
HERE = Path(__file__).parent
GOLDEN = json.loads((HERE / "survival_r.json").read_text())
RNG = np.random.default_rng(20250711)


def number(x):
    x = float(x)
    return x if math.isfinite(x) else None


def rank_tests(case):
    """lifelines' weights are those of the pooled curve just before each time; two groups or more."""
    time, event, group = (np.array(case[key]) for key in ("time", "event", "group"))
    if event.sum() == 0 or len(set(group)) < 2:
        return []
    tests = []
    for name, keywords in (
        ("gehan-wilcoxon", {"weightings": "wilcoxon"}),
        ("fleming-harrington", {"weightings": "fleming-harrington", "p": 0.5, "q": 1.0}),
        ("fleming-harrington", {"weightings": "fleming-harrington", "p": 0.0, "q": 2.0}),
    ):
        try:
            result = multivariate_logrank_test(time, group, event, **keywords)
        except Exception:  # a singular variance
            continue
        tests.append(
            {
                "method": name,
                "rho": keywords.get("p"),
                "gamma": keywords.get("q"),
                "statistic": number(result.test_statistic),
                "p_value": number(result.p_value),
            }
        )
    if len(set(group)) == 2:
        try:
            statistic, p_value = survdiff(time, event, group, weight_type="gb")
            tests.append(
                {
                    "method": "gehan-wilcoxon",
                    "rho": None,
                    "gamma": None,
                    "statistic": number(statistic),
                    "p_value": number(p_value),
                }
            )
        except Exception:
            pass
    return tests


def exponential(case):
    time, event = np.array(case["time"]), np.array(case["event"])
    d, total, level = event.sum(), time.sum(), case["level"][0]
    if total == 0:
        return None
    half = (1 - level) / 2
    low = stats.chi2.ppf(half, 2 * d) / (2 * total) if d else 0.0
    high = stats.chi2.isf(half, 2 * d if d == len(time) else 2 * d + 2) / (2 * total)
    return {"rate": d / total, "low": low, "high": high}


def beta_product(case):
    """Fay, Brittain and Proschan (2013), method of moments, trial by trial and in logs."""
    time, event, level = np.array(case["time"]), np.array(case["event"]), case["level"][0]
    half = (1 - level) / 2

    def quantile(logs, p):
        if not logs:
            return 1.0
        mean = math.exp(sum(math.log(a / (a + 1)) for a in logs))
        square = math.exp(sum(math.log(a / (a + 2)) for a in logs))
        size = (mean - square) / (square - mean**2)
        return float(stats.beta.ppf(p, mean * size, (1 - mean) * size))

    low, high = [], []
    for at in np.unique(time):
        # One factor Beta(y, 1) an event, y being at risk as if tied events came one by one.
        factors = []
        for u in np.unique(time[(time <= at) & (event == 1)]):
            y, d = int((time >= u).sum()), int(((time == u) & (event == 1)).sum())
            factors += [y - i for i in range(d)]
        left = int((time >= at).sum() - ((time == at) & (event == 1)).sum())
        high.append(quantile(factors, 1 - half))
        low.append(quantile(factors + [left], half) if left else 0.0)
    return {"low": low, "high": high}


def turnbull(left, right):
    """The maximum of the log-likelihood over masses on all gaps between edges, by EM and then
    SLSQP; right None is infinity, intervals are (left, right], equal edges a point."""
    n = len(left)
    edges = sorted({x for x in left if x is not None} | {x for x in right if x is not None})
    # Candidate atoms: every edge itself, every open gap between edges, and beyond the last.
    atoms = [("gap", -1.0, edges[0])] if edges[0] > 0 else []
    for i, edge in enumerate(edges):
        atoms.append(("point", edge, edge))
        atoms.append(("gap", edge, edges[i + 1] if i + 1 < len(edges) else math.inf))
    covers = np.zeros((n, len(atoms)))
    for i, (l, r) in enumerate(zip(left, right)):
        l, r = (-1.0 if l in (None, 0.0) else l), (math.inf if r is None else r)
        for j, (kind, a, b) in enumerate(atoms):
            if l == r:
                covers[i, j] = kind == "point" and a == l
            elif kind == "point":
                covers[i, j] = l < a <= r
            else:
                covers[i, j] = l <= a and b <= r
    covers = covers[:, covers.sum(0) > 0]
    covers = np.unique(covers, axis=1)
    # Atoms covered by a subset of another's trials never carry mass that the other would not.
    keep = [
        j
        for j in range(covers.shape[1])
        if not any(
            k != j and np.all(covers[:, j] <= covers[:, k]) for k in range(covers.shape[1])
        )
    ]
    a = covers[:, keep]
    p = np.full(a.shape[1], 1 / a.shape[1])
    for _ in range(20000):
        p = p * (a / (a @ p)[:, None]).mean(0)
    best = np.log(a @ p).sum()
    if a.shape[1] > 1:
        polished = optimize.minimize(
            lambda p: -np.log(np.maximum(a @ p, 1e-300)).sum(),
            p,
            jac=lambda p: -(a / np.maximum(a @ p, 1e-300)[:, None]).sum(0),
            bounds=[(0, 1)] * len(p),
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(len(p))},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        ).x
        polished = np.maximum(polished, 0) / np.maximum(polished, 0).sum()
        if np.log(a @ polished).sum() > best:
            p, best = polished, np.log(a @ polished).sum()
    gap = (a / (a @ p)[:, None]).mean(0).max() - 1
    return {"log_likelihood": best, "gap": gap, "probabilities": list(a @ p)}


def gridded(n):
    """Looks every second, so that edges coincide; some never seen."""
    t = RNG.exponential(4, n)
    left = np.floor(t)
    right = [None if x > 9 else x for x in left + 1]
    return [min(x, 9.0) for x in left], right


def far_tails():
    """log P(Z > z) far out, by scipy's log_ndtr."""
    z = [-40.0, -8.0, -1.0, 0.0, 0.5, 3.0, 10.0, 29.9, 30.1, 37.0, 60.0, 1000.0]
    return {"z": z, "log_sf": [float(special.log_ndtr(-x)) for x in z]}


looks = []
for case in GOLDEN["looks"]:
    left = [0.0 if x is None else x for x in case["left"]]
    looks.append({"left": left, "right": case["right"], **turnbull(left, case["right"])})
for n in (1, 2, 5, 10, 24, 60, 200, 200):
    left, right = gridded(n)
    looks.append({"left": left, "right": right, **turnbull(left, right)})

json.dump(
    {
        "versions": {
            "python": sys.version.split()[0],
            "scipy": scipy.__version__,
            "lifelines": lifelines.__version__,
            "statsmodels": statsmodels.__version__,
        },
        "rank_tests": [rank_tests(case) for case in GOLDEN["groups"]],
        "exponential": [exponential(case) for case in GOLDEN["singles"]],
        "beta_product": [beta_product(case) for case in GOLDEN["singles"]],
        "turnbull": looks,
        "far_tails": far_tails(),
    },
    sys.stdout,
)
print()
