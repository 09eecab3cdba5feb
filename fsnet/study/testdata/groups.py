"""Writes groups.json: columns, and the groups that scipy makes of them by average linkage on 1 - |r|, cut at .2. Run it where numpy and scipy
are: python groups.py > groups.json"""

import json

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform


def columns(rng, rows, sources, many, noise):
    """Copies of a few sources with noise of several strengths and either sign, so that some lie close to the cut."""
    source = rng.normal(size=(sources, rows))
    picks = rng.integers(sources, size=many)
    strength = rng.uniform(0, noise, size=many)[:, None]
    return np.round(source[picks] * rng.choice([-1, 1], size=many)[:, None] + strength * rng.normal(size=(many, rows)), 6)


cases = []
for seed, (rows, sources, many, noise) in enumerate([(20, 4, 12, 1.5), (12, 3, 30, 1.2), (36, 8, 60, 1.0), (8, 2, 40, 0.9), (25, 25, 25, 1.0)]):
    x = columns(np.random.default_rng(seed), rows, sources, many, noise)
    distance = 1 - np.abs(np.clip(np.corrcoef(x), -1, 1))
    np.fill_diagonal(distance, 0)
    label = fcluster(linkage(squareform((distance + distance.T) / 2, checks=False), "average"), 0.2, "distance")
    cases.append({"columns": x.tolist(), "groups": label.tolist()})
print(json.dumps(cases, separators=(",", ":")))
