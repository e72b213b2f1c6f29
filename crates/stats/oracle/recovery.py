"""Golden segmentations: the least-squares change points of ruptures (its dynamic program for each
number of changes, so another algorithm than PELT), over series with known and with random levels.

    python recovery.py > recovery_python.json
"""

import json
import math
import sys

import numpy as np
import ruptures as rpt

RNG = np.random.default_rng(20250712)


def series(n):
    values, level = [], RNG.uniform(0, 4)
    for _ in range(n):
        if RNG.random() < RNG.choice([0.02, 0.1]):
            level = RNG.uniform(0, 4)
        values.append(round(level + RNG.normal() * RNG.choice([0.1, 0.3]), 4))
    return values


def cost(values, ends):
    parts = np.split(np.array(values), ends[:-1])
    return float(sum(((part - part.mean()) ** 2).sum() for part in parts))


cases = []
for i in range(200):
    n = int(RNG.choice([2, 3, 5, 12, 30, 60, 100]))
    values = series(n)
    sigma = float(RNG.choice([0.05, 0.2, 1.0]))
    penalty = 2 * math.log(max(n, 2))
    model = rpt.Dynp(model="l2", min_size=1, jump=1).fit(np.array(values))
    best, ends = cost(values, [n]) / sigma**2, [n]
    # Past this many changes in a row without a gain, the penalty is all that grows.
    for changes in range(1, min(n - 1, 25) + 1):
        found = model.predict(n_bkps=changes)
        objective = cost(values, found) / sigma**2 + penalty * changes
        if objective < best:
            best, ends = objective, found
        if penalty * changes > best:
            break
    else:
        if n - 1 > 25:
            continue  # more changes than were tried
    cases.append(
        {
            "values": values,
            "sigma": sigma,
            "penalty": penalty,
            "objective": best,
            "starts": [0, *ends[:-1]],
        }
    )

json.dump(
    {
        "versions": {
            "python": sys.version.split()[0],
            "numpy": np.__version__,
            "ruptures": rpt.__version__,
        },
        "cases": cases,
    },
    sys.stdout,
)
print()
