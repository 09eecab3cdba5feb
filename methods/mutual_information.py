"""Mutual information of each feature and the label: scikit-learn."""

from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

import door

door.serve(lambda fit: (mutual_info_classif if fit.classes else mutual_info_regression)(fit.X, fit.y, random_state=fit.seed))
