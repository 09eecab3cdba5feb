"""Runs the command fsnet: finds it, hands it data as files, shows its progress, and turns its errors into exceptions."""

import json
import multiprocessing
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse

PATIENCE = 5  # seconds that an interrupted command may take to end
QUICK = 2  # seconds without a progress line


def find() -> str:
    """Returns the path of the command: the one installed with this package, else the first on the PATH."""
    found = shutil.which("fsnet", path=sysconfig.get_path("scripts")) or shutil.which("fsnet")
    if found is None:
        raise FileNotFoundError("the command fsnet is not installed beside this Python, nor on the PATH - pip install fsnetlab brings it")
    return found


def write(folder: pathlib.Path, X: Any, names: Sequence[str], rows: Mapping[str, np.ndarray]) -> pathlib.Path:
    """Writes measurements, n×d, their d names, and arrays of n values as the files that fsnet reads together; returns the path of X.

    Sparse X stays sparse. Floats wider than 64 bits become float64; no other value changes.
    """
    if X.dtype.kind == "f" and X.dtype.itemsize > 8:
        X = X.astype(np.float64)
    if scipy.sparse.issparse(X):
        path = folder / "X.npz"
        scipy.sparse.save_npz(path, X.tocsr(), compressed=False)
    else:
        path = folder / "X.npy"
        np.save(path, X)
    np.save(folder / "feature_names.npy", np.asarray(names, dtype=str))
    for name, values in rows.items():
        np.save(folder / f"{name}.npy", values)
    return path


def option(folder: pathlib.Path, key: str, value: Any) -> str:
    """Returns a key as an option. Lists of names, and mappings of names, become files in folder: a name may hold a comma."""
    key = key.rstrip("_").replace("_", "-")
    if isinstance(value, (bool, np.bool_)):
        value = str(value).lower()
    elif isinstance(value, (Mapping, list, tuple, set, np.ndarray)):
        lines = [f"{name}\t{item}" for name, item in value.items()] if isinstance(value, Mapping) else list(map(str, value))
        if isinstance(value, Mapping) or key in ("must", "never"):
            value = folder / f"{key}.txt"
            value.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        else:
            value = ",".join(lines) or "none"
    return f"--{key}={value}"


def run(arguments: Sequence[str | os.PathLike], folder: pathlib.Path, verbose: bool = True) -> dict[str, Any]:
    """Runs fsnet with --json and returns its object.

    An interrupt ends the command and its processes, then raises KeyboardInterrupt. Errors of the command become ValueError (a wrong
    request) or RuntimeError (a failure) with its text; warnings become UserWarning.
    """
    answer, output, start = folder / "answer.json", [], time.monotonic()
    show = _progress_line() if verbose else None
    with open(answer, "wb") as out:
        process = subprocess.Popen(
            [find(), *map(os.fspath, arguments), "--json"], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace")
    try:
        for line in process.stderr:
            line = line.rstrip("\n")
            if not re.match(r" *\d+%  ", line):
                output.append(line)
            elif show and time.monotonic() > start + QUICK:
                show(line)
        status = process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise
    finally:
        process.stderr.close()
        if show:
            show("")
    messages = [line.removeprefix("fsnet: ").replace(f"{folder}{os.sep}", "") for line in output if line.startswith("fsnet: ")]
    if status == 0:
        for line in messages:
            warnings.warn(line, stacklevel=4)
        return json.loads(answer.read_text(encoding="utf-8"))
    if status in (130, -signal.SIGINT):
        raise KeyboardInterrupt
    text = messages[-1] if messages else "\n".join(["fsnet ended with status %d" % status, *output[-20:]])
    raise ValueError(text) if status == 2 else RuntimeError(text)


def _progress_line() -> Callable[[str], None] | None:
    """Returns a function that replaces the last line on a terminal or in a notebook, or None without either."""
    if multiprocessing.current_process().name != "MainProcess" or threading.current_thread() is not threading.main_thread():
        return None  # a worker of joblib beside others
    if "ipykernel" in sys.modules:
        from IPython.display import display

        handles: list[Any] = []

        def show(line):
            if handles:
                handles[0].update({"text/plain": line}, raw=True)
            elif line:
                handles.append(display({"text/plain": line}, raw=True, display_id=True))

        return show
    if sys.stderr and sys.stderr.isatty():
        return lambda line: print("\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1], end="", file=sys.stderr, flush=True)
    return None
