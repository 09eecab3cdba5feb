"""Writes the files of cells that the tests read, with the libraries of those who write such files, and the numbers as CSV, in another
way than the files.

    python make_fixtures.py anndata VERSION     with anndata 0.8.0 (h5py 3.11), 0.10.9 and 0.12.19 (h5py 3.16), Python 3.11.7, and 0.13.4
                                                (h5py 3.16, pandas 3.1, whose words may be missing), Python 3.13.0: once with each
    python make_fixtures.py others              with anndata 0.12.19, SciPy 1.17.1, h5py 3.16.0, hdf5plugin 7.1.0, hdf5storage 0.2.2
"""
import gzip
import os
import sys

import h5py
import numpy as np
import pandas as pd
import scipy.io
import scipy.sparse as sp

N, D = 24, 7
random = np.random.default_rng(7)
X = np.round(random.gamma(2, 2, (N, D)) * (random.random((N, D)) < 0.4), 3).astype("f4")
NAMES = ["cell-%02d" % i for i in range(N)]
GENES = ["TP53", "β-actin", "GAPDH", "CD4", "CD8A", "ACTB", "MALAT1"]
TYPES = [["B", "T", "NK"][i % 3] for i in range(N)]


def obs():
    table = pd.DataFrame(index=NAMES)
    table["cell_type"] = pd.Categorical(TYPES)
    table["holes"] = pd.Categorical([None if i == 5 else t for i, t in enumerate(TYPES)])
    table["words"] = ["left" if i % 2 else "right" for i in range(N)]
    table["healthy"] = [i % 4 == 0 for i in range(N)]
    table["batch"] = np.array([i % 2 + 1 for i in range(N)], "i1")
    table["grade"] = pd.Categorical(np.array([i % 3 for i in range(N)]))
    table["age"] = np.array([20.5 + i for i in range(N)], "f4")
    table["name"] = ["name %d" % i for i in range(N)]
    return table


def csv(name, numbers):
    np.savetxt(name, numbers, fmt="%.9g", delimiter=",")


def by_anndata(version):
    import anndata as ad

    assert ad.__version__ == version, ad.__version__
    var = pd.DataFrame({"length": np.arange(D)}, index=GENES)
    table = ad.AnnData(X, obs=obs(), var=var)
    table.layers["counts"] = sp.csc_matrix(X * 2)
    table.layers["dense"] = X + 1
    raw = ad.AnnData(sp.csr_matrix(np.hstack([X, X[:, :1]])), obs=table.obs, var=pd.DataFrame(index=GENES + ["EXTRA"]))
    table.raw = raw
    stem = "anndata-" + ".".join(version.split(".")[:2])
    table.write_h5ad(stem + "-dense.h5ad", compression="gzip")
    for name, kind in {"csr": sp.csr_matrix, "csc": sp.csc_matrix}.items():
        small = ad.AnnData(kind(X), obs=obs()[["cell_type", "words", "holes"]], var=pd.DataFrame(index=GENES))
        small.write_h5ad(stem + "-" + name + ".h5ad", compression="lzf" if name == "csc" else None)
    if version == "0.12.19":
        small = ad.AnnData(sp.csr_matrix(X), obs=obs()[["cell_type"]], var=pd.DataFrame(index=GENES))
        small.obs["nullable"] = pd.array([None if i == 3 else i % 2 for i in range(N)], dtype="Int64")
        small.obs["maybe"] = pd.array([None if i == 3 else i % 2 == 0 for i in range(N)], dtype="boolean")
        ad.settings.allow_write_nullable_strings = True
        small.obs["string"] = pd.array([None if i == 3 else TYPES[i] for i in range(N)], dtype="string")
        small.write_h5ad("nullable.h5ad")
        ad.AnnData(obs=obs()[["cell_type"]], layers={"counts": X}).write_h5ad("no-x.h5ad")
        table = ad.AnnData(X[:, :3], obs=obs()[["cell_type"]], var=pd.DataFrame(index=["A", "A", "B"]))
        table.obs_names = ["same"] * N
        table.write_h5ad("repeated.h5ad")


def others():
    csv("x.csv", X)
    with open("cell_types.csv", "w") as file:
        file.write("".join(t + "\n" for t in TYPES))
    # As anndata 0.7 wrote it: categories in a group of their own, to which an attribute of the codes refers.
    with h5py.File("anndata-0.7.h5ad", "w") as file:
        file["X"] = X
        for group, index in {"obs": NAMES, "var": GENES}.items():
            g = file.create_group(group)
            g.attrs["_index"] = "index"
            g.create_dataset("index", data=np.array(index, object), dtype=h5py.string_dtype())
        codes = file["obs"].create_dataset("cell_type", data=np.array(["BTN".index(t[0]) for t in TYPES], "i1"))
        file["obs"].create_group("__categories").create_dataset("cell_type", data=np.array(["B", "T", "NK"], object), dtype=h5py.string_dtype())
        codes.attrs["categories"] = file["obs/__categories/cell_type"].ref
    # As Cell Ranger 3 and later write it: genes × cells by columns, names as texts of one length.
    columns = sp.csc_matrix(np.round(X.T * 10).astype("i4"))
    with h5py.File("cellranger.h5", "w") as file:
        g = file.create_group("matrix")
        for name, data in {"data": columns.data, "indices": columns.indices.astype("i8"), "indptr": columns.indptr.astype("i8"), "shape": np.array(columns.shape, "i4")}.items():
            g.create_dataset(name, data=data, chunks=True, compression="gzip", shuffle=True, maxshape=(None,))
        g.create_dataset("barcodes", data=np.array([n.encode() for n in NAMES]))
        f = g.create_group("features")
        f.create_dataset("id", data=np.array([b"ENSG%05d" % j for j in range(D)]))
        f.create_dataset("name", data=np.array([n.encode() for n in GENES]))
        f.create_dataset("feature_type", data=np.array([b"Gene Expression"] * (D - 1) + [b"Antibody Capture"]))
    for name, packed in {"mtx-v3": True, "mtx-v2": False}.items():
        os.makedirs(name, exist_ok=True)
        scipy.io.mmwrite(name + "/matrix.mtx", columns.tocoo(), field="integer", symmetry="general")
        with open(name + "/barcodes.tsv", "w") as file:
            file.write("".join(n + "\n" for n in NAMES))
        with open(name + ("/features.tsv" if packed else "/genes.tsv"), "w") as file:
            file.write("".join("ENSG%05d\t%s%s\n" % (j, n, "\tGene Expression" if packed else "") for j, n in enumerate(GENES)))
        for file in os.listdir(name) if packed else []:
            if not file.endswith(".gz"):
                with open(name + "/" + file, "rb") as plain, gzip.GzipFile(name + "/" + file + ".gz", "w", mtime=0) as out:
                    out.write(plain.read())
                os.remove(name + "/" + file)
    order = random.permutation(N)
    with open("described.tsv", "w") as file:
        file.write("barcode\tcluster\tdonor\n")
        for i in order:
            if i != 11:
                file.write("%s\t%s\t%s\n" % (NAMES[i], TYPES[i], "d%d" % (i % 4)))
        file.write("elsewhere\tB\td1\n")
    import anndata as ad
    import hdf5plugin

    table = ad.AnnData(sp.csr_matrix(X), obs=obs()[["cell_type"]], var=pd.DataFrame(index=GENES))
    table.write_h5ad("zstd.h5ad", compression=hdf5plugin.FILTERS["zstd"])
    table.write_h5ad("lz4.h5ad", compression=hdf5plugin.FILTERS["lz4"])
    # MAT v7.3, as hdf5storage writes it for MATLAB.
    import hdf5storage

    def cells(texts):
        array = np.empty((len(texts), 1), object)
        array[:, 0] = texts
        return array

    for name, variables in {
        "v73": {"X": X.astype("f8"), "Y": np.array([["BTN".index(t[0]) + 1.0] for t in TYPES]), "features": cells(GENES), "samples": cells(NAMES)},
        "v73-text": {"X": X, "label": cells(TYPES)},
    }.items():
        if os.path.exists(name + ".mat"):
            os.remove(name + ".mat")
        hdf5storage.savemat(name + ".mat", variables, format="7.3", oned_as="row", store_python_metadata=False)


others() if sys.argv[1] == "others" else by_anndata(sys.argv[2])
