"""Record a person in JupyterLab: Chromium opens a notebook whose kernel is the relay, and does what a person does.

    FSNET_HOME=DIR HOME=DIR python jupyterlab.py KERNEL RECORDING

KERNEL is the tests' kernel: go test -c -o KERNEL ./kernel. FSNET_HOME holds venv/bin/jupyter-lab, as the installer makes it; HOME is not
your own, since settings are written there. The page is driven as in tests/browser.
"""

import json
import os
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "tests" / "browser"))

import chromium  # noqa: E402
from desk import new_page  # noqa: E402
from lab import Notebook, Server  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from views import write  # noqa: E402

CELLS = [
    "%fsnet version",
    "%fsnet open leukemia data=planted k=3 epochs=1000000000 stop=never",
    "%fsnet step 30000",  # long enough for all that follows to be in the queue when the next one fails
    "%fsnet step -5",
    "%fsnet status",
    "%fsnet panel",
    "",
    "",
]


def specification(directory, kernel, recording):
    """A kernel called FsNet whose command is the relay."""
    place = directory / "kernels" / "fsnet"
    place.mkdir(parents=True)
    spec = {
        "argv": [sys.executable, str(HERE / "relay.py"), str(recording), kernel, "kernel", "{connection_file}"],
        "display_name": "FsNet (Go)",
        "language": "go",
        "interrupt_mode": "message",
        "env": {"FSNET_TEST_WITHOUT_GO": "1"},
    }
    (place / "kernel.json").write_text(json.dumps(spec))


def use(page, notebook):
    """What a person does."""
    notebook.run_all()  # the cells go at once; the fourth fails, and stops those behind it
    notebook.wait_until_run(3)
    notebook.wait_until_idle()
    notebook.finish(4)
    # Tab completes, Shift+Tab explains.
    notebook.fill(7, "%fsnet st")
    notebook.code.nth(7).locator(".cm-content").click()
    page.keyboard.press("End")
    page.keyboard.press("Tab")
    page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item").first.wait_for()
    page.keyboard.press("Escape")
    notebook.fill(7, "%fsnet status")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Tab")
    page.locator(".jp-Tooltip").wait_for()
    page.keyboard.press("Escape")
    # A live panel, and a run that is interrupted from the toolbar. Then its button takes steps: last, since a replay does not look at it.
    notebook.finish(5)
    panel = notebook.code.nth(5).locator(".fsnet-panel")
    panel.wait_for()
    notebook.run(6, "%fsnet run")
    notebook.wait_for_text(6, r"running|step")
    notebook.interrupt()
    notebook.wait_until_run(6)
    step = panel.locator(".fsnet-step")
    stands = step.inner_text()
    panel.get_by_role("button", name=re.compile(r"(^|\W)Step 10$")).click()
    step.filter(has_not_text=stands).wait_for()
    # The page is loaded again, and asks for what there is.
    notebook.save()
    page.reload()
    again = Notebook.reopened(page, notebook.path)
    again.wait_until_idle()
    again.finish(4)


def main(kernel, recording):
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        directory = pathlib.Path(temporary)
        specification(directory, kernel, recording)
        work = directory / "work"
        work.mkdir()
        write(work, "recorded.ipynb", CELLS)
        server = Server(work, directory / "lab.log", environment={"JUPYTER_PATH": str(directory), "JUPYTER_PREFER_ENV_PATH": "0"})
        browser = playwright.chromium.launch(executable_path=chromium.find(playwright), args=chromium.flags())
        try:
            page = new_page(browser)
            notebook = Notebook(page, server, "recorded.ipynb")
            try:
                use(page, notebook)
            except Exception:
                page.screenshot(path=str(recording) + ".png")
                raise
            server.end("recorded.ipynb")
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
