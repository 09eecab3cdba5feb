"""Leaves the four live views of a run in a real JupyterLab and prints the heap of its page as it goes, and what comes through its socket. It fails
where the heap has grown by a fifth from the first look after the start to the last.

    FSNET_HOME=… python tests/browser/soak.py [SECONDS]

SECONDS is 1800 without a number.
"""

import pathlib
import sys
import tempfile
import time

import chromium
from lab import Notebook, Server
from playwright.sync_api import sync_playwright
from test_panel import Panel
from views import heap, watch_traffic, write

LOOKS = 12


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 1800
    work = pathlib.Path(tempfile.mkdtemp())
    write(work, "soak.ipynb", ["%fsnet open soaked data=ALLAML k=10 seed=1 epochs=10000000 stop=never validation_fraction=0.2 replace=true", "%fsnet panel", "%fsnet matrix live=true", "%fsnet table", "%fsnet anneal"])
    server = Server(work, work / "lab.log")
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium.find(playwright), args=chromium.flags())
            page = browser.new_page(viewport={"width": 1280, "height": 1200})
            traffic = watch_traffic(page)
            notebook = Notebook(page, server, "soak.ipynb")
            notebook.finish(*range(5))
            panel = Panel(notebook)
            panel.press("Run")
            panel.wait_for_curves(100)
            used, began, before = [], time.monotonic(), dict(traffic)
            for look in range(LOOKS + 1):
                used.append(heap(page))
                took = time.monotonic() - began or 1
                rates = f"{(traffic['frames'] - before['frames']) / took:6.1f} messages/s  {(traffic['bytes'] - before['bytes']) / took / 1000:6.1f} kB/s" if look else ""
                began, before = time.monotonic(), dict(traffic)
                print(f"{look * seconds // LOOKS:6d} s  step {panel.step:8d}  {panel.points():5d} points  {used[-1] / 1e6:7.1f} MB  {rates}", flush=True)
                if look < LOOKS:
                    page.wait_for_timeout(1000 * seconds / LOOKS)  # and not time.sleep: the page's messages are counted meanwhile
            panel.press("Pause")
            panel.wait_for("state", "paused")
            browser.close()
    finally:
        server.stop()
    sys.exit(0 if used[-1] < 1.2 * used[1] else "the heap has grown by more than a fifth")


main()
