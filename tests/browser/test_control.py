"""A person interrupts a run, goes on, and restarts the kernel."""

import pytest
from lab import Notebook
from views import write

CELLS = [
    "%fsnet open long data=ALLAML k=10 seed=1 epochs=1000000 stop=never replace=true",
    "%fsnet run",
    "%fsnet step 10",
    '%%\nfmt.Println("six times seven is", 6*7)',
]
OPEN, RUN, STEP, GO = range(4)


@pytest.fixture
def notebook(server, work, page):
    write(work, "control.ipynb", CELLS)
    return Notebook(page, server, "control.ipynb")


def test_interrupt_and_restart(notebook, page, foreign):
    notebook.finish(OPEN)

    # The interrupt pauses the run and keeps what it made.
    notebook.run(RUN)
    notebook.wait_for_text(RUN, r"steps/s")
    assert "*" in notebook.prompt(RUN)
    notebook.interrupt()
    notebook.wait_until_run(RUN)
    notebook.wait_until_idle()
    notebook.wait_for_text(RUN, r"paused|nterrupted")

    # The next verb goes on.
    notebook.finish(STEP)
    notebook.wait_for_text(STEP, r"step \d+ of")

    notebook.restart()
    notebook.finish(GO)
    assert notebook.text(GO).strip() == "six times seven is 42"
    notebook.finish(OPEN)
    assert "step 0 of" in notebook.text(OPEN)
    assert notebook.prompt(GO) == "[1]:" and notebook.prompt(OPEN) == "[2]:"
    assert foreign(page) == []
