"""Shared by all tests in Python: ./install.sh test runs them, in a home of their own."""

import os
import pathlib
import signal

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "tests" / "out"

# Most tests here do not depend on how XLA compiles a step, and without optimising it compiles in half the time. Notebooks, installations,
# the documentation's pictures and promised seconds compile as for users.
UNOPTIMISED = ("XLA_FLAGS", "--xla_backend_optimization_level=0")


# Files, and tests of files, that only ./install.sh test all runs: they take long, and few changes touch what they guard, or Go's tests guard
# it, too. The quickstart notebook is always run.
SLOW = {
    "install": ["cycle", "howtos", "lab", "pictures", "python", "release", "run", "site", "slurm", "workflow"],
    "notebooks": ["console", "notebooks", "relay", "servers"],
    "browser": [
        "gallery", "places", "site", "vega",
        "anneal::pictures", "anneal::the_sharpness_is_drawn_too", "matrix::pictures", "panel::pictures", "panel::the_panel_moves",
        "table::copy_and_csv", "table::pictures",
        "views::names_are_text", "views::saved_while_it_lives", "views::the_last_state_outlives_the_kernel",
    ],
}


def is_slow(item):
    folder, file, name = item.path.parent.name, item.path.stem.removeprefix("test_"), item.originalname.removeprefix("test_")
    return not (folder == "notebooks" and "quickstart" in item.name) and not {file, f"{file}::{name}"}.isdisjoint(SLOW.get(folder, []))


def pytest_collection_modifyitems(config, items):
    if os.environ.get("FSNET_TEST_ALL") or os.environ.get("FSNET_UPDATE"):
        return
    slow = [item for item in items if is_slow(item)]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]


def pytest_configure():
    os.environ.setdefault("FSNET_HISTORY", "off")  # cells of tests are not the user's history
    if not os.environ.get("FSNET_UPDATE"):  # the documentation's pictures show what users compile
        os.environ.setdefault(*UNOPTIMISED)
    # An interrupt of install.sh arrives as this signal. As KeyboardInterrupt it ends servers and browsers with their fixtures.
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def slow():
    return SLOW


@pytest.fixture(scope="session")
def out():
    if not OUT.exists():
        OUT.mkdir()
        (OUT / ".fsnet-made-from").write_text("made by pytest\n")  # install.sh removes only what bears its mark
    return OUT


@pytest.fixture(scope="session")
def as_users():
    """The environment in which XLA compiles as for users."""
    return dict(set(os.environ.items()) - {UNOPTIMISED})


@pytest.fixture
def measured(record_property):
    """Takes a line for the summary, such as how long something took. The line is also in the stage's file at once, in case it does not end."""

    def take(line):
        record_property("measured", line)
        if path := os.environ.get("FSNET_TEST_MEASURED"):
            with open(path, "a") as f:
                f.write(f"{line}\n")

    return take


def pytest_terminal_summary(terminalreporter):
    """Shows the measured lines, and writes "passed failed skipped" to the file that the stage names."""
    path = os.environ.get("FSNET_TEST_COUNTS")
    for kind in ("passed", "failed"):
        for report in terminalreporter.stats.get(kind, []):
            for name, value in report.user_properties:
                if name == "measured":
                    terminalreporter.write_line(value)
    if path:
        count = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped", "xfailed")}
        with open(path, "w") as f:
            f.write(f"{count['passed']} {count['failed'] + count['error']} {count['skipped'] + count['xfailed']}\n")
