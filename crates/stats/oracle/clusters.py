"""Golden values for clusters and for the posterior: golden/clusters.json.

The permutation test by listing every division, with Welch's statistic written as in a textbook; Gaffke's bound by
drawing from the simplex; the posterior by scipy's distributions and a quadrature.
"""

import itertools
import json
import math

import numpy as np
import scipy
from scipy import integrate, stats

RNG = np.random.default_rng(20261201)


def scores(clusters):
    """The mean excess of each cluster over its strata's pooled shares."""
    count = len(clusters[0]["strata"])
    k = [sum(c["strata"][s][0] for c in clusters) for s in range(count)]
    n = [sum(c["strata"][s][1] for c in clusters) for s in range(count)]
    found = []
    for c in clusters:
        excess = sum(x - m * k[s] / n[s] for s, (x, m) in enumerate(c["strata"]) if n[s])
        found.append(excess / sum(m for _, m in c["strata"]))
    return found


def statistic(test, base):
    difference = np.mean(test) - np.mean(base)
    if len(test) < 2 or len(base) < 2:
        variance = difference**2
    else:
        variance = np.var(test, ddof=1) / len(test) + np.var(base, ddof=1) / len(base)
    if abs(difference) < 1e-12:
        return 0.0
    return math.copysign(math.inf, difference) if variance < 1e-24 else difference / math.sqrt(variance)


def log_rank_scores(clusters):
    """The mean log-rank score of each cluster, trial by trial: its event less the hazards that it lived through."""
    found = []
    for c in clusters:
        of_trials = []
        for s, times in enumerate(c["times"]):
            pooled = [x for other in clusters for x in other["times"][s]]
            for time, event in times:
                hazard = 0.0
                for moment in {t for t, e in pooled if e and t <= time}:
                    dead = sum(1 for t, e in pooled if e and t == moment)
                    hazard += dead / sum(1 for t, _ in pooled if t >= moment)
                of_trials.append(event - hazard)
        found.append(float(np.mean(of_trials)))
    return found


def permutation(clusters, values=None):
    """Two-sided, test greater, test less: the shares of all divisions that are as extreme."""
    values = values or scores(clusters)
    test = [i for i, c in enumerate(clusters) if c["is_test"]]
    found = []
    for chosen in itertools.combinations(range(len(values)), len(test)):
        rest = [values[i] for i in range(len(values)) if i not in chosen]
        found.append(statistic([values[i] for i in chosen], rest))
    seen = statistic([values[i] for i in test], [values[i] for i in range(len(values)) if i not in test])
    slack = 1e-9 * min(abs(seen), 1e300)
    share = lambda keeps: sum(map(keeps, found)) / len(found)
    return [
        share(lambda x: abs(x) >= abs(seen) - slack),
        share(lambda x: x >= seen - slack),
        share(lambda x: -x >= -seen - slack),
    ]


def paired(differences):
    """Machines that are each a stratum with one run a side: all changes of sign."""
    seen = abs(sum(differences))
    flips = itertools.product([1, -1], repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences))) for signs in flips]
    return sum(x >= seen - 1e-9 for x in sums) / len(sums)


def gaffke(shares, level=0.95, draws=4_000_000):
    ordered = np.append(np.sort(shares), 1.0)
    found = []
    for _ in range(draws // 500_000):
        found.append(RNG.dirichlet(np.ones(len(ordered)), 500_000) @ ordered)
    return float(np.quantile(np.concatenate(found), level))


def posterior(base, test, bound, following=20):
    b = stats.beta(base[0] + 0.5, base[1] - base[0] + 0.5)
    t = stats.beta(test[0] + 0.5, test[1] - test[0] + 0.5)
    # By the quantile scale of the base's law: its density may have poles.
    below, _ = integrate.quad(lambda u: t.cdf(b.ppf(u)), 0, 1, limit=500)
    cautious = stats.beta(test[0] + 1, test[1] - test[0])
    ahead = stats.betabinom(following, test[0] + 0.5, test[1] - test[0] + 0.5)
    return {"below_bound": float(cautious.cdf(bound)), "below_base": below, "next_at_most": int(ahead.ppf(0.95))}


def cluster(is_test, *strata):
    return {"is_test": is_test, "strata": [list(s) for s in strata]}


def timed(seed, sides, strata):
    """Made-up times of clusters that share a frailty, rounded so that some are tied, censored at 4."""
    rng = np.random.default_rng(seed)
    found = []
    for is_test, n in sides:
        frailty = rng.lognormal(0, 0.7)
        times = []
        for _ in range(strata):
            drawn = np.round(rng.exponential(1 / (frailty * (1.8 if is_test else 0.7)), n), 1)
            times.append([[float(min(t, 4.0)), int(t < 4.0)] for t in drawn])
        found.append({"is_test": is_test, "times": times})
    return found


def main():
    divided = [
        [cluster(t, [k, n]) for t, k, n in [(0, 5, 8), (0, 4, 8), (0, 6, 8), (0, 3, 8), (0, 7, 8), (1, 1, 8), (1, 0, 8), (1, 2, 8), (1, 0, 8), (1, 1, 8)]],
        [cluster(t, [k, n]) for t, k, n in [(0, 5, 8), (0, 4, 8), (0, 6, 8), (0, 3, 8), (1, 1, 3), (1, 0, 9), (1, 8, 8)]],
        [cluster(t, a, b) for t, a, b in [(0, [3, 5], [1, 5]), (0, [5, 5], [4, 5]), (0, [1, 5], [0, 5]), (1, [0, 5], [0, 5]), (1, [1, 5], [0, 5]), (1, [2, 5], [1, 5]), (1, [0, 5], [0, 4])]],
        # All of a side alike.
        [cluster(t, [k, 5]) for t, k in [(0, 5), (0, 4), (0, 5), (0, 5), (0, 3), (1, 0), (1, 0), (1, 0), (1, 0), (1, 0)]],
        [cluster(t, [k, 5]) for t, k in [(0, 5)] * 5 + [(1, 0)] * 5],
        # One cluster against several.
        [cluster(t, [k, 5]) for t, k in [(0, 5), (1, 0), (1, 1), (1, 2), (1, 0)]],
    ]
    pairs = [[3, 0], [2, 2], [5, 1], [4, 0], [1, 0], [0, 1]]
    shares = [
        [0.2, 0.0, 0.0, 0.4, 0.0],
        [0.1, 0.3, 0.2, 0.25, 0.15, 0.2],
        [0.5, 0.5, 0.5],
        [0.0] * 11 + [0.9],
        [0.05] * 40,
        [0.01, 0.99],
    ]
    sides = [
        ([20, 59], [0, 59], 0.05),
        ([4, 24], [0, 24], 0.05),
        ([6, 10], [6, 10], 0.5),
        ([0, 20], [5, 20], 0.05),
        ([11.2, 12], [0, 12], 0.05),
        ([0.4, 12], [0.2, 12], 0.05),
    ]
    lifetimes = [
        timed(1, [(0, 6)] * 5 + [(1, 6)] * 5, 1),
        timed(2, [(0, 3), (0, 8), (0, 2), (0, 5), (1, 4), (1, 1), (1, 9), (1, 4), (1, 6)], 2),
        timed(3, [(0, 4)] * 6 + [(1, 4)] * 2, 3),
    ]
    golden = {
        "versions": {"python": "3", "numpy": np.__version__, "scipy": scipy.__version__},
        "permutation": [{"clusters": c, "p": permutation(c)} for c in divided],
        "log_rank": [{"clusters": c, "p": permutation(c, log_rank_scores(c))[0]} for c in lifetimes],
        "paired": {"pairs": pairs, "p": paired([(t - b) / 5 for b, t in pairs])},
        "gaffke": [{"shares": s, "bound": gaffke(s)} for s in shares],
        "posterior": [{"base": b, "test": t, "bound": x, **posterior(b, t, x)} for b, t, x in sides],
    }
    with open("golden/clusters.json", "w") as file:
        json.dump(golden, file, indent=1)
        file.write("\n")


main()
