"""Logistic regression, or a lasso, with an L1 penalty that leaves about K features: scikit-learn."""

import numpy as np
from sklearn.linear_model import LassoLars, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import door


def select(fit):
    if not fit.classes:
        model = LassoLars(alpha=0, max_iter=4 * fit.k).fit(fit.X, fit.y)
        entry = (np.atleast_2d(model.coef_path_) != 0).argmax(axis=1).astype(float)
        entry[model.coef_ == 0] = np.inf
        return -entry
    low, high = 1e-4, 1e4
    for _ in range(20):  # bisection of the logarithm
        c = (low * high) ** 0.5
        model = LogisticRegression(C=c, l1_ratio=1, solver="liblinear", random_state=fit.seed)
        each = OneVsRestClassifier(model).fit(fit.X, fit.y).estimators_
        weights = np.abs([model.coef_[0] for model in each]).max(axis=0)
        low, high = (c, high) if (weights > 0).sum() < fit.k else (low, c)
        if (weights > 0).sum() == fit.k:
            break
    return weights


door.serve(select)
