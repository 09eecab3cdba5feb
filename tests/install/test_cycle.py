"""A new user: a fresh copy of the clone, and a home that holds nothing and has a space in its name. Install, use, mend, remove."""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from conftest import Stage

LIST_KERNELS = """
import json
from jupyter_client.kernelspec import KernelSpecManager
print(json.dumps({name: [spec.argv[0], spec.display_name] for name, spec in ((n, KernelSpecManager().get_kernel_spec(n)) for n in ["fsnet"])}))
"""


@pytest.fixture(scope="module")
def user(root, tmp_path_factory):
    place = tmp_path_factory.mktemp("user")
    home = place / "a home"
    home.mkdir()
    clone = place / "clone"  # of its own, since uninstall removes what the tests of a clone left there: this very environment
    shutil.copytree(root, clone, symlinks=True, ignore=shutil.ignore_patterns(".git", ".home", "out", ".fsnet"))
    stage = Stage(clone, home, place / "programs")
    stage.installed = stage.run()
    return stage


@pytest.fixture
def prefix(user):
    return user.home / ".local/share/fsnet"


def test_installs(user, prefix):
    assert user.installed.status == 0 and "✗" not in user.installed.out, user.installed
    for program in ("bin/fsnet", "bin/gonb", "bin/goimports", "bin/gopls", "venv/bin/jupyter-lab"):
        assert os.access(prefix / program, os.X_OK), program
    assert (user.home / ".local/bin/fsnet").resolve() == prefix / "bin/fsnet"
    assert "put " in user.installed.out and "on your PATH" in user.installed.out
    places = (".local/share/fsnet/", ".local/share/jupyter/kernels/fsnet/", ".local/bin/fsnet", ".cache/fsnet/")
    assert [name for name in user.files() if not name.startswith(places)] == []  # nothing lies elsewhere in the home
    text = subprocess.run([sys.executable, "-c", LIST_KERNELS], env=user.environment, capture_output=True, text=True, check=True).stdout
    assert json.loads(text) == {"fsnet": [str(prefix / "bin/fsnet"), "FsNet (Go)"]}


def test_the_plugin_has_a_record(user, prefix):
    plugins = list(prefix.glob("pjrt/pjrt_c_api_cpu*plugin.*"))
    if not plugins:
        pytest.skip("no plugin to be had here, or one outside the home: " + user.installed.out)
    record = json.loads((prefix / "pjrt/ORIGIN.json").read_text())
    assert set(record) == {"file", "origin", "version", "sha256"} and record["file"] == plugins[0].name
    assert len(record["sha256"]) == 64 and record["version"] in plugins[0].name


def test_cells_find_their_packages_without_a_network(user, prefix):
    assert "require" not in (prefix / "src/go.mod").read_text()
    subprocess.run(["go", "vet", "./..."], cwd=prefix / "src", env=user.environment | {"GOPROXY": "off", "GOFLAGS": "-mod=mod"}, check=True)


def test_runs_a_notebook(user):
    cells = ["%fsnet open a data=ALLAML k=3 seed=1", "%fsnet step 5", 'var a = session.Use("a", session.Config{Data: "ALLAML", K: 3, Seed: 1})\n\n%%\nfmt.Println("step", a.Must().Status().Step)']
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    notebook.metadata.kernelspec = {"name": "fsnet", "display_name": "FsNet (Go)", "language": "go"}
    path = user.home / "work" / "three cells.ipynb"
    path.parent.mkdir()
    nbformat.write(notebook, path)
    result = user.run("run", str(path))
    assert result.status == 0, result
    assert "[ 3/3]" in result.out and "three cells.executed.ipynb" in result.out, result
    executed = nbformat.read(path.with_name("three cells.executed.ipynb"), as_version=4)
    assert "step 5" in "".join(o.get("text", "") for o in executed.cells[2].outputs)


def test_the_second_time_is_quick_and_mends_what_is_broken(user, prefix):
    kept = [prefix / "bin/gopls", prefix / "src", prefix / "venv/bin"]
    before = [path.stat().st_ino for path in kept]
    (prefix / "bin/gonb").unlink()
    result = user.run()
    assert result.status == 0 and result.out.count("already") >= 5, result
    assert [path.stat().st_ino for path in kept] == before
    assert os.access(prefix / "bin/gonb", os.X_OK)


def test_uninstall_leaves_only_what_is_not_ours(user, prefix):
    mine = prefix / "notes.txt"
    mine.write_text("mine")
    link = user.home / ".local/bin/fsnet"
    link.unlink()
    link.write_text("#!/bin/sh\n# another program of that name\n")
    (user.root / "tests/.home").mkdir()
    result = user.run("uninstall")
    assert result.status == 0, result
    assert not (user.root / "tests/.home").exists()
    assert "notes.txt" in result.out and "--purge" in result.out, result
    assert [name for name in user.files() if not name.startswith("work/")] == [
        ".local/bin/fsnet",
        ".local/share/fsnet/notes.txt",
        ".local/state/fsnet/cell_history.jsonl",  # of the cells that ran above
    ]
    assert "cell_history.jsonl: the cells that you ran" in result.out, result
    assert not link.is_symlink()
