"""Deviance of a logistic curve in log2(threads), by statsmodels' GLM, with its parametric bootstrap by numpy:
writes golden/goodness_of_fit.json."""

import json
import sys
import warnings

import numpy
import statsmodels
import statsmodels.api as sm

warnings.simplefilter("ignore")
RESAMPLES = 400
CASES = [
    ([16, 32, 64, 128], [10] * 4, [0, 6, 6, 6]),
    ([16, 32, 64, 128], [10] * 4, [0, 3, 8, 10]),
    ([16, 32, 64, 128], [40] * 4, [3, 22, 25, 23]),
    ([1, 2, 4, 8, 16, 32, 64, 128], [10] * 8, [0, 0, 0, 1, 8, 10, 9, 10]),
    ([2, 12, 48, 96, 192], [24] * 5, [4, 3, 10, 9, 21]),
    ([4, 8, 16], [20] * 3, [10, 10, 11]),
    ([4, 8, 16], [20] * 3, [18, 4, 17]),
    ([3, 5, 17, 100, 101], [5, 80, 12, 7, 30], [1, 20, 3, 7, 14]),
    ([4, 8, 16, 32], [1000] * 4, [120, 310, 560, 800]),
]


def deviance(design, n, k):
    return sm.GLM(numpy.column_stack([k, n - k]), design, family=sm.families.Binomial()).fit(maxiter=200)


golden = []
rng = numpy.random.default_rng(1)
for threads, n, k in CASES:
    n, k = numpy.array(n), numpy.array(k)
    design = sm.add_constant(numpy.log2(threads))
    fit = deviance(design, n, k)
    drawn = rng.binomial(n, fit.fittedvalues, (RESAMPLES, len(n)))
    as_large = 0
    for of in drawn:
        try:
            as_large += deviance(design, n, of).deviance >= fit.deviance - 1e-7
        except Exception:  # separated: deviance 0
            pass
    golden.append(
        {
            "threads": [int(x) for x in threads],
            "n": n.tolist(),
            "k": k.tolist(),
            "deviance": fit.deviance,
            "p_bootstrap": (int(as_large) + 1) / (RESAMPLES + 1),
        }
    )
with open("golden/goodness_of_fit.json", "w") as file:
    versions = {"python": sys.version.split()[0], "statsmodels": statsmodels.__version__, "numpy": numpy.__version__}
    json.dump({"versions": versions, "cases": golden}, file, indent=1)
    file.write("\n")
