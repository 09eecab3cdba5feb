"""Writes wilcoxon.json: what SciPy's signed-rank test says about pairs of accuracies, which tie often, and about pairs that do not.

Made with Python 3.11.7, SciPy 1.17.1, NumPy 2.4.6:  python make_wilcoxon.py
"""
import json

import numpy as np
from scipy.stats import PermutationMethod, wilcoxon

random = np.random.default_rng(3)
fixtures = []


def add(how, a, b, method):
    # SciPy compares the bits of differences: those of accuracies that are equal but for rounding must be made equal for it.
    p = wilcoxon(np.round(a - b, 9), zero_method="wilcox", method=method).pvalue
    fixtures.append({"how": how, "a": a.tolist(), "b": b.tolist(), "p": float(p)})


for n in 2, 3, 5, 8, 20, 40:
    add(f"no ties, {n}", random.random(n), random.random(n) + 0.1, "exact")
for n in 4, 6, 10, 14:  # all 2^n choices of signs
    a, b = random.integers(25, 37, n) / 36, random.integers(25, 37, n) / 36
    add(f"accuracies, {n}", a, b, PermutationMethod(n_resamples=np.inf))
for n in 400, 700:
    a, b = random.integers(25, 37, n) / 36, random.integers(24, 37, n) / 36
    add(f"many accuracies, {n}", a, b, "asymptotic")
with open("wilcoxon.json", "w") as file:
    json.dump(fixtures, file)
    file.write("\n")
