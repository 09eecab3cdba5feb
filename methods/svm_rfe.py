"""Recursive feature elimination by a linear support vector machine (Guyon et al. 2002): scikit-learn. A round drops a tenth."""

import numpy as np
from sklearn.feature_selection import RFE
from sklearn.svm import SVC, SVR

import door


def select(fit):
    left, ranks = np.arange(fit.X.shape[1]), np.zeros(fit.X.shape[1])
    while len(left) > fit.k:  # RFE's own step is a share of all features, not of those that are left
        fewer = max(fit.k, len(left) - max(1, len(left) // 10))
        rfe = RFE((SVC if fit.classes else SVR)(kernel="linear"), n_features_to_select=fewer, step=len(left)).fit(fit.X[:, left], fit.y)
        ranks[left[~rfe.support_]] = -len(left)
        left = left[rfe.support_]
        fit.progress(fit.X.shape[1] - len(left), fit.X.shape[1] - fit.k, "features dropped")
    weights = (SVC if fit.classes else SVR)(kernel="linear").fit(fit.X[:, left], fit.y).coef_
    ranks[left] = (weights**2).sum(axis=0)
    return ranks


door.serve(select)
