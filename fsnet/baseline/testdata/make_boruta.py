"""boruta.json: what BorutaPy 0.4.3 (requirements.txt) confirms with each of three seeds, and the chances of heads.

python make_boruta.py > boruta.json
"""

import json
import sys

from boruta import BorutaPy
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier

import tables


def confirmed(x, y, seed):
    forest = RandomForestClassifier(random_state=seed)
    fitted = BorutaPy(forest, n_estimators=60, two_step=False, max_iter=25, random_state=seed).fit(x, y)
    return [j for j, is_confirmed in enumerate(fitted.support_) if is_confirmed]


cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    cases.append(dict(name=name, confirmed=[confirmed(x, y, seed) for seed in range(3)]))
heads = [[n, h, float(binom.sf(h - 1, n, 0.5))] for n in (1, 5, 40, 100, 1000) for h in sorted({0, 1, n // 2, n - 1, n})]
json.dump(dict(cases=cases, heads=heads), sys.stdout)
