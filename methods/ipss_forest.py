"""Integrated path stability selection (Melikechi, Miller 2025) by boosted trees: the authors' package ipss.

What it expects to be false comes last.
"""

import numpy as np
from ipss import ipss

import door


def select(fit):
    np.random.seed(fit.seed)
    found = ipss(fit.X, fit.y)
    return [-found["efp_scores"][j] for j in range(fit.X.shape[1])]


door.serve(select)
