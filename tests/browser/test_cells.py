"""A person writes Go: Tab completes, Shift+Tab explains, and a mistake is told once, with its line."""

import re

import pytest
from lab import Notebook
from playwright.sync_api import TimeoutError, expect
from views import write

CELLS = [
    'var leukemia = session.Use("leukemia", session.Config{Data: "ALLAML", K: 10})',
    "%%\nleukemia.Sta",
    "%%\nfmt.Println(",
    "%fsnet open leukemia lam",
    "%%\nanswer := 42\nfmt.Println(answr)",
    "func pick(xs []int) int {\n\treturn xs[5]\n}\n%%\npick(nil)",
]
DECLARE, COMPLETE, EXPLAIN, MAGIC, MISTAKE, PANIC = range(len(CELLS))


@pytest.fixture
def notebook(server, work, page):
    write(work, "cells.ipynb", CELLS)
    return Notebook(page, server, "cells.ipynb")


def put_cursor(notebook, index):
    """At the end of a cell."""
    notebook.code.nth(index).locator(".cm-content").click()
    notebook.page.keyboard.press("Control+End")


def press_until(page, key, locator):
    """The first answers may be empty: gopls is starting."""
    for _ in range(24):
        page.keyboard.press(key)
        try:
            locator.wait_for(timeout=5_000)
            return
        except TimeoutError:
            continue
    raise AssertionError(f"{key} shows nothing")


def test_completion_and_errors(notebook, page, foreign):
    notebook.finish(DECLARE)

    menu = page.locator(".jp-Completer")
    put_cursor(notebook, COMPLETE)
    press_until(page, "Tab", menu)
    page.keyboard.press("Enter")
    notebook.code.nth(COMPLETE).locator(".cm-content").filter(has_text="leukemia.Status").wait_for()

    # Of several matches a list is shown, with their types.
    page.keyboard.press("Control+A")
    page.keyboard.type("%%\nleukemia.St", delay=20)
    press_until(page, "Tab", menu)
    expect(menu.locator(".jp-Completer-match")).to_have_text(["Status", "Step"], use_inner_text=True)
    expect(menu).to_contain_text("function")
    page.keyboard.press("Escape")

    put_cursor(notebook, EXPLAIN)
    press_until(page, "Shift+Tab", page.locator(".jp-Tooltip").filter(has_text="Println formats using the default formats"))
    page.keyboard.press("Escape")

    put_cursor(notebook, MAGIC)
    page.keyboard.press("Tab")
    menu.wait_for()
    page.keyboard.press("Enter")
    notebook.code.nth(MAGIC).locator(".cm-content").filter(has_text="lambda=").wait_for()
    page.keyboard.press("Shift+Tab")
    page.locator(".jp-Tooltip").filter(has_text=re.compile(r"lambda \(λ\): weight of the reconstruction term")).wait_for()
    page.keyboard.press("Escape")

    text = notebook.answer(MISTAKE, CELLS[MISTAKE])
    assert text.count("undefined: answr") == 1 and "cell line 3:13: undefined: answr" in text and "declared and not used: answer" in text
    assert "main.go" not in text and "gonb" not in text

    text = notebook.answer(PANIC, CELLS[PANIC])
    assert "panic: runtime error: index out of range [5] with length 0" in text and "cell line 2, in pick" in text and "goroutine" not in text
    assert foreign(page) == []
