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
        for k in (5, 15):
            cases.append(dict(name=name, **select(x, y, k, b)))
        cases.append(dict(name=name, regression=True, **select(x, quantity, 6, b, True)))
for name in tables.LARGE:
    x, y = tables.large(name)
    for b in (0, 10, 20):
        for k in (10, 50) if name == "ALLAML" else (50,):
            cases.append(dict(name=name, **select(x, y, k, b)))
x, y = tables.allaml()
for b in (0, 10, 20):
    cases.append(dict(name="ALLAML", every=2, **select(x[::2], y[::2], 50, b)))
json.dump(cases, sys.stdout)
