"""What the tests of the live views share."""

import contextlib
import os
import pathlib
import random
import shutil
import time

import nbformat
import pytest
from lab import PATIENCE

IMAGES = pathlib.Path(__file__).resolve().parents[2] / "docs/images"
EVIL = "<script>alert(1)</script>"

# What a cell says before a run that is to be seen, however late the page looks: with 2000 epochs it is over in seconds.
ENDLESS = "%fsnet set epochs=1000000"


def write(work, name, cells):
    """A notebook of these code cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in cells]
    kernel = {"name": "fsnet", "display_name": "FsNet (Go)", "language": "go"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), work / name)


def write_table(work, name, rows=40, names=(EVIL, "plain", '"a,b"', "noise1", "noise2", "noise3")):
    """A table of two classes in which the first two of six features carry them; one's name would be a script if it were taken for HTML."""
    draw = random.Random(1)
    lines = [",".join(("label", *names))]
    for i in range(rows):
        label = i % 2
        values = [label + draw.gauss(0, 0.3), -label + draw.gauss(0, 0.3)] + [draw.gauss(0, 1) for _ in range(4)]
        lines.append(f"class {label}," + ",".join(f"{v:.4f}" for v in values))
    (work / name).write_text("\n".join(lines) + "\n")


def theme(notebook, page, name, light):
    notebook.menu("Settings", "Theme", f"JupyterLab {name}")
    page.locator(f'body[data-jp-theme-light="{light}"]').wait_for(state="attached")
    page.locator("#jupyterlab-splash").wait_for(state="detached")


def eventually(page, check):
    """Charts follow the size of their place and the colours of the theme a moment later, on a busy machine still later."""
    end = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
            page.wait_for_timeout(100)


def too_wide(locator):
    """By how many pixels anything stands out of the view; what can be scrolled does not, and what is cut off or not to be seen."""
    hidden = ".fsnet-scroll, .fsnet-curves .fsnet-plot"
    return locator.evaluate(
        "(e, hidden) => Math.max(...[...e.querySelectorAll('*')].filter(c => !c.parentElement.closest(hidden) && !c.matches('.fsnet-reading')).map(c => c.getBoundingClientRect().right)) - e.getBoundingClientRect().right",
        hidden,
    )


def pictures(view, notebook, page, out, name, drawn, check):
    """The view in the light and the dark theme, and at 800 pixels. check(dark) looks whether everything is to be seen; drawn, a selector, are
    the marks in the view: without them it must fail, or it looks at nothing. FSNET_UPDATE=1 puts the first in the documentation."""

    def whole(dark):
        check(dark)
        assert too_wide(view) <= 1, f"{name} is {too_wide(view)} pixels too wide"

    theme(notebook, page, "Light", "true")
    for stem, width in ((name, 1280), (f"{name}-800", 800)):
        page.set_viewport_size({"width": width, "height": 1500})
        eventually(page, lambda: whole(False))
        view.screenshot(path=out / f"{stem}.png")
    if os.environ.get("FSNET_UPDATE"):
        shutil.copy(out / f"{name}.png", IMAGES)
    view.evaluate("(e, drawn) => e.querySelectorAll(drawn).forEach(mark => { mark.style.visibility = 'hidden' })", drawn)
    with pytest.raises(AssertionError):
        check(False)
    view.evaluate("(e, drawn) => e.querySelectorAll(drawn).forEach(mark => { mark.style.visibility = '' })", drawn)
    page.set_viewport_size({"width": 1280, "height": 1500})
    theme(notebook, page, "Dark", "false")
    eventually(page, lambda: whole(True))
    view.screenshot(path=out / f"{name}-dark.png")
    theme(notebook, page, "Light", "true")


def listen(page):
    """The page remembers what it asked for, and what its console said."""
    page.asked, page.said = [], []
    page.on("request", lambda r: page.asked.append(r.url))
    page.on("websocket", lambda w: page.asked.append(w.url))
    page.on("console", lambda m: page.said.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda e: page.said.append(f"uncaught: {e}"))
    return page


@contextlib.contextmanager
def no_script(page):
    """A name that is taken for markup would open a dialog."""
    opened = []

    def note(dialog):
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    yield page
    page.remove_listener("dialog", note)
    assert opened == [], "a script ran"


def uncaught(page):
    return [line for line in page.said if line.startswith("uncaught")]


def watch_traffic(page):
    """Counts what comes through the page's sockets from now on."""
    traffic = {"bytes": 0, "frames": 0}

    def came(payload):
        traffic["bytes"] += len(payload)
        traffic["frames"] += 1

    page.on("websocket", lambda socket: socket.on("framereceived", came))
    return traffic


def heap(page):
    """The bytes that the page's objects take, without what is to be thrown away."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    used = page.evaluate("performance.memory.usedJSHeapSize")
    tools.detach()
    return used
