"""Every notebook is executed by ./install.sh run (nbclient), and shows what it promises."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import time

import nbformat
import pytest
from checks import Executed
from expectations import EXPECTED

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb") if ".executed." not in path.name)
if sys.version_info < (3, 11):  # scikit-learn is among the tests' packages from Python 3.11 on
    NOTEBOOKS.remove("python.ipynb")


def python_kernel(folder):
    """A Python kernel of the installation that imports fsnetlab from the clone, and the rest from the tests' packages."""
    spec = folder / "jupyter/kernels/python3"
    spec.mkdir(parents=True)
    argv = [os.path.join(os.environ["FSNET_HOME"], "venv", "bin", "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    paths = {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), sysconfig.get_path("purelib")])}
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Python", "language": "python", "env": paths}))
    return str(folder / "jupyter")


class Run:
    def __init__(self, name, out, environment):
        source = out / "notebooks" / pathlib.Path(name).stem / name  # its runs and outputs stay out of the clone's own folder
        shutil.rmtree(source.parent, ignore_errors=True)  # rows that a notebook keeps would go on where an earlier run of it ended
        source.parent.mkdir(parents=True)
        shutil.copy(ROOT / "notebooks" / name, source)
        self.output = source.with_suffix(".executed.ipynb")
        environment = environment | {"JUPYTER_PATH": python_kernel(source.parent)}
        began = time.monotonic()
        self.process = subprocess.run(
            [str(ROOT / "install.sh"), "run", str(source), "--timeout", "300"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900
        )
        self.seconds = time.monotonic() - began
        self.notebook = nbformat.read(self.output, as_version=4) if self.output.exists() else None

    def __repr__(self):
        return f"status {self.process.returncode} after {self.seconds:.0f} s\n{self.process.stdout}\n{self.process.stderr}"


@pytest.fixture(scope="module")
def runs(out, as_users):
    """Each notebook is executed once, when it is first asked for."""
    done = {}

    def run(name):
        if name not in done:
            done[name] = Run(name, out, as_users)
        return done[name]

    return run


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_runs_without_an_error(runs, name):
    run = runs(name)
    assert run.process.returncode == 0, run
    print(run)
    code = [c for c in run.notebook.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == list(range(1, len(code) + 1))
    errors = [o for c in code for o in c.outputs if o.output_type == "error"]
    assert not errors


@pytest.mark.parametrize("name, tag, check", [(n, tag, check) for n, rows in EXPECTED.items() if n in NOTEBOOKS for tag, check in rows], ids=lambda v: v if isinstance(v, str) else "")
def test_shows_what_it_promises(runs, name, tag, check):
    run = runs(name)
    assert run.notebook, run
    check(Executed(run.notebook), tag)
