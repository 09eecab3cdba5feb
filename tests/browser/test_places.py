"""The live views behind https and below another address, as on a JupyterHub."""

import pathlib
import subprocess
import urllib.parse

import pytest
from desk import explain, new_page
from lab import Notebook, Server
from test_panel import Panel
from views import uncaught, watch_traffic, write

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
    """A notebook in a JupyterLab behind https, below /user/me/."""
    server = Server(work, out / "lab-https.log", base="/user/me/", certificate=certificate)
    page = new_page(browser, ignore_https_errors=True)
    watch_traffic(page)
    try:
        write(work, "placed.ipynb", CELLS)
        notebook = Notebook(page, server, "placed.ipynb")
        notebook.finish(*range(len(CELLS)))
        yield notebook, server
        explain(page, out, request)
    finally:
        page.context.close()
        server.stop()


def test_behind_https_and_below_another_address(placed):
    """Everything is asked of this server, below its own address."""
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

    asked = [url for url in page.asked if not url.startswith(("blob:", "data:"))]
    own = urllib.parse.urlsplit(server.address)
    strangers = [url for url in asked if urllib.parse.urlsplit(url)[:2] not in {("https", own.netloc), ("wss", own.netloc)} or not urllib.parse.urlsplit(url).path.startswith(own.path + "/")]
    assert strangers == [] and any(url.startswith("wss:") for url in asked)
    assert uncaught(page) == []
