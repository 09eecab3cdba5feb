"""The stages of ./install.sh test, with others in their place: which goes on beside which, what is said of them, and how they end."""

import os
import re

import pytest

BESIDE = 'announce=yes results=$HOME/out logs=$HOME/out/logs\nmkdir -p "$results/counts"\nuntil_there() { until [ -s "$1" ]; do sleep 0.05; done; }\n'


def test_the_browser_goes_on_beside_the_stages_before_it(stage):
    process = stage.call(
        BESIDE
        + """
chosen=(install notebooks browser)
stage_install() { until_there "$HOME/browsing"; }
stage_notebooks() { echo 3 0 1 >"$results/counts/notebooks"; echo yes >"$HOME/read"; }
stage_browser() { echo yes >"$HOME/browsing"; until_there "$HOME/read"; echo "a picture is wrong"; return 1; }
run_stages
summary 1
"""
    )
    assert process.returncode == 1, process
    at = [re.search(pattern, process.stdout, re.M).start() for pattern in ("^✓ install", "^✓ notebooks", "^✗ browser", "^ +a picture is wrong", "^stage ", "^4 passed, 1 failed, 1 skipped")]
    assert at == sorted(at), process.stdout


def test_stages_in_python_go_on_beside_those_in_go(stage):
    """In an order of their own, and when one of them has failed, too."""
    process = stage.call(
        BESIDE
        + """
chosen=(vet unit race install notebooks browser)
stage_vet() { until_there "$HOME/browsing"; }
stage_unit() { until_there "$HOME/reading"; }
stage_race() { echo yes >"$HOME/racing"; until_there "$HOME/installed"; return 1; }
stage_browser() { echo yes >"$HOME/browsing"; return 1; }
stage_notebooks() { echo yes >"$HOME/reading"; until_there "$HOME/racing"; }
stage_install() { echo yes >"$HOME/installed"; }
run_stages
summary 1
"""
    )
    assert process.returncode == 1, process
    at = [re.search(pattern, process.stdout, re.M).start() for pattern in ("^✓ vet", "^✓ unit", "^✗ race", "^✗ browser", "^✓ notebooks", "^✓ install", "^4 passed, 2 failed")]
    assert at == sorted(at), process.stdout


def test_the_browser_alone(stage):
    process = stage.call(BESIDE + 'chosen=(browser)\nstage_browser() { echo yes; }\nrun_stages\nsummary 1')
    assert process.returncode == 0 and "beside" not in process.stdout and "1 passed, 0 failed" in process.stdout, process


def test_an_interrupt_ends_what_goes_on_beside(stage):
    process = stage.call(
        BESIDE
        + """
chosen=(install browser)
stage_install() { until_there "$HOME/pid"; kill -TERM $$; sleep 600; }
stage_browser() { echo $BASHPID >"$HOME/pid.new"; mv "$HOME/pid.new" "$HOME/pid"; while :; do sleep 1; done; }
run_stages
"""
    )
    assert process.returncode == 130 and "interrupted" in process.stderr, process
    with pytest.raises(ProcessLookupError):
        os.kill(int((stage.home / "pid").read_text()), 0)


def test_each_test_is_run_once(stage):
    """Unit leaves to race the tests that race does in whole, and does them itself where race is not chosen."""
    process = stage.call(
        """
raced_tests() { printf '%s\\n' '^(TestA|TestB)$' '^(TestA)$' 'fsnetlab/kernel/wire fsnetlab/fsnet/host' 'fsnetlab/fsnet fsnetlab/fsnet/host'; }
go_tests() { printf '%s\\n' "$*"; }
chosen=(lint unit race)
stage_unit
stage_race
chosen=(unit)
stage_unit
"""
    )
    assert process.stdout.splitlines() == [
        "unit -skip ^(TestA)$ fsnetlab/kernel fsnetlab/fsnet fsnetlab/fsnet/host",
        "race -race -short -gcflags=github.com/gomlx/compute/...=-d=checkptr=0 -run ^(TestA|TestB)$ fsnetlab/kernel fsnetlab/kernel/wire fsnetlab/fsnet/host",
        "unit ./kernel ./...",
    ], process
