"""Writes stability.json: how stable random selections are, Nogueira's by its authors' program, Jaccard's by scikit-learn, Kuncheva's pair by
pair as its paper has it.

Made with Python 3.11.7, scikit-learn 1.9.1, NumPy 2.4.6, SciPy 1.17.1 and the folder python of github.com/nogueirs/JMLR2018 at commit
e3a056636619bb78311a5ea22b76e9ea1ebd3f0d:  PYTHONPATH=JMLR2018/python python make_stability.py > stability.json
"""
import json
import sys
from itertools import combinations

import numpy as np
from sklearn.metrics import jaccard_score
from stability import getStability

random = np.random.default_rng(2)


def selections(count, d, sizes):
    """Sets of these sizes, of which the first features are the likelier ones."""
    weight = 1 / (1 + np.arange(d))
    return [sorted(int(j) for j in random.choice(d, size, replace=False, p=weight / weight.sum())) for size in sizes[:count]]


def kuncheva(a, b, d):
    k, r = len(a), len(set(a) & set(b))
    return (r - k * k / d) / (k - k * k / d)


fixtures = []
for count, d, sizes in [(5, 12, [4] * 5), (20, 60, [10] * 20), (2, 9, [3, 3]), (8, 40, [5, 7, 1, 12, 7, 7, 3, 9]), (3, 7129, [50, 50, 50])]:
    sets = selections(count, d, sizes)
    z = np.zeros((count, d), dtype=int)
    for row, chosen in zip(z, sets):
        row[chosen] = 1
    mean = lambda measure: float(np.mean([measure(a, b) for a, b in combinations(range(count), 2)]))
    fixtures.append(dict(d=d, sets=sets, nogueira=float(getStability(z)), jaccard=mean(lambda a, b: jaccard_score(z[a], z[b])),
                         kuncheva=mean(lambda a, b: kuncheva(sets[a], sets[b], d)) if len(set(sizes)) == 1 else None))
json.dump(fixtures, sys.stdout)
