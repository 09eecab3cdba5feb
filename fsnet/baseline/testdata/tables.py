"""Data for the fixtures: ALLAML as it is built into the program, MAT files where FSNET_SHARED has them, and small random tables.

python tables.py > tables.json writes the small ones for the tests.
"""

import gzip
import json
import os
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def allaml():
    """X (72×7129, 32-bit values as the program has them, in 64 bits) and y (0, 1), from fsnet/dataset/builtin."""
    with gzip.open(HERE.parents[1] / "dataset" / "builtin" / "ALLAML.gz") as file:
        n, d, unit = file.readline().split()
        n, d = int(n), int(d)
        for _ in range(1 + d):
            file.readline()
        rest = np.frombuffer(file.read(), dtype=np.uint8)
    y = rest[:n].astype(int)
    low, middle, high = rest[n:].reshape(3, d, n).astype(np.int64)
    zigzag = low | middle << 8 | high << 16
    x = ((zigzag >> 1) ^ -(zigzag & 1)) / float(unit)
    return x.T.astype(np.float32).astype(np.float64), y


def shared(name):
    """X and y (from 0) of a MAT file in FSNET_SHARED/data."""
    import scipy.io

    table = scipy.io.loadmat(pathlib.Path(os.environ["FSNET_SHARED"]) / "data" / f"{name}.mat")
    _, y = np.unique(table["Y"].ravel(), return_inverse=True)
    return table["X"].astype(np.float32).astype(np.float64), y


def planted(seed, n, d, classes, told=6):
    """A table of normal numbers whose first columns say something of the class, and a quantity that depends on three of them, both
    rounded so that they are short in a file."""
    rng = np.random.RandomState(seed)
    y = np.arange(n) % classes
    x = rng.normal(size=(n, d))
    for j in range(told):
        x[:, j] += (y == j % classes) * (2.0 - 1.5 * j / told)
    x = np.round(x, 3)
    return x, y, np.round(x[:, 0] - 2 * x[:, 1] + x[:, 2] ** 2, 3)


SMALL = {"two": (1, 60, 25, 2), "three": (2, 66, 30, 3), "four": (3, 131, 20, 4)}
LARGE = ("ALLAML", "GLIOMA", "Prostate_GE")


def large(name):
    return allaml() if name == "ALLAML" else shared(name)


if __name__ == "__main__":
    tables = {}
    for name, parameters in SMALL.items():
        x, y, quantity = planted(*parameters)
        tables[name] = dict(rows=x.tolist(), y=y.tolist(), classes=parameters[-1], quantity=quantity.tolist())
    json.dump(tables, sys.stdout)
