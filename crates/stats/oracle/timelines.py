"""When simulated timelines recovered. Usage: python timelines.py; writes golden/timelines.json.

Each case has a throughput in continuous time that is known: full, stalled from one moment to another, then full,
partial or stalled again. Samples are its means over intervals, with log-normal noise. `truth` is the moment of the
recovery, where the last stall ends for good and far enough from the end to be held.

Beside the truth stands the rule's own answer by a second computation, a sample at a time: the least-squares cut by
dynamic programming over every segmentation (no pruning), then the first stretch of samples in phases at or above
the share that lasts for the hold.
"""

import math
import random
import statistics

from cases import write

CONTROL = 36.0


def throughput(steps, a, b):
    """The mean from a to b of a step function: [(until, level), ...]."""
    total, at = 0.0, 0.0
    for until, level in steps:
        total += max(0.0, min(b, until) - max(a, at)) * level
        at = until
    return total / (b - a)


def cut(values, sigma, penalty):
    """The starts of the segments of the best segmentation."""
    n, sums, squares = len(values), [0.0], [0.0]
    mean = sum(values) / n
    for v in values:
        sums.append(sums[-1] + (v - mean))
        squares.append(squares[-1] + (v - mean) ** 2)
    best, last = [0.0] + [math.inf] * n, [0] * (n + 1)
    for t in range(1, n + 1):
        for s in range(t):
            cost = (squares[t] - squares[s] - (sums[t] - sums[s]) ** 2 / (t - s)) / sigma**2
            if best[s] + cost + penalty < best[t]:
                best[t], last[t] = best[s] + cost + penalty, s
    starts, t = [], n
    while t:
        t = last[t]
        starts.append(t)
    return starts[::-1]


def answer(ends, values, share, hold):
    n = len(values)
    least = min((v for v in values if v > 0), default=CONTROL)
    logs = [math.log(max(v, least / 2)) for v in values]
    steps = sorted(abs(b - a) for a, b in zip(logs, logs[1:]))
    sigma = max(steps[(len(steps) - 1) // 2] / (0.6744897501960817 * math.sqrt(2)) if steps else 0.0, 0.01)
    starts = cut(logs, sigma, 2 * math.log(max(n, 2)))
    begins = [0.0] + ends[:-1]
    # Of each sample: whether its phase reaches the share, and whether it is a phase of its own with an operation in it.
    reached, alone = [], []
    for s, e in zip(starts, starts[1:] + [n]):
        reached += [statistics.median(values[s:e]) / CONTROL >= share] * (e - s)
        alone += [e - s == 1 and values[s] > 0] * (e - s)
    changes = [i for i in range(n) if i and reached[i] != reached[i - 1]]
    # A sample alone may be the mixture of before and after.
    edges = lambda i: [begins[i - 1] if alone[i - 1] else begins[i], ends[i]]
    if all(reached):
        return {"outcome": "never-stalled"}
    onset = reached.index(False)
    out = {"onset": edges(onset) if onset else [0.0, 0.0]}
    for i in (i for i in changes if i > onset and reached[i]):
        stop = next((j for j in changes if j > i), n)
        if ends[stop - 1] - ends[i] >= hold - 1e-9:
            return out | {"outcome": "recovered", "between": edges(i)}
        if stop == n:
            return out | {"outcome": "not-recovered", "until": edges(i)[0]}
    return out | {"outcome": "not-recovered", "until": ends[-1]}


def main():
    draw = random.Random(81)
    cases = []
    while len(cases) < 120:
        dt = draw.choice([0.1, 1.0, 1.0, 5.0])
        n = draw.choice([12, 40, 90])
        end, stalled = n * dt, draw.choice([0.05, 0.4, 3.4, 8.0])
        noise, hold, share = draw.choice([0.005, 0.03]), 3 * dt, draw.choice([0.5, 0.5, 0.8])
        # From the start, or after a while; up to a moment within a sample, the first included, or to the end.
        onset = 0.0 if draw.random() < 0.6 else draw.uniform(0.1, 0.4) * end
        late, early = draw.uniform(onset + 3 * dt, end), onset + draw.uniform(0.3, draw.choice([1, 3])) * dt
        recovery = draw.choice([late, late, early, 2 * end])
        partial = draw.choice([None, None, 10.0])
        steps = [(onset, CONTROL), (min(recovery, end), stalled), (end, 0.97 * CONTROL)]
        if partial and recovery - onset > 12 * dt:
            middle = (onset + min(recovery, end)) / 2
            steps[1:2] = [(middle, stalled), (middle + 3 * dt, partial), (min(recovery, end), stalled)]
        ends = [round((i + 1) * dt, 9) for i in range(n)]
        values = [float("%.6g" % (throughput(steps, b - dt, b) * math.exp(draw.gauss(0, noise)))) for b in ends]
        found = answer(ends, values, share, hold)
        case = {"dt": dt, "control": CONTROL, "share": share, "hold": hold, "throughput": values} | found
        # With the hold to spare, and no stall that lies between two full samples' edges: its samples are all mixtures.
        whole = onset == 0 and recovery >= 0.3 * dt or recovery - onset >= 3 * dt
        if recovery <= end - hold - 2 * dt and whole and found["outcome"] == "recovered":
            case["truth"] = recovery
        cases.append(case)
    write("golden/timelines.json", [], "a sample every dt, the first ending at dt", cases)


main()
