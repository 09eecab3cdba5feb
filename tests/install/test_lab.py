"""./install.sh lab: JupyterLab answers at the URL that is printed, with the quickstart and the kernel, and ends with its terminal."""

import json
import os
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


def get(url):
    with urllib.request.urlopen(url, timeout=120) as response:
        return response.read().decode()


@pytest.fixture
def lab(root):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    process = subprocess.Popen(
        [str(root / "install.sh"), "lab", "--no-browser", f"--port={port}", "--ServerApp.port_retries=0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    yield process
    process.kill()
    process.wait()


def test_prints_the_url_of_the_quickstart(lab, root):
    said = []
    for line in lab.stdout:
        said.append(line)
        if match := re.search(r"open +(http://\S+)", line):
            break
    else:
        pytest.fail("no URL in:\n" + "".join(said))
    url = match[1]
    assert "/lab/tree/notebooks/quickstart.ipynb?token=" in url
    assert "JupyterLab" in get(url)
    parts = urllib.parse.urlsplit(url)
    server = f"{parts.scheme}://{parts.netloc}"
    assert "FsNet (Go)" in get(f"{server}/api/kernelspecs?{parts.query}")

    def contents(path):
        return json.loads(get(f"{server}/api/contents{urllib.parse.quote(path)}?{parts.query}"))["content"]

    folder = posixpath.dirname(parts.path.removeprefix("/lab/tree"))
    books = {path: cells(contents(path)) for entry in contents(folder) if (path := posixpath.join(folder, entry["name"])).endswith(".ipynb")}
    links = {(path, link) for path, words in books.items() for link in LINK.findall(words) if ":" not in link}
    assert "/notebooks/quickstart.ipynb" in books and len(links) > 10
    dead = []
    for path, link in links:  # as JupyterLab leads them
        try:
            contents(posixpath.normpath(posixpath.join(posixpath.dirname(path), link.partition("#")[0])))
        except urllib.error.HTTPError as error:
            dead.append(f"{path}: {link}: {error}")
    assert dead == []
    settings = json.loads(get(f"{server}/lab/api/settings?{parts.query}"))["settings"]
    saved = next(s for s in settings if s["id"] == "@jupyter-widgets/jupyterlab-manager:plugin")
    assert saved["schema"]["properties"]["saveState"]["default"] is True

    lab.send_signal(signal.SIGTERM)
    assert lab.wait(300) == 0
