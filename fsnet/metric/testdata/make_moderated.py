"""Writes moderated.json: F statistics with shrunken variances, by SciPy's polygamma functions and NumPy's moments, class by class.

Made with Python 3.11.7, SciPy 1.17.1, NumPy 2.3.5:  python make_moderated.py
"""
import json

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

random = np.random.default_rng(15)


def moderated(v, df):
    e = np.log(v) - digamma(df / 2) + np.log(df / 2)
    y = max(e.var() - polygamma(1, df / 2), 1e-3)
    half = brentq(lambda x: polygamma(1, x) - y, 1e-9, 1e9, xtol=1e-14, rtol=1e-14)  # d0 / 2
    s0 = np.exp(e.mean() + digamma(half) - np.log(half))
    return half, s0, (2 * half * s0 + df * v) / (2 * half + df)


def score(x, y):
    groups = [x[y == c] for c in np.unique(y)]
    df = max(1, len(y) - len(groups))
    v = sum(((g - g.mean(0)) ** 2).sum(0) for g in groups) / df
    between = sum(len(g) * (g.mean(0) - x.mean(0)) ** 2 for g in groups) / (len(groups) - 1)
    half, s0, shrunken = moderated(v, df)
    return 2 * half, s0, between / shrunken


fixtures = []
for how, n, d, classes, vary, shift in [
    ("two classes, variances that differ", 12, 9, 2, 1.5, 1.0),
    ("two classes, one variance", 30, 40, 2, 0.0, 0.5),
    ("five classes, some small", 23, 25, 5, 0.5, 1.0),
    ("many rows", 400, 6, 3, 0.7, 0.2),
    ("one degree of freedom", 3, 12, 2, 0.3, 1.0),
    ("variances over orders of magnitude", 16, 20, 4, 4.0, 1.0),
]:
    y = np.sort(random.integers(0, classes, n))
    y[:classes] = np.arange(classes)
    x = random.normal(size=(n, d)) * np.exp(random.normal(size=d) * vary / 2) + shift * random.normal(size=(classes, d))[y]
    x = x.round(4)
    freedom, prior, f = score(x, y)
    fixtures.append({
        "how": how, "classes": classes, "d": d, "y": y.tolist(), "x": x.ravel().tolist(),
        "freedom": freedom, "prior": prior, "f": f.tolist(),
    })
with open("moderated.json", "w") as file:
    json.dump(fixtures, file)
    file.write("\n")
