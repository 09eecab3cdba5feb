"""lassonet.json: what the package lassonet computes, on random inputs and on small data with planted features.

python make_lassonet.py > lassonet.json

prox: the package's hierarchical proximal operator. path: the package's own path from the weights of the fixture, with the rows that it set
apart for the early stop, and where each feature dropped out; for classes, and for quantities (target), which have mean 0 and standard
deviation 1.
"""

import json
import sys

import numpy as np
import torch

torch.set_num_threads(1)

from lassonet import LassoNetClassifier, LassoNetRegressor
from lassonet.prox import prox


def proxes():
    rng = np.random.RandomState(3)
    cases = []
    for c, h, d, lam, m in [(2, 5, 12, 0.3, 10), (3, 16, 20, 0.05, 1), (1, 30, 15, 0.8, 0.1), (2, 1, 8, 0.2, 3), (4, 100, 6, 0.5, 10)]:
        v = rng.normal(size=(c, d)) * np.exp(rng.normal(size=(1, d)) - 1)
        u = rng.normal(size=(h, d)) * np.exp(2 * rng.normal(size=(1, d)) - 2)
        v[:, 1], u[:, 2] = 0, 0
        v, u = v.round(4).astype(np.float32), u.round(4).astype(np.float32)
        beta, theta = prox(torch.from_numpy(v), torch.from_numpy(u), lambda_=lam, lambda_bar=0, M=m)
        cases.append(dict(v=v.astype(float).round(4).tolist(), u=u.astype(float).round(4).tolist(), lam=lam, m=m,
                          theta=beta.numpy().astype(float).round(7).tolist(), w=theta.numpy().astype(float).round(7).tolist()))
    return cases


def path(classes, d, hidden, told):
    """classes is 0 for quantities."""
    rng = np.random.RandomState(5 + classes)
    n = 60
    y = np.arange(n) % max(classes, 1)
    x = rng.normal(size=(n, d))
    for j in range(told if classes else 0):
        x[:, 2 * j + 1] += (2.5 - 0.5 * j) * (y == j % classes)
    x = np.round((x - x.mean(0)) / x.std(0), 3)
    if not classes:
        y = sum((2 - 0.5 * j) * (np.abs(x[:, 2 * j + 1]) if j == 1 else x[:, 2 * j + 1]) for j in range(told))
        y = ((y - y.mean()) / y.std()).round(7)
    apart = np.arange(0, n, 10)
    train = np.setdiff1d(np.arange(n), apart)
    first = []

    class Package(LassoNetClassifier if classes else LassoNetRegressor):
        def _init_model(self, X, y):
            super()._init_model(X, y)
            model = self.model
            with torch.no_grad():
                for p in (model.skip.weight, model.layers[0].weight, model.layers[0].bias, model.layers[1].weight, model.layers[1].bias):
                    p.copy_(torch.round(p * 10000) / 10000)
                    first.append(p.detach().numpy().astype(float).round(4))

    model = Package(hidden_dims=(hidden,), torch_seed=1, verbose=0)
    model.path(x[train], y[train], X_val=x[apart], y_val=y[apart])
    first[3] = first[3].T  # hidden × classes
    known = dict(y=y.tolist(), classes=classes) if classes else dict(target=y.tolist())
    return dict(rows=x.tolist(), **known, hidden=hidden, apart=apart.tolist(), first=[p.tolist() for p in first],
                start=model.lambda_start_, dropped=[float(v) for v in model.feature_importances_], lambdas=len(model.path_) - 1)


json.dump(dict(prox=proxes(), path=[path(2, 12, 6, 3), path(3, 15, 10, 4), path(0, 12, 8, 3)]), sys.stdout)
