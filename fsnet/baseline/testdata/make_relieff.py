"""relieff.json: what skrebate 0.8.4 (requirements.txt) computes, of classes of one size: of others it weighs by the neighbours that it
found, and ReliefF by the classes' parts of the rows.

python make_relieff.py > relieff.json
"""

import json
import sys

import numpy as np
from skrebate import ReliefF

import tables

cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    rows = len(y) // parameters[-1] * parameters[-1]
    for neighbours in (1, 10):
        fitted = ReliefF(n_neighbors=neighbours, categorical_features=[]).fit(x[:rows].copy(), y[:rows])
        cases.append(dict(name=name, rows=rows, neighbours=neighbours, scores=fitted.feature_importances_.tolist()))
x, y = tables.allaml()
varying = np.flatnonzero(x.std(0) > 0)
scores = ReliefF(n_neighbors=10, categorical_features=[]).fit(x[:, varying].copy(), y).feature_importances_
top = np.argsort(-scores, kind="stable")[:50]
cases.append(dict(name="ALLAML", rows=len(y), neighbours=10, top=varying[top].tolist(), scores=scores[top].tolist()))
json.dump(cases, sys.stdout)
