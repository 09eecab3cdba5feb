"""forest.json: scikit-learn's trees and forests, and what they owe to each feature.

python make_forest.py > forest.json
"""

import json
import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import tables


def shape(tree):
    t = tree.tree_
    return [[int(t.feature[i]), int(t.children_left[i]), int(t.children_right[i])] if t.children_left[i] >= 0 else [-1, 0, 0] for i in range(t.node_count)]


def single(x, y):
    """The deepest tree that is the same whatever the order in which scikit-learn looks at the features: the one without ties."""
    for depth in range(8, 0, -1):
        trees = [DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(x, y) for seed in range(40)]
        if all(shape(t) == shape(trees[0]) for t in trees):
            t = trees[0]
            thresholds = [float(v) if c >= 0 else 0 for v, c in zip(t.tree_.threshold, t.tree_.children_left)]
            return dict(depth=depth, nodes=shape(t), thresholds=thresholds, importances=t.feature_importances_.tolist())


def outside(forest, x, y):
    """Breiman's permutation importance: scikit-learn's own is of rows that somebody sets apart."""
    n, rng, total = len(y), np.random.RandomState(1), np.zeros(x.shape[1])
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_):
        rows = np.setdiff1d(np.arange(n), drawn)
        a, b = x[rows], y[rows]
        right = (tree.predict(a) == b).mean()
        for j in set(tree.tree_.feature) - {-2}:
            c = a.copy()
            c[:, j] = rng.permutation(c[:, j])
            total[j] += right - (tree.predict(c) == b).mean()
    return (total / len(forest.estimators_)).tolist()


cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    forest = RandomForestClassifier(8000, random_state=1, n_jobs=2).fit(x, y)
    permuted = RandomForestClassifier(3000, random_state=2).fit(x, y)
    cases.append(dict(name=name, tree=single(x, y), impurity=forest.feature_importances_.tolist(), permutation=outside(permuted, x, y)))
x, y = tables.allaml()
importances = RandomForestClassifier(20000, random_state=3, n_jobs=2).fit(x, y).feature_importances_
top = np.argsort(-importances, kind="stable")[:60]
cases.append(dict(name="ALLAML", top=top.tolist(), impurity=importances[top].tolist()))
json.dump(cases, sys.stdout)
