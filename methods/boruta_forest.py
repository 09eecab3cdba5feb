"""Boruta (Kursa, Rudnicki 2010): package Boruta. Confirmed features come first, then tentative ones, both by importance."""

from boruta import BorutaPy
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import door


def select(fit):
    forest = (RandomForestClassifier if fit.classes else RandomForestRegressor)(max_depth=5, n_jobs=-1)
    boruta = BorutaPy(forest, n_estimators=500, random_state=fit.seed).fit(fit.X, fit.y)
    importance = forest.set_params(n_estimators=500, random_state=fit.seed).fit(fit.X, fit.y).feature_importances_
    return importance - boruta.ranking_


door.serve(select)
