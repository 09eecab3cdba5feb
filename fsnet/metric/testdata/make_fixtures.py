"""Writes fixtures.json: what scikit-learn says about small random data.

Made with Python 3.11.7, scikit-learn 1.9.1, NumPy 2.4.6:  python make_fixtures.py
"""
import json
import math
from itertools import combinations

import numpy as np
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix, mutual_info_score

random = np.random.default_rng(1)
fixtures = []
for rows, classes, k in [(12, 2, 2), (40, 3, 4), (7, 5, 3), (100, 2, 10)]:
    truth = random.integers(0, classes, rows)
    predicted = np.where(random.random(rows) < 0.7, truth, random.integers(0, classes, rows))
    x = random.normal(size=(rows, k)).round(3)
    x[:, 1] = (x[:, 0] + 0.3 * x[:, 1]).round(3)
    random.normal(size=x.shape)  # not used any more; without it the next fixture would be another one
    bins = np.empty(x.shape, dtype=int)
    for j in range(k):
        edges = np.linspace(x[:, j].min(), x[:, j].max(), 11)
        bins[:, j] = np.digitize(x[:, j], edges[1:-1])
    pairs = [mutual_info_score(bins[:, i], bins[:, j]) / math.log(2) for i, j in combinations(range(k), 2)]
    # balanced_accuracy_score warns about, and leaves out, classes that do not occur
    fixtures.append({
        "classes": classes, "k": k, "truth": truth.tolist(), "predicted": predicted.tolist(),
        "x": x.ravel().tolist(),
        "accuracy": accuracy_score(truth, predicted),
        "balanced_accuracy": balanced_accuracy_score(truth, predicted),
        "confusion": confusion_matrix(truth, predicted, labels=range(classes)).tolist(),
        "mutual_information": float(np.mean(pairs)),
    })
with open("fixtures.json", "w") as file:
    json.dump(fixtures, file)
    file.write("\n")
