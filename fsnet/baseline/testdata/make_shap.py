"""shap.json: the package shap's importances of scikit-learn's forests, path-dependent, over the rows that these were grown on.

python make_shap.py > shap.json    with requirements-shap.txt
"""

import json
import sys

import numpy as np
import shap
from sklearn.ensemble import RandomForestClassifier

import tables

cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    forest = RandomForestClassifier(1500, random_state=1, n_jobs=2).fit(x, y)
    values = shap.TreeExplainer(forest, feature_perturbation="tree_path_dependent").shap_values(x, check_additivity=True)
    cases.append(dict(name=name, shap=np.abs(values).mean(axis=(0, 2)).tolist()))
json.dump(cases, sys.stdout)
