"""A kernel as a JupyterHub runs it: below another address, in another home, at no fixed port, with its connection files elsewhere, in a
directory that nobody may write to, and ended when it is idle - but never while it trains."""

import json
import os
import pathlib
import re
import secrets
import signal
import stat
import subprocess
import time

import pytest
import requests
from jupyter_client.blocking.client import BlockingKernelClient

LIMIT = 120
IDLE = 20  # seconds after which the server ends a kernel: four signs of life, of which a busy machine may keep back some
BASE = "/user/ada/"


class Server:
    """jupyter-lab, in the surroundings that a hub makes for a user."""

    def __init__(self, place):
        self.runtime = place / "runtime"
        self.home = home = place / "home"
        token = secrets.token_hex(16)
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"token {token}"
        for directory in (self.runtime, home):
            directory.mkdir(mode=0o700)
        # The kernel's working directory. root may write everywhere but here.
        self.folder = pathlib.Path("/sys" if os.getuid() == 0 else place / "readonly")
        if os.getuid() != 0:
            self.folder.mkdir(mode=0o555)
        # The kernelspec and the program are where they were installed, not in this home.
        data = place / "share" / "jupyter"
        subprocess.run(["fsnet", "kernelspec", "--dir", str(data / "kernels" / "fsnet")], check=True, capture_output=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "JUPYTER_"))}
        self.log = place / "log"
        prefix = pathlib.Path(os.environ["FSNET_HOME"])
        self.process = subprocess.Popen(
            [prefix / "venv/bin/jupyter-lab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--ServerApp.base_url={BASE}",
             f"--ServerApp.root_dir={self.folder}", f"--MappingKernelManager.cull_idle_timeout={IDLE}", "--MappingKernelManager.cull_interval=1",
             "--MappingKernelManager.cull_connected=True", "--MappingKernelManager.cull_busy=False"],
            env=kept | {
                "HOME": str(home), "JUPYTER_RUNTIME_DIR": str(self.runtime), "JUPYTER_PATH": str(data), "JUPYTER_TOKEN": token,
            },
            stdin=subprocess.DEVNULL, stdout=open(self.log, "w"), stderr=subprocess.STDOUT, start_new_session=True,
        )
        try:
            self.address = self.wait_for(lambda: next((json.loads(f.read_text())["url"] for f in self.runtime.glob("jpserver-*.json")), None), "a server file")
            self.wait_for(self.answers, "an answer")
        except BaseException:
            self.stop()
            raise

    def answers(self):
        try:
            return self.session.get(self.address + "api/status", timeout=LIMIT).ok
        except requests.ConnectionError:
            return False

    def wait_for(self, condition, what):
        end = time.monotonic() + LIMIT
        while not (found := condition()):
            assert self.process.poll() is None and time.monotonic() < end, f"no {what}: {self.log.read_text()[-4000:]}"
            time.sleep(0.1)
        return found

    def kernels(self):
        return {k["id"] for k in self.session.get(self.address + "api/kernels", timeout=LIMIT).json()}

    def start(self):
        """A kernel and a client of it, which is no page: the server sees nobody connected."""
        response = self.session.post(self.address + "api/kernels", json={"name": "fsnet", "path": ""}, timeout=LIMIT)  # without a path it starts anywhere
        assert response.ok, response.text
        name = response.json()["id"]
        file = self.runtime / f"kernel-{name}.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        client = BlockingKernelClient(connection_file=str(file))
        client.load_connection_file()
        client.start_channels()
        client.wait_for_ready(timeout=LIMIT)
        return name, client

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(LIMIT)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("hub"))
    yield server
    server.stop()


def run(client, code):
    texts = []

    def note(message):
        content = message["content"]
        texts.append(content.get("text") or content.get("data", {}).get("text/plain", "") or content.get("evalue", ""))

    reply = client.execute_interactive(code, output_hook=note, timeout=LIMIT)["content"]
    assert reply["status"] == "ok", texts
    return "".join(texts)


def test_idle_kernels_are_ended_and_those_that_train_are_not(server):
    assert BASE in server.address and not server.address.startswith("http://127.0.0.1:0")
    trains, client = server.start()
    run(client, "%fsnet open hub data=ALLAML k=3 seed=1 epochs=1000000 stop=never")
    run(client, "%fsnet run wait=false")
    # The notebook's directory takes no files, so its run goes to the home of the user.
    kept = server.wait_for(lambda: list((server.home / ".local/state/fsnet/runs").glob("*/hub/*.safetensors")), "checkpoint in the home")[0].parent
    idle, other = server.start()  # it lives for as long as an idle kernel may
    run(other, "%fsnet version")
    other.stop_channels()
    server.wait_for(lambda: idle not in server.kernels(), "end of the idle kernel")
    assert trains in server.kernels(), "the kernel that trains was ended"
    assert "running" in run(client, "%fsnet status")
    assert run(client, '%%\nfmt.Println(session.Use("hub", session.Config{}).Must().Pause().State)').endswith("paused\n")
    client.stop_channels()
    server.wait_for(lambda: trains not in server.kernels(), "end of the kernel that has paused")  # its session is kept
    again, client = server.start()
    text = " ".join(run(client, "%fsnet open hub").split())
    assert f" from {kept}" in text and re.search(r"continued at step [1-9]", text), text
    client.stop_channels()
