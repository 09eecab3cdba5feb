"""ReliefF (Kononenko 1994) with ten neighbours: package skrebate."""

from skrebate import ReliefF

import door

door.serve(lambda fit: ReliefF(n_features_to_select=fit.k, n_neighbors=10, n_jobs=-1).fit(fit.X, fit.y).feature_importances_)
