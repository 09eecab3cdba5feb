"""A session outlives its kernel: what one notebook left, the next one takes up, with the real engine and the installed program."""

import os
import pathlib
import re
import shutil
import subprocess

import nbformat
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text(cell):
    return "\n".join(o.text if o.output_type == "stream" else o.get("data", {}).get("text/plain", "") for o in cell.outputs)


@pytest.fixture
def folder(out):
    path = out / "runs"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    # A repository of its own: this one's passes everything here over anyway.
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    return path


def execute(folder, name, *cells):
    """What each cell of a notebook shows, run by a kernel of its own."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    notebook.metadata["kernelspec"] = {"name": "fsnet", "display_name": "FsNet (Go)", "language": "go"}
    source = folder / f"{name}.ipynb"
    nbformat.write(notebook, source)
    process = subprocess.run(
        [str(ROOT / "install.sh"), "run", str(source), "--output", str(folder / f"{name}.done.ipynb"), "--timeout", "300"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return [text(c) for c in nbformat.read(folder / f"{name}.done.ipynb", as_version=4).cells]


def step(checkpoint):
    """Of a file 000012-step120.safetensors."""
    return int(re.search(r"\d+$", checkpoint.stem)[0])


def program(folder, *words):
    return subprocess.run(["fsnet", *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


# The same story, told at once and with the kernel ended in the middle.
BEGIN = "%fsnet open story data=ALLAML k=5 seed=2 replace=true"
FIRST = "%fsnet step 60\n%fsnet set lambda=0.3\n%fsnet step 40"
SECOND = "%fsnet step 50\n%fsnet rewind 90\n%fsnet step 30"
END = "%fsnet selection"


def test_a_session_is_taken_up_to_the_same_bits(folder):
    whole = execute(folder, "whole", BEGIN, FIRST, SECOND, END)
    assert "step 120 " in whole[2]
    execute(folder, "first", BEGIN, FIRST)
    resumed = execute(folder, "second", "%fsnet open story", SECOND, END)
    assert re.search(r"step 100 of 1500", resumed[0]) and "continued at step 100 from " in resumed[0], resumed[0]
    assert resumed[2] == whole[3]

    listed = program(folder, "runs", "list")
    assert re.search(r"^story +ALLAML +5 +120 of 1500 +paused ", listed.stdout, re.MULTILINE), listed
    directory = folder / ".fsnet" / "runs" / "story"
    assert os.stat(directory).st_mode & 0o777 == 0o700
    seen = subprocess.run(["git", "status", "--short", "--untracked-files=all"], cwd=folder, check=True, capture_output=True, text=True).stdout
    assert "second.ipynb" in seen and ".fsnet" not in seen, seen

    *_, before, newest = sorted(directory.glob("*.safetensors"))
    newest.write_bytes(newest.read_bytes()[:5000])
    damaged = " ".join(execute(folder, "damaged", "%fsnet open story")[0].split())
    assert re.search(rf"continued at step {step(before)} from .*/{newest.name}: .*cut short.*: the one before is used", damaged), damaged
    assert program(folder, "runs", "rm", "story").returncode == 0
    assert not directory.exists()
