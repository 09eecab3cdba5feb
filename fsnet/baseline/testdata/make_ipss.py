"""ipss.json: what the authors' package ipss makes of given importances and indicators, which features it keeps beforehand, and which it
selects with all of its seeds, or with some.

pip install numpy==2.4.6 scikit-learn==1.9.1 ipss==1.1.13
python make_ipss.py > ipss.json
"""

import json
import sys
import warnings

import numpy as np
from ipss import ipss
from ipss.helpers import compute_delta
from ipss.preselection import compute_dcor_scores
from ipss.processing import postprocess_ipss

import tables

warnings.simplefilter("ignore")
CUTOFF, DELTA_OF_TREES = 0.05, 1.25


def numbers(values):
    return [float(x) for x in values]


def by_feature(scores):
    return [float(scores[j]) for j in range(len(scores))]


def post(results, alphas, p, order, delta):
    out = postprocess_ipss(results.copy(), alphas, 25 if alphas is not None else 100, p, p, np.arange(p), len(results), CUTOFF, delta, order, None, None)
    return dict(efp=by_feature(out["efp_scores"]), q=by_feature(out["q_values"]))


random = np.random.RandomState(5)
scored, indicated = [], []
for pairs, p in ((12, 9), (50, 20)):
    # the first three matter in nearly all halves
    results = random.gamma(0.3, 0.02, size=(pairs, 2, p)) * (random.uniform(size=(pairs, 2, p)) < 0.6)
    results[:, :, :3] += random.uniform(0.02, 0.3, size=(pairs, 2, 3)) * (random.uniform(size=(pairs, 2, 3)) < 0.97)
    results = np.round(results, 5)
    scored.append(dict(scores=results.reshape(2 * pairs, p).tolist(), **post(results, None, p, "h3", DELTA_OF_TREES)))
for pairs, p, delta in ((12, 9, 1), (20, 30, 0.4), (20, 30, 0)):
    alphas = np.logspace(np.log10(8.0), np.log10(0.03), 25)
    enter = np.exp(random.normal(size=(pairs, 2, p)) * 0.7 - 2.5)
    enter[:, :, :3] *= 20
    results = (np.minimum(enter, 7.9)[:, None] > alphas[None, :, None, None]).astype(float)
    # steps of the grid at which each half takes up each feature
    first = (results == 0).sum(axis=1).reshape(2 * pairs, p)
    indicated.append(dict(first=first.astype(int).tolist(), pairs=pairs, delta=delta, grid=numbers(alphas), **post(results, alphas, p, "h2", delta)))

whole = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    case = dict(name=name, correlation=float(compute_delta(x, "lasso")))
    if y.max() == 1:
        case["dependence"] = numbers(compute_dcor_scores(x, y.astype(float)))
        for base in ("l1", "rf"):
            case[base] = []
            for seed in range(3):
                np.random.seed(seed)
                out = ipss(x, y, selector=base, preselect=False, B=20)
                case[base].append(by_feature(out["q_values"]))
    whole.append(case)
json.dump(dict(scored=scored, indicated=indicated, whole=whole), sys.stdout)
