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
    array("fixed", TABLE, chunks=(4, 4))
    array("fixed-filtered", TABLE, chunks=(4, 4), compression="gzip")
    array("fixed-may-grow", TABLE, chunks=(4, 4), maxshape=(20, 30))
    array("extensible", TABLE, chunks=(2, 11), maxshape=(None, 11), compression="gzip")
    array("extensible-second", TABLE, chunks=(4, 4), maxshape=(13, None))
    array("tree", TABLE, chunks=(2, 2), maxshape=(None, None), compression="gzip")
    array("tree-plain", TABLE, chunks=(1, 1), maxshape=(None, None))
    array("cube", np.arange(210).reshape(5, 6, 7), chunks=(2, 4, 3))
    many = np.arange(9000, dtype="i2")
    array("many-extensible", many, chunks=(1,), maxshape=(None,))
    array("many-fixed", many[:2500], chunks=(1,))
    array("many-fixed-filtered", many[:2500], chunks=(1,), shuffle=True)
    file.create_dataset("few-of-many", shape=(9000,), dtype="i2", chunks=(1,), maxshape=(None,))[7000:7003] = 5
    file.create_dataset("pages", shape=(140000,), dtype="i1", chunks=(1,), maxshape=(None,))[135000:135003] = 5
    file.create_dataset("few-of-fixed", shape=(9000,), dtype="i2", chunks=(1,))[7000:7003] = 5
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
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_chunk((4, 4))
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    h5py.h5d.create(file.id, b"implicit", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((13, 11)), early).write(h5py.h5s.ALL, h5py.h5s.ALL, TABLE)
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
    file.create_dataset("extensible", data=np.arange(30, dtype="u1"), chunks=(1,), maxshape=(None,))
    file.create_dataset("tree", data=TABLE[:3, :3], chunks=(1, 2), maxshape=(None, None))
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


for name, versions in {"earliest": ("earliest", "v108"), "middle": ("v110", "v110"), "latest": ("latest", "latest")}.items():
    with h5py.File("x.h5", "w", libver=versions, userblock_size=512 if name == "middle" else 0) as file:
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
