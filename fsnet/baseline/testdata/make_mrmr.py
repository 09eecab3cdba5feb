"""mrmr.json: the order in which the original program (pymrmr) selects. requirements-mrmr.txt says how to build it.

FSNET_SHARED=... python make_mrmr.py > mrmr.json
"""

import json
import os
import sys

import numpy as np
import pandas
import pymrmr

import tables


def states(x, t):
    """The discretisation of the original program's DataTable: mean ± t standard deviations, n - 1."""
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    return np.where(z > t, 1, np.where(z < -t, -1, 0))


def order(x, y, t, criterion, k):
    table = pandas.DataFrame(np.c_[y, states(x, t)], columns=["class"] + [str(j) for j in range(x.shape[1])])
    sys.stdout.flush()
    keep, quiet = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)  # it prints from C
    try:
        return [int(j) for j in pymrmr.mRMR(table, criterion.upper(), k)]
    finally:
        import ctypes

        ctypes.CDLL(None).fflush(None)
        os.dup2(keep, 1)


cases = []
for name, parameters in tables.SMALL.items():
    x, y, _ = tables.planted(*parameters)
    for t in (1.0, 0.5):
        for criterion in ("mid", "miq"):
            cases.append(dict(name=name, threshold=t, criterion=criterion, order=order(x, y, t, criterion, x.shape[1])))
for name in tables.LARGE:  # minutes each: it copies the table for every pair of features
    x, y = tables.large(name)
    for criterion in ("mid", "miq"):
        cases.append(dict(name=name, threshold=1.0, criterion=criterion, order=order(x, y, 1.0, criterion, 10)))
x, y = tables.allaml()
for criterion in ("mid", "miq"):
    cases.append(dict(name="ALLAML", every=2, threshold=1.0, criterion=criterion, order=order(x[::2], y[::2], 1.0, criterion, 10)))
json.dump(cases, sys.stdout)
