"""Random forest, by impurity: scikit-learn."""

from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import door


def select(fit):
    forest = RandomForestClassifier if fit.classes else RandomForestRegressor
    model = forest(n_estimators=500, random_state=fit.seed, n_jobs=-1).fit(fit.X, fit.y)
    return model.feature_importances_, model.predict


door.serve(select)
