"""Times our methods and the Python packages for the same, in turn on one machine, on all rows of a data set: medians and ratios.

FSNET_SHARED=... python peers.py [DATA…] [--methods hsic-lasso,hsic-lasso-block,mrmr] [--repeats 3] [--k 50] [--cores 2] [--pymrmr PYTHON]

The packages are those of ../testdata/requirements.txt; PYTHON is one that has those of ../testdata/requirements-mrmr.txt, without which
pymrmr is left out. Each fit has a process of its own and is timed alone: reading the data and starting a program are not in it. Beside the
seconds stand those of the processor, which other work on the machine disturbs less.

mrmr_selection computes F statistics and correlations, which is less work than mutual information of discretised features, and which ours
does. pymrmr computes the same as ours. Both take minutes with K = 50; --k 10 is enough to compare.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "testdata"))
warnings.filterwarnings("ignore")


def hsic(b):
    def fit(x, y, k, cores):
        from pyHSICLasso import HSICLasso

        lasso = HSICLasso()
        lasso.input(x, y)
        lasso.classification(k, B=b, M=3, n_jobs=cores)

    return fit


def mrmr_selection(x, y, k, cores):
    import pandas
    from mrmr import mrmr_classif

    mrmr_classif(pandas.DataFrame(x), pandas.Series(y), K=k, n_jobs=cores, show_progress=False)


def pymrmr(x, y, k, cores):
    import numpy as np
    import pandas
    import pymrmr

    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    states = np.where(z > 1, 1, np.where(z < -1, -1, 0))
    pymrmr.mRMR(pandas.DataFrame(np.c_[y, states], columns=["class"] + [str(j) for j in range(x.shape[1])]), "MID", k)


PEERS = {"pyHSICLasso": ("hsic-lasso", hsic(0)), "pyHSICLasso, B = 20": ("hsic-lasso-block", hsic(20)),
         "mrmr_selection": ("mrmr", mrmr_selection), "pymrmr": ("mrmr", pymrmr)}


def processor():
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def alone(peer, data, k, cores):
    """One fit in this process: prints its seconds and those of the processor."""
    import tables

    x, y = tables.large(data)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # pymrmr prints from C
    start, used = time.perf_counter(), processor()
    with contextlib.redirect_stderr(open(os.devnull, "w")):
        PEERS[peer][1](x, y, k, cores)
    taken = time.perf_counter() - start
    with contextlib.suppress(ImportError):  # workers count once they have ended
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown(wait=True)
    os.write(out, json.dumps([taken, processor() - used]).encode())


def theirs(python, peer, data, k, cores):
    """Seconds and processor seconds of a package's fit, in a process of its own."""
    out = subprocess.run([python, __file__, data, "--alone", peer, "--k", str(k), "--cores", str(cores)], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def ours(binary, method, data, k):
    """Seconds and processor seconds of our fit, as its benchmark measures them."""
    out = subprocess.run([binary, "-test.run", "^$", "-test.bench", f"^BenchmarkFit$/^{method}$/^{data}$/^k={k}$", "-test.benchtime", "1x"],
                         cwd=HERE.parent / "comparators", text=True, capture_output=True, check=True).stdout
    return float(re.search(r"([\d.]+) ns/op", out)[1]) / 1e9, float(re.search(r"([\d.e-]+) processor", out)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="*", default=["ALLAML"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--k", type=int, default=50)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--methods", default="hsic-lasso,hsic-lasso-block,mrmr")
    parser.add_argument("--pymrmr", metavar="PYTHON")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cores])
    if arguments.alone:
        return alone(arguments.alone, arguments.data[0], arguments.k, arguments.cores)
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "comparators.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "."], cwd=HERE.parent / "comparators", check=True)
        for data in arguments.data:
            for method in arguments.methods.split(","):
                peers = [peer for peer, (of, _) in PEERS.items() if of == method and (peer != "pymrmr" or arguments.pymrmr)]
                mine, others = [], {peer: [] for peer in peers}
                for _ in range(arguments.repeats):
                    mine.append(ours(binary, method, data, arguments.k))
                    for peer in peers:
                        others[peer].append(theirs(arguments.pymrmr if peer == "pymrmr" else sys.executable, peer, data, arguments.k, arguments.cores))
                for peer in peers:
                    for i, what in enumerate(("seconds", "processor seconds")):
                        a, b = statistics.median(m[i] for m in mine), statistics.median(t[i] for t in others[peer])
                        each = sorted(t[i] / m[i] for m, t in zip(mine, others[peer]))
                        print(f"{data} {method} k={arguments.k}: ours {a:.2f}, {peer} {b:.2f} {what}: {b / a:.1f} times (of each pair {each[0]:.1f} to {each[-1]:.1f})", flush=True)


main()
