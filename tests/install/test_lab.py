"""./install.sh lab: JupyterLab answers at the URL that is printed, with the quickstart and the kernel, and ends with its terminal."""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.parse
import urllib.request

import pytest


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
    assert str(root / "notebooks") in "".join(said)
    url = match[1]
    assert "/lab/tree/quickstart.ipynb?token=" in url
    assert "JupyterLab" in get(url)
    parts = urllib.parse.urlsplit(url)
    server = f"{parts.scheme}://{parts.netloc}"
    assert "FsNet (Go)" in get(f"{server}/api/kernelspecs?{parts.query}")
    names = [entry["name"] for entry in json.loads(get(f"{server}/api/contents?{parts.query}"))["content"]]
    assert "quickstart.ipynb" in names
    settings = json.loads(get(f"{server}/lab/api/settings?{parts.query}"))["settings"]
    saved = next(s for s in settings if s["id"] == "@jupyter-widgets/jupyterlab-manager:plugin")
    assert saved["schema"]["properties"]["saveState"]["default"] is True

    lab.send_signal(signal.SIGTERM)
    assert lab.wait(300) == 0
