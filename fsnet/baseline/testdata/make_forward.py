"""forward.json: forward selection in which every row is really left out and scikit-learn's ridge fitted to the others; and partial F
statistics computed from the rows, where the program has nothing but their products.

python make_forward.py > forward.json
"""

import json
import sys

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

import tables

K, PENALTY, LAMBDA = 4, 30.0, 15 / 4


def standardised(x):
    return (x - x.mean(0)) / x.std(0)


def linear(z, t, left_out):
    rest = np.arange(len(z)) != left_out
    return Ridge(alpha=PENALTY).fit(z[rest], t[rest]).predict(z[[left_out]])[0]


def radial(z, t, left_out):
    """The closed form of a kernel ridge holds for targets that are centred over all rows, the one that is left out too."""
    rest = np.arange(len(z)) != left_out
    kernel = np.exp(-((z[:, None] - z[None]) ** 2).sum(-1) / K) + 1
    return KernelRidge(alpha=LAMBDA, kernel="precomputed").fit(kernel[np.ix_(rest, rest)], t[rest]).predict(kernel[[left_out]][:, rest])[0]


def error(z, t, predict):
    e = np.array([t[i] - predict(z, t, i) for i in range(len(z))])
    v = t.var(0)
    weights = (v + 1e-3) ** -0.5
    return float(((e**2).mean(0) * weights).sum() / (v * weights).sum())


def forward(x, y, predict):
    z = standardised(np.clip(standardised(x), -3, 3))
    t = np.eye(y.max() + 1)[y]
    t = t - t.mean(0)
    order, errors = [], []
    for _ in range(K):
        best, least = None, np.inf
        for j in range(z.shape[1]):
            if j in order:
                continue
            if order:
                own = z[:, j] - z[:, order] @ np.linalg.lstsq(z[:, order], z[:, j], rcond=None)[0]
                if own.var() < 0.02:
                    continue
            e = error(z[:, order + [j]], t, predict)
            if e < least * (1 - 1e-9):  # else it is the same but for rounding
                best, least = j, e
        order.append(best)
        errors.append(least)
    return dict(order=order, errors=errors)


def partial_f(z, y, sampled, gamma):
    """K×d: what each feature adds to a ridge of the columns that the other selectors have sampled."""
    n = len(z)
    t = np.eye(y.max() + 1)[y]
    t = t - t.mean(0)
    weights = (t.var(0) + 1e-3) ** -0.5
    zs = z[:, sampled]
    m = np.linalg.inv(zs.T @ zs / n + gamma * np.eye(len(sampled)))
    a = m @ zs.T @ t / n
    missed = t - zs @ a
    r = ((missed**2).mean(0) * weights).sum()
    left = (z**2).mean(0) - np.einsum("ij,ik,kl,ml,mj->j", z, zs, m, zs, z) / n**2
    out = []
    for k in range(len(sampled)):
        own = zs @ m[:, k] / m[k, k]
        q = (own**2).mean() + 1e-6
        v = np.maximum(left + (z.T @ own / n) ** 2 / q, 1e-3)
        gain = ((z.T @ (missed + own[:, None] * a[k]) / n) ** 2 * weights).sum(1) / (v + gamma)
        without = r + (weights * q * a[k] ** 2).sum()
        out.append(np.where(v < 0.02, 0, n * gain / np.maximum(without - gain, 0.02 * r)).tolist())
    return dict(sampled=sampled, gamma=gamma, f=out)


cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    # A copy in other units, and a column with values beyond three standard deviations; some rows of the last class are gone.
    x = np.c_[x, 1 - 2 * x[:, 0], x[:, 1] ** 5]
    keep = (y < y.max()) | (np.arange(len(y)) % 3 != 0)
    x, y = x[keep], y[keep]
    cases.append(dict(name=name, k=K, linear=forward(x, y, linear), rbf=forward(x, y, radial),
                      partial=partial_f(standardised(np.clip(standardised(x), -3, 3)), y, [1, 5, 0, 1], 0.05)))
json.dump(cases, sys.stdout)
