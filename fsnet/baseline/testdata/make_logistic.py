"""logistic.json: what scikit-learn's logistic regression decides and predicts of two rows of five, fitted to the others.

python make_logistic.py > logistic.json
"""

import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score

import tables


def case(name, x, y, c, columns=None):
    train = np.arange(len(y)) % 5 < 3
    chosen = x if columns is None else x[:, columns]
    # lbfgs, the default, stops at about six digits of the same optimum
    solver = "newton-cholesky" if chosen.shape[1] < 1000 else "newton-cg"
    fitted = LogisticRegression(C=c, tol=1e-12, max_iter=100_000, solver=solver).fit(chosen[train], y[train])
    decision = fitted.decision_function(chosen[~train])
    predicted = fitted.predict(chosen[~train])
    return dict(name=name, c=c, columns=columns, decision=decision.reshape(len(predicted), -1).tolist(), predicted=predicted.tolist(),
                balanced=balanced_accuracy_score(y[~train], predicted))


cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    cases += [case(name, x, y, c) for c in (0.01, 1, 30)]
    cases.append(case(name, x, y, 1, [2, 0, 7]))
x, y = tables.allaml()
# scaled by the rows that are fitted, as the program does; all features, and some
train = np.arange(len(y)) % 5 < 3
x = (x - x[train].mean(0)) / np.where(x[train].std(0) > 0, x[train].std(0), 1)
cases.append(case("ALLAML", x, y, 1))
cases.append(case("ALLAML", x, y, 1, [4846, 3251, 1833]))
json.dump(cases, sys.stdout)
