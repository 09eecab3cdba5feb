"""sklearn.json: what scikit-learn computes for anova, svm and l1-logistic.

FSNET_SHARED=... python make_sklearn.py > sklearn.json
"""

import json
import sys
import warnings

import numpy as np
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

import tables

warnings.filterwarnings("ignore")


def svm(x, y, columns, c=1.0, gamma="scale"):
    """Fitted to three rows of five, asked about the others."""
    train = np.arange(len(y)) % 5 < 3
    x = x if columns is None else x[:, columns]
    machine = SVC(C=c, gamma=gamma, decision_function_shape="ovo").fit(x[train], y[train])
    decision = machine.decision_function(x[~train])
    if decision.ndim == 1:
        decision = -decision[:, None]  # above 0 for the first of a pair, as for more classes
    return dict(columns=columns, c=c, gamma=0 if gamma == "scale" else gamma, decision=decision.tolist(), predicted=machine.predict(x[~train]).tolist())


def l1(x, y, c):
    make = lambda: LogisticRegression(l1_ratio=1, solver="saga", random_state=0, C=c, tol=1e-12, max_iter=2_000_000)
    if len(set(y)) == 2:
        model = make().fit(x, y)
        return dict(c=c, weights=model.coef_.tolist(), intercepts=model.intercept_.tolist())
    models = OneVsRestClassifier(make()).fit(x, y).estimators_
    return dict(c=c, weights=[m.coef_[0].tolist() for m in models], intercepts=[float(m.intercept_[0]) for m in models])


cases = []
for name, parameters in tables.SMALL.items():
    x, y, quantity = tables.planted(*parameters)
    cases.append(dict(name=name, f_classif=f_classif(x, y)[0].tolist(), f_regression=f_regression(x, quantity)[0].tolist(),
                      svm=[svm(x, y, None), svm(x, y, [0, 1, 2, 3]), svm(x, y, None, 10.0, 0.02)], l1=[l1(x, y, c) for c in (0.1, 0.4, 2.0)]))
for name in tables.LARGE:
    x, y = tables.large(name)
    f = f_classif(x, y)[0]
    top = np.argsort(-f, kind="stable")[:50]
    cases.append(dict(name=name, top=top.tolist(), f_top=f[top].tolist(), svm=[svm(x, y, None), svm(x, y, top[:10].tolist())]))
json.dump(cases, sys.stdout)
