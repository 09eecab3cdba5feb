"""rfe.json: the order in which scikit-learn's RFE takes features away, the last first, and Σ w² of each at that time.

python make_rfe.py > rfe.json
"""

import json
import sys

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

import tables


def order(x, y, c):
    """RFE's own, one feature at a time."""
    ranking = RFE(SVC(kernel="linear", C=c, tol=1e-9), n_features_to_select=1, step=1).fit(x, y).ranking_
    return np.argsort(ranking, kind="stable").tolist()


def parts(x, y, c, step, first):
    """The same by parts of what is left, with scikit-learn's machine; RFE's own parts are of all features. The first so many, and Σ w²."""
    left, away = np.arange(x.shape[1]), []
    while len(left):
        squares = (SVC(kernel="linear", C=c, tol=1e-9).fit(x[:, left], y).coef_ ** 2).sum(axis=0)
        gone = np.argsort(squares, kind="stable")[: max(1, int(step * len(left)))]
        away += [(int(left[k]), float(squares[k])) for k in gone]
        left = np.delete(left, gone)
    away = away[::-1][:first]
    return dict(order=[j for j, _ in away], squares=[s for _, s in away])


cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    for c in (1.0, 0.05):
        case = dict(name=name, c=c, step=0, order=order(x, y, c))
        whole = parts(x, y, c, 0, x.shape[1])
        assert whole["order"] == case["order"]
        cases += [case | dict(squares=whole["squares"]), dict(name=name, c=c, step=0.3) | parts(x, y, c, 0.3, x.shape[1])]
x, y = tables.allaml()
x = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)
cases.append(dict(name="ALLAML", c=1.0, step=0.1) | parts(x, y, 1.0, 0.1, 50))
json.dump(cases, sys.stdout)
