"""./install.sh lab: JupyterLab answers at the URL that is printed, with the quickstart and the kernel, and ends with its terminal."""

import json
import pathlib
import posixpath
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import pytest
from test_words import LINK, cells


@pytest.fixture
def lab(root):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        words = [root / "install.sh", "lab", "--no-browser", f"--port={s.getsockname()[1]}", "--ServerApp.port_retries=0"]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield process
    process.kill()
    process.wait()


def test_prints_the_url_of_the_quickstart(lab):
    url, said = None, ""
    while url is None:
        line = lab.stdout.readline()
        said += line
        assert line, f"no URL in:\n{said}"
        url = re.search(r"open +(http://\S+)", line)
    parts = urllib.parse.urlsplit(url[1])

    def get(path):
        with urllib.request.urlopen(f"{parts.scheme}://{parts.netloc}{urllib.parse.quote(path)}?{parts.query}", timeout=120) as response:
            return response.read().decode()

    def contents(path):
        return json.loads(get(f"/api/contents{path}"))["content"]

    # The kernel paces what it publishes: the server need not drop what comes too fast.
    assert "limit_rate=False" in pathlib.Path(f"/proc/{lab.pid}/cmdline").read_text()
    assert parts.path == "/lab/tree/notebooks/quickstart.ipynb" and parts.query.startswith("token=")
    assert "JupyterLab" in get(parts.path) and "FsNet (Go)" in get("/api/kernelspecs")
    books = {path: cells(contents(path)) for entry in contents("/notebooks") if (path := f"/notebooks/{entry['name']}").endswith(".ipynb")}
    links = {(path, link) for path, words in books.items() for link in LINK.findall(words) if ":" not in link}
    assert "/notebooks/quickstart.ipynb" in books and len(links) > 10
    for path, link in links:  # as JupyterLab leads them
        try:
            contents(posixpath.normpath(posixpath.join(posixpath.dirname(path), link.partition("#")[0])))
        except urllib.error.HTTPError as error:
            pytest.fail(f"{path}: {link}: {error}")
    saved = next(s for s in json.loads(get("/lab/api/settings"))["settings"] if s["id"] == "@jupyter-widgets/jupyterlab-manager:plugin")
    assert saved["schema"]["properties"]["saveState"]["default"] is True

    lab.send_signal(signal.SIGTERM)
    assert lab.wait(300) == 0
