"""Shared by all tests in Python: ./install.sh test runs them, in a home of their own."""

import os
import pathlib
import signal

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests" / "out"

# Trainings here are of what is done with them, not of what a compiler makes of a step: without optimising XLA compiles in half the time.
# Notebooks, installations, documented pictures and promised seconds are as users have them.
UNOPTIMISED = ("XLA_FLAGS", "--xla_backend_optimization_level=0")


# Files whose tests take minutes, and guard what few changes touch: ./install.sh test all runs them, too. Of the notebooks the quickstart
# is always run.
SLOW = {"install/test_release.py", "install/test_slurm.py", "install/test_howtos.py", "install/test_cycle.py", "notebooks/test_relay.py",
        "notebooks/test_console.py", "notebooks/test_servers.py", "notebooks/test_notebooks.py", "browser/test_gallery.py", "browser/test_places.py", "browser/test_vega.py"}


def pytest_collection_modifyitems(config, items):
    if os.environ.get("FSNET_TEST_ALL") or os.environ.get("FSNET_UPDATE"):
        return
    slow = [item for item in items if str(item.path.relative_to(ROOT / "tests")) in SLOW and "quickstart" not in item.name]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]


def pytest_configure():
    os.environ.setdefault("FSNET_HISTORY", "off")  # what tests run is not the user's
    if not os.environ.get("FSNET_UPDATE"):  # the documentation's pictures are of what users compile
        os.environ.setdefault(*UNOPTIMISED)
    # An interrupt of install.sh arrives as this signal: servers and browsers end with their fixtures, rather than outlive the tests.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def out():
    if not OUT.exists():
        OUT.mkdir()
        (OUT / ".fsnet-made-from").write_text("made by pytest\n")  # install.sh removes only what bears its mark
    return OUT


@pytest.fixture(scope="session")
def as_users():
    """The environment in which XLA compiles as users have it."""
    return dict(set(os.environ.items()) - {UNOPTIMISED})


@pytest.fixture
def measured(record_property):
    """Takes a line that a reader of the summary wants to know, such as how long something took."""
    return lambda line: record_property("measured", line)


def pytest_terminal_summary(terminalreporter):
    """Leaves "passed failed skipped", and what was measured, where the caller asked for it."""
    path, measures = (os.environ.get(f"FSNET_TEST_{name}") for name in ("COUNTS", "MEASURED"))
    lines = [value for r in terminalreporter.stats.get("passed", []) for name, value in r.user_properties if name == "measured"]
    for line in lines:
        terminalreporter.write_line(line)
    if measures:
        with open(measures, "w") as f:
            f.writelines(f"{line}\n" for line in lines)
    if path:
        count = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped", "xfailed")}
        with open(path, "w") as f:
            f.write(f"{count['passed']} {count['failed'] + count['error']} {count['skipped'] + count['xfailed']}\n")
