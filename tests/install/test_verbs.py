"""The words that install.sh understands, and what it answers to others."""

import shutil
import subprocess

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
        (["uninstal"], "unknown verb uninstal", "did you mean uninstall?"),
        (["tset"], "unknown verb tset", "did you mean test?"),
        (["frobnicate"], "unknown verb frobnicate", "install lab run test wheel release docs uninstall help"),
        (["test", "unti"], "unknown stage unti", "format lint unit race install notebooks browser"),
        (["install", "--fast"], "install takes --cuda and nothing else, but got --fast", "./install.sh help"),
        (["--fast"], "install takes --cuda and nothing else, but got --fast", "./install.sh help"),
        (["--cuda=11"], "--cuda=11 is not known", "--cuda=12 or --cuda=13"),
        (["install", "--cuda", "quickstart"], "but got quickstart", "./install.sh help"),
        (["uninstall", "--all"], "unknown option --all", "--purge"),
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
