"""Integrated path stability selection (Melikechi, Miller 2025) by boosted trees: the authors' package ipss.

Features with more expected false positives come later.
"""

import numpy as np
from ipss import ipss

import door


def select(fit):
    np.random.seed(fit.seed)
    result = ipss(fit.X, fit.y)
    return [-result["efp_scores"][j] for j in range(fit.X.shape[1])]


door.serve(select)
