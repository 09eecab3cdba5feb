"""The words that install.sh understands, and what it answers to others; and what its tests take for a failure."""

import json
import shutil
import subprocess
import sys

import pytest


@pytest.mark.parametrize("arguments", [["help"], ["--help"], ["-h"], ["test", "--help"], ["lab", "-h"]])
def test_help_names_every_verb(stage, arguments):
    result = stage.run(*arguments)
    assert result.status == 0, result
    for verb in ("lab", "run", "test", "wheel", "release", "docs", "uninstall", "help"):
        assert f"./install.sh {verb}" in result.out
    assert stage.files() == []


@pytest.mark.parametrize(
    "arguments, what, remedy",
    [
        (["frobnicate"], "unknown verb frobnicate", "install lab run test wheel release docs uninstall help"),
        (["test", "unti"], "unknown stage unti", "format lint unit race install notebooks browser"),
        (["install", "--fast"], "install takes --cuda and nothing else, but got --fast", "./install.sh help"),
        (["--fast"], "install takes --cuda and nothing else, but got --fast", "./install.sh help"),
        (["--cuda=11"], "--cuda=11 is not known", "--cuda=12 or --cuda=13"),
        (["install", "--cuda", "quickstart"], "but got quickstart", "./install.sh help"),
        (["uninstall", "--all"], "unknown option --all", "--purge"),
        (["release", "plan9/mips"], "release does not build for plan9/mips", "choose from: linux/amd64"),
        (["wheel", "--fast"], "wheel does not build for --fast", "choose from: linux/amd64"),
        (["run"], "run needs a notebook", "quickstart.ipynb"),
    ],
)
def test_wrong_request_is_refused_with_a_remedy(stage, arguments, what, remedy):
    result = stage.run(*arguments)
    assert result.status == 2, result
    assert what in result.err and remedy in result.err, result
    assert len(result.err.splitlines()) == 2, result
    assert stage.files() == []


def test_home_that_does_not_exist(stage):
    result = stage.run(HOME="/nonexistent/home")
    assert result.status == 1 and "/nonexistent/home" in result.err, result


def test_shellcheck_finds_nothing(root):
    program = shutil.which("shellcheck")
    assert program, "shellcheck is in the environment of the tests"
    process = subprocess.run([program, "--external-sources", "install.sh", ".ci/run"], cwd=root, capture_output=True, text=True)
    assert process.returncode == 0, process.stdout


def test_every_slow_test_exists(root, slow):
    """A test that was renamed would run each time."""
    tests = {path: path.read_text(encoding="utf-8") for path in (root / "tests").glob("*/test_*.py")}
    for folder, entries in slow.items():
        for file, _, name in (entry.partition("::") for entry in entries):
            assert f"def test_{name}" in tests[root / "tests" / folder / f"test_{file}.py"], f"{folder}: {file}::{name}"


LAB = """package lab

import (
	"os"
	"testing"
)

func TestA(t *testing.T) { t.Error("it is 4") }
func TestB(t *testing.T) { END }
func TestC(t *testing.T) {}
"""


@pytest.mark.parametrize(("end", "known", "status"), [
    ("_ = os.Args", "", 1),
    ("_ = os.Args", "lab TestA # rounding", 0),
    ("os.Exit(1)", "", 1),
    ("os.Exit(1)", "lab TestA # rounding", 1),
    ("os.Exit(0)", "lab TestA # rounding", 1),
    ('_ = os.Args; panic("at the disco")', "lab TestA # rounding", 1),
    ("_ = os.Argh", "lab TestA # rounding", 1),
])
def test_a_crash_is_a_failure_whatever_else_failed(tmp_path, root, end, known, status):
    """Where TestB ends the process, nobody has seen TestC: a known failure of TestA explains nothing."""
    (tmp_path / "go.mod").write_text("module lab\n\ngo 1.24\n")
    (tmp_path / "lab_test.go").write_text(LAB.replace("END", end))
    (tmp_path / "quarantine").write_text(known)
    said = subprocess.run(["go", "test", "-json", "-vet=off", "./..."], cwd=tmp_path, text=True, capture_output=True)
    lines = said.stdout + json.dumps({"Action": "exit", "Status": said.returncode})
    words = [sys.executable, root / "install/gotest.py", tmp_path / "counts", tmp_path / "unit", tmp_path / "quarantine"]
    process = subprocess.run(words, input=lines, text=True, capture_output=True)
    assert process.returncode == status, process
    details = (tmp_path / "unit.details").read_text()
    assert ("it is 4" in details) == ("Argh" not in end) and ("undefined: os.Argh" in details) == ("Argh" in end), details


@pytest.mark.parametrize(("pattern", "said", "status"), [("Split", "no test failed in 2 runs", 0), ("[", "2 of 2  fsnetlab/internal/phrase", 1)])
def test_again_counts_what_failed(root, pattern, said, status):
    """tests/again.py runs tests as often as it is told, and names what failed with how often."""
    words = [sys.executable, root / "tests/again.py", "--beside", "0", "2", "./internal/phrase", "-run", pattern]
    process = subprocess.run(words, text=True, capture_output=True)
    assert process.returncode == status and said in process.stdout, process
