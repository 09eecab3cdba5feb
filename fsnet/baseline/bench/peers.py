"""Times our methods and the Python packages for the same, in turn on one machine, on all rows of a data set: medians and ratios.

FSNET_SHARED=... python peers.py [DATA…] [--repeats 3] [--k 50] [--cores 2]

The packages are those of ../testdata/requirements.txt. Each fit is timed alone: reading the data and starting a program are not in it.
mrmr is timed against mrmr_selection, the fastest that there is; it computes F statistics and correlations, which is less work than mutual
information of discretised features. pymrmr, which computes the same as ours, takes minutes.
"""

import argparse
import contextlib
import io
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "testdata"))
warnings.filterwarnings("ignore")


def seconds(work):
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        work()
    return time.perf_counter() - start


def ours(binary, method, data, k):
    out = subprocess.run([binary, "-test.run", "^$", "-test.bench", f"^BenchmarkFit$/^{method}$/^{data}$/^k={k}$", "-test.benchtime", "1x"],
                         cwd=HERE.parent, text=True, capture_output=True, check=True).stdout
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9


def hsic(b):
    def fit(x, y, k, cores):
        from pyHSICLasso import HSICLasso

        lasso = HSICLasso()
        lasso.input(x, y)
        lasso.classification(k, B=b, M=3, n_jobs=cores)

    return fit


def mrmr(x, y, k, cores):
    import pandas
    from mrmr import mrmr_classif

    mrmr_classif(pandas.DataFrame(x), pandas.Series(y), K=k, n_jobs=cores, show_progress=False)


def main():
    import tables

    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="*", default=["ALLAML"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--methods", default="hsic-lasso,hsic-lasso-block,mrmr")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cores])
    peers = {"hsic-lasso": ("pyHSICLasso", hsic(0)), "hsic-lasso-block": ("pyHSICLasso, B = 20", hsic(20)), "mrmr": ("mrmr_selection", mrmr)}
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "baseline.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "."], cwd=HERE.parent, check=True)
        for data in arguments.data:
            x, y = tables.large(data)
            for method in arguments.methods.split(","):
                name, fit = peers[method]
                mine, theirs = [], []
                for _ in range(arguments.repeats):
                    mine.append(ours(binary, method, data, arguments.k))
                    theirs.append(seconds(lambda: fit(x, y, arguments.k, arguments.cores)))
                a, b = statistics.median(mine), statistics.median(theirs)
                each = sorted(t / m for m, t in zip(mine, theirs))
                print(f"{data} {method} k={arguments.k}: ours {a:.2f} s, {name} {b:.2f} s: {b / a:.1f} times (of each pair {each[0]:.1f} to {each[-1]:.1f})", flush=True)


main()
