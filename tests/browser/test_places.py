"""The live views behind https and below another address, as on a JupyterHub, and for longer than a test lasts."""

import pathlib
import statistics
import subprocess
import time
import urllib.parse

import pytest
from desk import explain, new_page
from lab import PATIENCE, Notebook, Server
from test_panel import Panel
from views import heap, uncaught, watch_traffic, write

CELLS = [
    "%fsnet open placed data=ALLAML k=10 seed=1 epochs=1000000 stop=never validation_fraction=0.2 replace=true",
    "%fsnet panel",
    "%fsnet matrix live=true",
    "%fsnet anneal",
    "%fsnet table",
]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """One for this machine that nobody has signed, made by Go's own program for that."""
    directory = tmp_path_factory.mktemp("certificate")
    root = subprocess.run(["go", "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip()
    program = pathlib.Path(root) / "src/crypto/tls/generate_cert.go"
    subprocess.run(["go", "run", program, "--host", "127.0.0.1", "--ecdsa-curve", "P256"], cwd=directory, check=True, capture_output=True)
    return directory / "cert.pem", directory / "key.pem"


@pytest.fixture
def placed(browser, work, out, certificate, request):
    """A notebook in a JupyterLab behind https, below /user/me/, whose kernels tell ten times as much as usual."""
    server = Server(work, out / "lab-https.log", base="/user/me/", certificate=certificate, environment={"FSNET_UPDATE_FACTOR": "10"})
    page = new_page(browser, ignore_https_errors=True)
    page.traffic = watch_traffic(page)
    try:
        write(work, "placed.ipynb", CELLS)
        notebook = Notebook(page, server, "placed.ipynb")
        notebook.finish(*range(len(CELLS)))
        yield notebook, server
        explain(page, out, request)
    finally:
        page.context.close()
        server.stop()


# The page runs for as long as this in all, and is told at least as much as this; its heap is looked at so often, while the run is paused:
# a busy machine keeps messages waiting in the page, and what waits is no growth.
SECONDS, MESSAGES, LOOKS = 18, 3600, 6

# A page that keeps what it is told grows while it runs, however long that is; one that is still making itself at home (compiled code,
# caches, a canvas that a picture is painted on) does not. So a window that grows is followed by another, so many in all.
WINDOWS = 3


def grows(page, panel):
    """Bytes of heap for each message that came: least squares over a window, with what was seen and the messages."""
    used, at, first = [heap(page)], [0], page.traffic["frames"]
    for _ in range(LOOKS):
        panel.press("Run")
        panel.wait_for("state", "running")
        began, told = time.monotonic(), page.traffic["frames"]
        while time.monotonic() - began < SECONDS / LOOKS or page.traffic["frames"] - told < MESSAGES / LOOKS and time.monotonic() - began < PATIENCE / 1000:
            page.wait_for_timeout(100)
        panel.press("Pause")
        panel.wait_for("state", "paused")
        used.append(heap(page))
        at.append(page.traffic["frames"] - first)
    middle = statistics.mean(at)
    return sum((told - middle) * each for told, each in zip(at, used, strict=True)) / sum((told - middle) ** 2 for told in at), used, at[-1]


def test_behind_https_and_below_another_address(placed):
    """Everything is asked of this server, below its own address. And while the kernel tells ten times as much as usual the heap of the
    page stays: what 18 s are here are three minutes there. (soak.py does it for longer.)"""
    notebook, server = placed
    page, panel = notebook.page, Panel(notebook, 1)
    panel.press("Step 10")
    panel.wait_for("step", "^10 of")
    for index, name in ((2, "matrix"), (3, "anneal"), (4, "table")):
        notebook.code.nth(index).locator(f".fsnet-{name} .fsnet-when").filter(has_text="step 10 ").wait_for()
    panel.press("Run")
    panel.wait_for_curves(300)
    panel.press("Pause")
    panel.wait_for("state", "paused")

    seen = []
    for _ in range(WINDOWS):
        slope, used, told = grows(page, panel)
        seen.append(f"{slope:.0f} bytes a message, {told} messages; MB: {[round(each / 1e6, 1) for each in used]}")
        # A page that kept what it is told would grow by a thousand.
        grown = slope > 360 or used[-1] > 1.2 * used[0] + 2e6
        if not grown:
            break
    print(*seen, sep="\n")
    assert told >= MESSAGES, "the kernel did not tell more than usual"
    assert not grown, "the heap grows:\n" + "\n".join(seen)

    asked = [url for url in page.asked if not url.startswith(("blob:", "data:"))]
    own = urllib.parse.urlsplit(server.address)
    strangers = [url for url in asked if urllib.parse.urlsplit(url)[:2] not in {("https", own.netloc), ("wss", own.netloc)} or not urllib.parse.urlsplit(url).path.startswith(own.path + "/")]
    assert strangers == [] and any(url.startswith("wss:") for url in asked)
    assert uncaught(page) == []
