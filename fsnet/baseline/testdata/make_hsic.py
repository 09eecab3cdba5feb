"""hsic.json: what pyHSICLasso selects, its coefficients, and the permutations that it drew.

FSNET_SHARED=... python make_hsic.py > hsic.json
"""

import contextlib
import json
import sys
import warnings

import numpy as np
from pyHSICLasso import HSICLasso

import tables

warnings.filterwarnings("ignore")


def permutations(n, m):
    """As pyHSICLasso draws them: each from the one before."""
    order, result = np.arange(n), []
    for seed in range(m):
        np.random.seed(seed)
        order = np.random.permutation(order)
        result.append(order.tolist())
    return result


def select(x, y, k, b, regression=False):
    lasso = HSICLasso()
    with contextlib.redirect_stdout(sys.stderr):
        lasso.input(x, y)
        (lasso.regression if regression else lasso.classification)(k, B=b, M=3, n_jobs=2)
    chosen = [int(j) for j in lasso.A]
    return dict(k=k, b=b, order=chosen, beta=[float(v) for v in lasso.beta[chosen, 0]], permutations=permutations(len(y), 3) if b else None)


cases = []
for name, parameters in tables.SMALL.items():
    x, y, quantity = tables.planted(*parameters)
    for b in (0, 10, 20):
        cases.append(dict(name=name, **select(x, y, 15, b)))
        cases.append(dict(name=name, regression=True, **select(x, quantity, 6, b, True)))
for name, k, b in (("GLIOMA", 50, 0), ("GLIOMA", 50, 20), ("ALLAML", 10, 0), ("ALLAML", 50, 10), ("ALLAML", 50, 20), ("Prostate_GE", 50, 10)):
    cases.append(dict(name=name, **select(*tables.large(name), k, b)))
json.dump(cases, sys.stdout)
