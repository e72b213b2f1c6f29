"""scipy's and lifelines' side of statistics-ratio.sh, and the ratios.

    statistics-ratio.py data FOLDER                     writes what both sides read
    statistics-ratio.py compare PROGRAM FOLDER PAIRS    times both, in turn

Only the computation is timed: no start of a program, no import, no reading. Both sides hold the data in the
form that they compute from (numpy arrays; vectors), and each has done the same once before, which is not counted.
Answers are compared before speeds are.
"""

import json
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

ROWS = 1_000_000


def data(folder):
    rng = np.random.default_rng(20250101)
    np.savetxt(folder / "a.txt", rng.lognormal(3.9, 0.3, 24), fmt="%.17g")
    np.savetxt(folder / "b.txt", rng.lognormal(1.5, 0.4, 24), fmt="%.17g")
    # Recoveries seen by the millisecond, so that there are ties; censored at 300 s.
    group = rng.integers(0, 2, ROWS)
    seconds = np.round(rng.weibull(1.2, ROWS) * np.where(group == 0, 200, 190), 3)
    event = (seconds <= 300).astype(int)
    with open(folder / "survival.csv", "w") as out:
        out.write("time,event,group\n")
        for t, e, g in zip(np.minimum(seconds, 300.0), event, group):
            out.write(f"{t:.3f},{e},{'ab'[g]}\n")


def theirs(folder):
    """One function a statistic, over data that is in memory."""
    from lifelines import KaplanMeierFitter
    from lifelines.statistics import logrank_test
    from scipy.stats import bootstrap, boschloo_exact

    a, b = np.loadtxt(folder / "a.txt"), np.loadtxt(folder / "b.txt")
    table = np.genfromtxt(folder / "survival.csv", delimiter=",", skip_header=1, dtype=[("t", float), ("e", int), ("g", "U1")])
    # In the order in which the groups appear, as on the other side.
    names = list(dict.fromkeys(table["g"]))
    sides = [(table["t"][table["g"] == name], table["e"][table["g"] == name]) for name in names]

    def boschloo():
        return float(boschloo_exact([[24, 40], [176, 160]]).pvalue)

    def ratio(x, y, axis=-1):
        return np.median(x, axis=axis) / np.median(y, axis=axis)

    def bca():
        found = bootstrap((a, b), ratio, n_resamples=100_000, method="BCa", rng=np.random.default_rng(1))
        return {"low": float(found.confidence_interval.low), "high": float(found.confidence_interval.high)}

    def survival():
        groups = []
        for times, events in sides:
            curve = KaplanMeierFitter().fit(times, events)
            last = float(curve.confidence_interval_.iloc[-1, 0])
            groups.append({"median": float(curve.median_survival_time_), "last_low": last})
        test = logrank_test(sides[0][0], sides[1][0], sides[0][1], sides[1][1])
        return {"groups": groups, "log_rank": float(test.test_statistic)}

    return {"boschloo": boschloo, "bca": bca, "survival": survival}


def close(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def same(what, ours, theirs):
    if what == "boschloo":
        # scipy's maximum is over 32 points of its own search: ours may be a little above.
        return theirs <= ours * (1 + 1e-9) and close(ours, theirs, 1e-3)
    if what == "bca":
        # Two Monte Carlo samples of 100,000.
        return all(close(ours[side], theirs[side], 0.02) for side in ("low", "high"))
    if not close(ours["log_rank"], theirs["log_rank"], 1e-8):
        return False
    # Where a curve is at 1/2 over a while, we take the middle of it, as R does, and lifelines the start.
    return all(
        close(x["last_low"], y["last_low"], 1e-8) and close(x["median"], y["median"], 1e-4)
        for x, y in zip(ours["groups"], theirs["groups"])
    )


def compare(program, folder, pairs):
    functions = theirs(folder)
    seconds = {what: [] for what in functions}
    for function in functions.values():
        function()
    for _ in range(pairs):
        lines = subprocess.run([program, folder, "2"], check=True, capture_output=True, text=True).stdout.splitlines()
        for line in map(json.loads, lines[len(functions):]):
            what = line["what"]
            start = time.perf_counter()
            answer = functions[what]()
            taken = time.perf_counter() - start
            if not same(what, line["answer"], answer):
                sys.exit(f"{what}: ours answers {line['answer']}, the other side {answer}; no speed is compared")
            seconds[what].append((line["seconds"], taken))
    versions = ", ".join(f"{name} {version(name)}" for name in ("scipy", "lifelines", "numpy", "pandas"))
    print(f"python {sys.version.split()[0]}, {versions}; {pairs} pairs")
    print(f"{'statistic':<10} {'ours (ms)':>12} {'theirs (ms)':>12}   times as fast: median (least, most)")
    for what, pair in seconds.items():
        ratios = sorted(other / own for own, other in pair)
        own, other = (np.median([p[i] for p in pair]) * 1e3 for i in (0, 1))
        print(f"{what:<10} {own:12.3f} {other:12.1f}   {np.median(ratios):.0f} ({ratios[0]:.0f}, {ratios[-1]:.0f})")


match sys.argv[1:]:
    case ["data", folder]:
        data(Path(folder))
    case ["compare", program, folder, pairs]:
        compare(program, Path(folder), int(pairs))
    case _:
        sys.exit(__doc__)
