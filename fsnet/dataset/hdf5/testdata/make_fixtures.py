"""Writes the HDF5 files that the tests read, with the HDF Group's own library, and beside each what h5py reads back from it.

Made with Python 3.11.7, h5py 3.16.0 (HDF5 2.0.0), NumPy 2.4.6:  python make_fixtures.py
"""
import gzip
import json
import os

import h5py
import numpy as np

TABLE = np.random.default_rng(1).integers(-100, 100, (13, 11)).astype("f4")


def write(file):
    def array(name, data, **how):
        file.create_dataset(name, data=data, **how)

    array("contiguous", TABLE)
    array("all-filters", TABLE, chunks=(4, 5), compression="gzip", shuffle=True, fletcher32=True)
    array("lzf", np.repeat(TABLE, 9, axis=0), chunks=(40, 11), compression="lzf")
    array("one-chunk", TABLE, chunks=(13, 11), compression="gzip")
    array("one-chunk-plain", TABLE, chunks=(13, 11))
    array("may-grow", TABLE, chunks=(4, 4), maxshape=(20, 30))
    array("grows", TABLE, chunks=(2, 11), maxshape=(None, 11), compression="gzip")
    array("grows-both-ways", TABLE, chunks=(2, 2), maxshape=(None, None), compression="gzip")
    array("cube", np.arange(210).reshape(5, 6, 7), chunks=(2, 4, 3))
    many = np.arange(9000, dtype="i2")
    array("many-chunks", many, chunks=(1,), maxshape=(None,))
    file.create_dataset("few-of-many", shape=(9000,), dtype="i2", chunks=(1,), maxshape=(None,))[7000:7003] = 5
    for kind in "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 >i2 >i8 >f4 >f8".split():
        low = 0 if "u" in kind else -3
        array("number-" + kind, np.array([0, 1, low, 100, 0.5 if "f" in kind else 5]).astype(kind))
    array("half", np.array([0, -0.0, 1e-7, 6.1e-5, 65504, np.inf, -np.inf, 1 / 3], "f2"))
    array("bool", np.array([True, False, True]))
    texts = np.array(["a", "β-actin", "", "long" * 500], dtype=object)
    array("text", texts, dtype=h5py.string_dtype())
    array("text-filtered", np.array(["x%d" % i for i in range(500)], dtype=object), dtype=h5py.string_dtype(), chunks=(90,), compression="gzip")
    array("text-fixed", np.array([b"abc", b"d", b""]))
    array("single", 5.5)
    array("empty", np.zeros((0, 3), "f4"))
    file.create_dataset("unwritten", shape=(100,), dtype="f4", chunks=(10,))
    file.create_dataset("partly", shape=(100,), dtype="i4", chunks=(10,))[35:42] = 7
    group = file.create_group("group")
    for i in range(120):
        group.create_group("member-%03d" % i)
    large = file.create_group("large")
    for i in range(2500):
        large["member-%04d-" % i + "long" * 60] = group
    file.create_dataset("references", data=np.array([file["single"].ref, file["group/member-003"].ref], dtype=object), dtype=h5py.ref_dtype)
    group["soft"] = h5py.SoftLink("/contiguous")
    for i in range(30):
        group.attrs["number-%d" % i] = i
    group.attrs["text"] = "héllo"
    group.attrs["list"] = ["p", "q", "rr"]


def write_small(file):
    """A few kB, from which fuzzing starts."""
    file.create_dataset("filtered", data=TABLE[:4], chunks=(3, 5), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("lzf", data=np.zeros(40, "i2"), chunks=(40,), compression="lzf")
    file.create_dataset("grows", data=np.arange(30, dtype="u1"), chunks=(1,), maxshape=(None,))
    file.create_dataset("grows-both-ways", data=TABLE[:3, :3], chunks=(1, 2), maxshape=(None, None))
    file.create_dataset("text", data=np.array(["a", "β-actin"], dtype=object), dtype=h5py.string_dtype())
    file.create_dataset("references", data=np.array([file["text"].ref], dtype=object), dtype=h5py.ref_dtype)
    group = file.create_group("group")
    for i in range(10):
        group["member-%d" % i] = file["text"]
        group.attrs["number-%d" % i] = i
    group.attrs["text"] = "héllo"


def values(file):
    found = {}

    def visit(name, node):
        if isinstance(node, h5py.Dataset) and name != "references":
            data = node.asstr()[()] if node.dtype == object else node[()]
            if data.dtype.kind == "S":
                data = data.astype(str)
            found[name] = [None] if data.size == 0 else [x if isinstance(x, str) else str(float(x)) for x in data.ravel().tolist()]

    file.visititems(visit)
    return found


for name, versions in {"earliest": ("earliest", "v108"), "v108": ("v108", "v108")}.items():
    with h5py.File("x.h5", "w", libver=versions, userblock_size=512 if name == "v108" else 0) as file:
        write(file)
    with h5py.File("x.h5") as file, gzip.GzipFile(name + ".json.gz", "w", mtime=0) as out:
        out.write(json.dumps(values(file)).encode())
    with open("x.h5", "rb") as file, gzip.GzipFile(name + ".h5.gz", "w", mtime=0) as out:
        out.write(file.read())
    with h5py.File("x.h5", "w", libver=versions) as file:
        write_small(file)
    with open("x.h5", "rb") as file, gzip.GzipFile("small-" + name + ".h5.gz", "w", mtime=0) as out:
        out.write(file.read())
os.remove("x.h5")
