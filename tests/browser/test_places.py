"""The panel elsewhere: below another address, in a notebook that is not trusted, opened again without its kernel, and as a page."""

import os
import pathlib
import subprocess

import nbformat
from lab import Notebook, Server
from test_panel import SAVED, Panel, write

CELLS = ["%fsnet open placed data=ALLAML k=10 seed=1 epochs=2000 stop=never replace=true", "%fsnet panel"]


def opened(page, server, work, name):
    write(work, name, CELLS)
    notebook = Notebook(page, server, name)
    for index in (0, 1):
        notebook.run(index)
        notebook.wait_until_run(index)
    return notebook


def test_below_another_address(work, page, out):
    """Everything is asked of this server, below its own address."""
    server = Server(work, out / "lab42.log", base="/lab42/")
    try:
        panel = Panel(opened(page, server, work, "placed.ipynb"))
        panel.press("Step 10")
        panel.wait_for("step", "^10 of")
        panel.wait_for_curves(8)
        asked = [url for url in page.asked if not url.startswith(("blob:", "data:"))]
        own = server.address.split("://")[1] + "/"
        assert [url for url in asked if not url.split("://")[1].startswith(own)] == []
        page.goto("about:blank")
    finally:
        server.stop()


def test_without_the_kernel(server, work, page, browser):
    """Saved while it lives: an untrusted copy shows the picture, and so does a page that nbconvert makes. Saved after the kernel's end
    and opened again: the picture, and nothing that asks for the kernel."""
    notebook = opened(page, server, work, "kept.ipynb")
    panel = Panel(notebook)
    panel.press("Step 10")
    panel.wait_for("step", "^10 of")
    saved(notebook, page)
    alive = nbformat.read(work / "kept.ipynb", 4)
    data = alive.cells[1].outputs[0].data
    assert "application/vnd.jupyter.widget-view+json" in data and data["image/png"] and "placed" in data["text/plain"]
    alive.cells[0].source += "\n# changed elsewhere"
    alive.metadata.pop("widgets", None)
    nbformat.write(alive, work / "foreign.ipynb")

    notebook.menu("Kernel", "Shut Down Kernel")
    notebook.outputs(1).locator("img").wait_for(timeout=30_000)
    saved(notebook, page)
    last = nbformat.read(work / "kept.ipynb", 4).cells[1].outputs[0].data
    assert "step 10 of" in last["text/plain"] and last["image/png"]

    for name in ("foreign.ipynb", "kept.ipynb"):
        page.goto(f"{server.address}/lab/tree/{name}?token={server.token}&reset")
        panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        panel.wait_for(timeout=90_000)
        panel.locator(".jp-OutputArea-output img").first.wait_for(timeout=60_000)
        assert panel.locator(".fsnet-panel").count() == 0, name
        assert "not found" not in panel.inner_text(), name

    convert = pathlib.Path(os.environ["FSNET_HOME"]) / "venv/bin/jupyter-nbconvert"
    subprocess.run([convert, "--to", "html", work / "kept.ipynb"], check=True, timeout=300)
    assert "data:image/png;base64," in (work / "kept.html").read_text()


def saved(notebook, page):
    page.keyboard.press("Escape")
    notebook.menu("File", "Save Notebook")
    page.wait_for_function(SAVED)
