"""relevance.json: mutual information of features with the class as scikit-learn estimates it, and the normed HSIC of features with classes
and a quantity, by its definition.

python make_relevance.py > relevance.json
"""

import json
import sys

import numpy as np
from sklearn.feature_selection import mutual_info_classif

import tables


def information(seed, sizes, d, neighbours):
    """A table without equal values, which scikit-learn would set apart by noise, and without classes of two to 2k + 1 rows, in which it computes
    distances as roots of differences of squares: their last digits decide whether the k-th neighbour itself is counted."""
    rng = np.random.RandomState(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    x = rng.normal(size=(len(y), d)) * np.array([10.0**k for k in range(d)])
    x[:, 0] += 2 * y
    x[:, 1] *= 1 + 2 * (y % 2)
    scores = mutual_info_classif(x, y, discrete_features=False, n_neighbors=neighbours, random_state=0)
    return dict(rows=x.tolist(), y=y.tolist(), neighbours=neighbours, scores=scores.tolist())


def centred(kernel):
    h = np.eye(len(kernel)) - 1 / len(kernel)
    kernel = h @ kernel @ h
    return kernel / np.linalg.norm(kernel)


def gaussian(values):
    z = values / values.std()
    return centred(np.exp(-((z[:, None] - z[None]) ** 2) / 2))


def hsic(name, parameters):
    x, y, quantity = tables.planted(*parameters)
    delta = centred((y[:, None] == y[None]) / np.bincount(y)[y][:, None])
    scores = lambda other: [float((gaussian(x[:, j]) * other).sum()) for j in range(x.shape[1])]
    return dict(name=name, classes=scores(delta), quantity=scores(gaussian(quantity)))


json.dump(
    dict(
        information=[information(1, (30, 30), 5, 3), information(2, (20, 9, 13, 1), 5, 3), information(3, (25, 40), 5, 10)],
        hsic=[hsic(name, parameters) for name, parameters in tables.SMALL.items()],
    ),
    sys.stdout,
)
