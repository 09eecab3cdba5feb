"""Writes the MAT files that the tests read, with another program than the one that reads them.

Made with Python 3.11.7, SciPy 1.17.1, NumPy 2.4.6:  python make_fixtures.py
"""
import numpy as np
from scipy.io import savemat
from scipy.sparse import csc_array

X = np.array([[0.5, -1.25, 1e-3], [2.0, 0.0, np.nan], [3.5, 4.0, -7.0], [1.0, 1.0, 2.0]])
Y = np.array([[2], [1], [2], [1]], dtype=np.uint8)


def cells(*texts):
    array = np.empty((len(texts), 1), dtype=object)
    array[:, 0] = texts
    return array


def save(name, compress=True, **variables):
    savemat(name + ".mat", variables, do_compression=compress, oned_as="column")


save("plain", X=X, Y=Y)
save("uncompressed", compress=False, X=X, Y=Y)
save("named", x=X.astype(np.float32), y=cells("tumour", "normal", "tumour", "normal"),
     feature_names=cells("TP53", "β-actin", "x"), samples=np.array(["s1", "s22", "s333", "s4"]))
save("integers", X=np.array([[1, -2], [300, 4], [5, 6], [7, 8]], dtype=np.int16), Y=np.array([True, False, True, False]))
save("complex", X=X + 1j, Y=Y)
save("sparse", X=csc_array(np.nan_to_num(X)), Y=Y)
save("text", X=np.array(["abc", "def"]), Y=Y)
save("cells", X=cells("a", "b"), Y=Y)
save("cube", X=np.zeros((2, 2, 2)), Y=Y)
save("other", data=X, labels=Y)
save("rows", X=X, Y=Y[:2])
save("transposed", X=X.T, Y=Y)
save("empty", X=np.zeros((0, 3)), Y=np.zeros((0, 1)))
save("names-few", X=X, Y=Y, features=cells("a", "b"))
save("names-empty", X=X, Y=Y, genes=cells("a", "", "c"))
save("names-numbers", X=X, Y=Y, names=cells(1.0, 2.0, 3.0))
save("names-rows", X=X, Y=Y, names=cells("a", np.array(["b", "c"]), "d"))
save("label-missing", X=X, Y=cells("u", "NA", "v", "u"))
save("struct", X={"a": 1}, Y=Y)
