"""The stages of ./install.sh test, with others in their place: which goes on beside which, what is said of them, and how they end."""

import json
import os
import re
import subprocess
import sys

import pytest

BESIDE = 'getconf() { echo 4; }\nannounce=yes results=$HOME/out logs=$HOME/out/logs\nmkdir -p "$results/counts"\nuntil_there() { until [ -s "$1" ]; do sleep 0.05; done; }\n'


def test_the_browser_goes_on_beside_the_stages_before_it(stage):
    process = stage.call(
        BESIDE
        + """
chosen=(install notebooks browser)
stage_install() { until_there "$HOME/browsing"; echo "a path: 4 s" >"$results/install.measured"; }
stage_notebooks() { echo 3 0 1 >"$results/counts/notebooks"; echo yes >"$HOME/read"; }
stage_browser() { echo yes >"$HOME/browsing"; until_there "$HOME/read"; echo "a picture is wrong"; return 1; }
run_stages
summary 1
"""
    )
    assert process.returncode == 1, process
    at = [re.search(pattern, process.stdout, re.M).start() for pattern in ("^✓ install", "^✓ notebooks", "^✗ browser", "^ +a picture is wrong", "^stage ", "^    a path: 4 s", "^4 passed, 1 failed, 1 skipped")]
    assert at == sorted(at), process.stdout


def test_stages_in_python_go_on_beside_those_in_go(stage):
    """In an order of their own, the browser beside the others, and when one of them has failed, too."""
    process = stage.call(
        BESIDE
        + """
chosen=(lint unit race install notebooks browser)
stage_lint() { until_there "$HOME/browsing"; }
stage_unit() { :; }
stage_race() { echo yes >"$HOME/racing"; until_there "$HOME/installed"; return 1; }
stage_browser() { echo yes >"$HOME/browsing"; until_there "$HOME/racing"; return 1; }
stage_notebooks() { echo yes >"$HOME/read"; }
stage_install() { [ -s "$HOME/read" ]; echo yes >"$HOME/installed"; }
run_stages
summary 1
"""
    )
    assert process.returncode == 1, process
    at = [re.search(pattern, process.stdout, re.M).start() for pattern in ("^✓ lint", "^✓ unit", "^✗ race", "^✗ browser", "^✓ notebooks", "^✓ install", "^4 passed, 2 failed")]
    assert at == sorted(at), process.stdout


@pytest.mark.parametrize("status", [0, 1])
def test_the_installation_goes_on_beside_what_needs_none(stage, status):
    """Once the files are formatted, of which it makes more. What needs it comes after it; those in Python only where it is there."""
    process = stage.call(
        BESIDE
        + f"""
chosen=(format lint unit browser) early=()
stage_format() {{ [ ! -e "$HOME/installing" ]; }}
stage_lint() {{ until_there "$HOME/installing"; echo yes >"$HOME/vetted"; }}
stage_installation() {{ echo yes >"$HOME/installing"; until_there "$HOME/vetted"; sleep 0.3; echo yes >"$HOME/installed"; return {status}; }}
stage_unit() {{ [ -s "$HOME/installed" ]; }}
stage_browser() {{ [ -s "$HOME/installed" ]; }}
run_installation
run_stages
summary 1
"""
    )
    words = ["^✓ format", "^✓ lint", "^✗ installation" if status else "^✓ installation", "^✓ unit"] + ([] if status else ["^✓ browser"])
    at = [re.search(pattern, process.stdout, re.M).start() for pattern in words]
    assert at == sorted(at) and process.stdout.count("✓ lint") == 1, process
    assert f"{3 if status else 5} passed, {status} failed" in process.stdout and process.returncode == status, process


@pytest.mark.parametrize("environment, program", [(0, 0), (1, 0), (0, 1)])
def test_the_installation_is_whole(stage, environment, program):
    """What the tests want of Python, made beside it, is waited for, and each of both may fail."""
    process = stage.call(
        f"""
root=$HOME test_python=$HOME/python
printf '#!/bin/sh\nexit {program}\n' >"$root/install.sh"
chmod +x "$root/install.sh"
kept_environment() {{ sleep 0.3; echo "$1" >"$HOME/made"; return {environment}; }}
stage_installation
"""
    )
    assert process.returncode == environment + program and (stage.home / "made").read_text() == f"{stage.home}/python\n", process


def test_the_installation_alone_when_nothing_goes_on_beside_it(stage):
    process = stage.call(BESIDE + 'chosen=(format browser) early=()\nstage_format() { [ -s "$HOME/there" ]; }\nstage_installation() { echo yes >"$HOME/there"; }\nstage_browser() { :; }\nrun_installation\nrun_stages\nsummary 1')
    assert process.returncode == 0 and "3 passed, 0 failed" in process.stdout and "beside what follows: installation" not in process.stdout, process


def test_the_browser_alone(stage):
    process = stage.call(BESIDE + 'chosen=(browser)\nstage_browser() { echo yes; }\nrun_stages\nsummary 1')
    assert process.returncode == 0 and "beside" not in process.stdout and "1 passed, 0 failed" in process.stdout, process


def test_two_cores_take_one_lane(stage):
    process = stage.call(BESIDE + 'getconf() { echo 2; }\nchosen=(unit browser)\nstage_unit() { [ ! -e "$HOME/browsing" ]; }\nstage_browser() { echo yes >"$HOME/browsing"; }\nrun_stages\nsummary 1')
    assert process.returncode == 0 and "beside" not in process.stdout and "2 passed, 0 failed" in process.stdout, process


def test_an_interrupt_ends_what_goes_on_beside(stage):
    process = stage.call(
        BESIDE
        + """
chosen=(unit install browser)
stage_unit() { until_there "$HOME/browser"; until_there "$HOME/install"; kill -TERM $$; sleep 600; }
stage_browser() { echo $BASHPID >"$HOME/browser.new"; mv "$HOME/browser.new" "$HOME/browser"; while :; do sleep 1; done; }
stage_install() { echo $BASHPID >"$HOME/install.new"; mv "$HOME/install.new" "$HOME/install"; while :; do sleep 1; done; }
start_lane browser
start_lane install
run_stage unit
"""
    )
    assert process.returncode == 130 and "interrupted" in process.stderr, process
    for name in ("browser", "install"):
        with pytest.raises(ProcessLookupError):
            os.kill(int((stage.home / name).read_text()), 0)


def test_all_adds_what_takes_minutes(stage):
    process = stage.call(
        BESIDE
        + """
go_tests() { echo "$@"; }
stage_unit
stage_race
choose_stages all unit
stage_unit
stage_race
"""
    )
    short, raced, whole, all_raced = process.stdout.splitlines()
    assert short.startswith("unit -skip ^(TestBenchKernel(Row|Flood|Kills)?$|") and whole == "unit ./kernel ./...", process
    assert raced.startswith("race -race -short ./kernel/jupyter ") and all_raced.startswith("race -race -short ./kernel ./kernel/jupyter "), process


GO = """package lab

import (
	"os"
	"testing"
)

func TestA(t *testing.T) { t.Error("it is 4") }
func TestB(t *testing.T) { END }
func TestC(t *testing.T) {}
"""


@pytest.mark.parametrize(("end", "quarantined", "status", "counts"), [
    ("_ = os.Args", "", 1, "2 1 0"),
    ("_ = os.Args", "lab TestA # rounding", 0, "2 0 0"),
    ("os.Exit(1)", "", 1, None),
    ("os.Exit(1)", "lab TestA # rounding", 1, None),
    ("os.Exit(0)", "lab TestA # rounding", 1, None),
    ('panic("at the disco")', "lab TestA # rounding", 1, None),
    ("_ = os.Argh", "lab TestA # rounding", 1, None),
])
def test_a_crash_is_a_failure_whatever_else_failed(tmp_path, root, end, quarantined, status, counts):
    """Where TestB ends the process, nobody has seen TestC: a known failure of TestA explains nothing."""
    (tmp_path / "go.mod").write_text("module lab\n\ngo 1.24\n")
    (tmp_path / "lab_test.go").write_text(GO.replace("END", end))
    (tmp_path / "quarantine").write_text(quarantined)
    said = subprocess.run(["go", "test", "-json", "-vet=off", "./..."], cwd=tmp_path, text=True, capture_output=True)
    lines = said.stdout + json.dumps({"Action": "exit", "Status": said.returncode})
    process = counted(tmp_path, root, lines)
    assert process.returncode == status, process
    if counts:
        assert (tmp_path / "counts").read_text() == counts + "\n"
        assert (tmp_path / "unit.quarantined").read_text() == ("lab TestA\n" if quarantined else "")


def counted(tmp_path, root, lines):
    return subprocess.run([sys.executable, root / "install/gotest.py", tmp_path / "counts", tmp_path / "unit", tmp_path / "quarantine"], input=lines, text=True, capture_output=True)


@pytest.mark.parametrize("lines", [
    [],
    [{"Action": "pass", "Package": "lab"}],
    [{"Action": "pass", "Package": "lab"}, {"Action": "exit", "Status": 137}],
    [{"Action": "start", "Package": "lab"}, {"Action": "exit", "Status": 0}],
    [{"Action": "start", "Package": "lab"}, {"Action": "run", "Package": "lab", "Test": "TestA"}, {"Action": "pass", "Package": "lab"}, {"Action": "exit", "Status": 0}],
])
def test_a_package_without_a_verdict_is_a_failure(tmp_path, root, lines):
    (tmp_path / "quarantine").write_text("")
    process = counted(tmp_path, root, "\n".join(json.dumps(line) for line in lines))
    assert process.returncode == 1 and (tmp_path / "counts").read_text() != "0 0 0\n", process
