"""Tests this package against another implementation of the format, in both directions.

Writes python.safetensors and float16.safetensors, which the tests read, and written.json: what that implementation finds in
written.safetensors, which this package wrote (go test -run Python -update).

Made with Python 3.11.7, safetensors 0.8.0, NumPy 2.4.6:  python make_fixture.py
"""
import json

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

save_file({
    "weights": np.array([[1.5, -0.0, np.inf], [1e-45, 3.4028235e38, -2.25]], dtype=np.float32),
    "mean": np.array([0.1, -1e-300, 5e-324], dtype=np.float64),
    "index": np.array([-1, 0, 2**62 + 1], dtype=np.int64),
    "seed": np.array([0, 4294967295], dtype=np.uint32),
    "scalar": np.array(7.25, dtype=np.float64),
    "none": np.zeros((0, 3), dtype=np.float32),
    "odd β \"name\"": np.array([3], dtype=np.uint32),
}, "python.safetensors", metadata={"format": "np", "note": "two\nlines, <tag>, β"})

save_file({"half": np.array([1, 2], dtype=np.float16)}, "float16.safetensors")

with safe_open("written.safetensors", framework="numpy") as f:
    tensors = {}
    for name in f.keys():
        t = f.get_tensor(name)
        tensors[name] = {"dtype": t.dtype.str, "shape": list(t.shape), "bytes": t.tobytes().hex()}
    found = {"metadata": f.metadata(), "tensors": tensors}
with open("written.json", "w", encoding="utf-8") as out:
    json.dump(found, out, indent=1, sort_keys=True, ensure_ascii=False)
    out.write("\n")
