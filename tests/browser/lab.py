"""A JupyterLab of its own, and the gestures of a person who uses it."""

import json
import os
import pathlib
import re
import secrets
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request


# Milliseconds after which what a page waits for is said to hang. Nothing waits for them to pass, and a busy machine needs no more.
PATIENCE = 120_000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def processes():
    """A line a process: its number and its words."""
    system = pathlib.Path("/proc")
    if not system.is_dir():
        return subprocess.run(["ps", "-axww", "-o", "pid=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
    lines = []
    for directory in system.glob("[0-9]*"):
        try:
            lines.append(f"{directory.name} {(directory / 'cmdline').read_bytes().replace(bytes(1), b' ').decode(errors='replace')}")
        except OSError:
            continue  # it has ended
    return lines


class Server:
    """jupyter-lab as the installer made it, on a copy of the notebooks."""

    def __init__(self, work, log, base="/", certificate=None):
        """base is the path below which it answers; certificate, a pair of files, makes it speak https."""
        self.token = secrets.token_hex(16)
        self.log = log
        port = free_port()
        self.address = f"{'https' if certificate else 'http'}://127.0.0.1:{port}{base.rstrip('/')}"
        prefix = pathlib.Path(os.environ["FSNET_HOME"])
        command = [
            str(prefix / "venv/bin/jupyter-lab"),
            "--no-browser",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={work}",
            f"--ServerApp.base_url={base}",
            "--LabApp.expose_app_in_browser=True",  # the tests send messages that no button sends
            "--KernelRestarter.time_to_dead=0.5",
        ]
        if certificate:
            command += [f"--ServerApp.certfile={certificate[0]}", f"--ServerApp.keyfile={certificate[1]}"]
        if os.getuid() == 0:
            command.append("--allow-root")
        # All cells of a notebook are in the page, not only those in sight; a completion may come late, as on a busy machine.
        for name, chosen in (("notebook-extension/tracker", {"windowingMode": "none"}), ("completer-extension/manager", {"providerTimeout": 30_000})):
            settings = pathlib.Path(os.environ["HOME"]) / f".jupyter/lab/user-settings/@jupyterlab/{name}.jupyterlab-settings"
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(json.dumps(chosen))
        self.process = subprocess.Popen(
            command, env=os.environ | {"JUPYTER_TOKEN": self.token}, stdin=subprocess.DEVNULL, stdout=open(log, "w"), stderr=subprocess.STDOUT, start_new_session=True
        )
        self.wait_until_it_answers()

    def wait_until_it_answers(self, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                self.get("/api/status")
                return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        self.stop()
        raise AssertionError(f"JupyterLab does not answer; it said:\n{pathlib.Path(self.log).read_text()[-4000:]}")

    def get(self, path, method="GET"):
        request = urllib.request.Request(self.address + path, headers={"Authorization": f"token {self.token}"}, method=method)
        own = ssl._create_unverified_context()  # noqa: S323 - its certificate was made a moment ago, for this machine
        with urllib.request.urlopen(request, timeout=PATIENCE / 1000, context=own) as response:
            return json.loads(response.read() or "null")

    def end(self, path):
        """End the kernel of a notebook."""
        for session in self.get("/api/sessions"):
            if session["path"] == path:
                self.get(f"/api/sessions/{session['id']}", method="DELETE")

    def kernel(self, path):
        """The kernel of a notebook."""
        return next(s["kernel"]["id"] for s in self.get("/api/sessions") if s["path"] == path)

    def kernel_process(self, path):
        """The process of a notebook's kernel."""
        file = f"kernel-{self.kernel(path)}.json"
        for line in processes():
            number, *words = line.split()
            if words and words[0].endswith("/fsnet") and any(w.endswith(file) for w in words):
                return int(number)
        raise AssertionError(f"the kernel of {path} is no process here")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def wait_until_painted(page):
    """What has been drawn is on the screen."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


# Nothing in the page waits to be saved.
SAVED = "() => !document.querySelector('.lm-TabBar-tab.lm-mod-current.jp-mod-dirty')"


class Notebook:
    """An open notebook in the page."""

    def __init__(self, page, server, path):
        self.page = page
        self.path = path
        page.goto(f"{server.address}/lab/tree/{path}?token={server.token}&reset")
        self.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        self.panel.wait_for()
        self.wait_until_idle()

    @classmethod
    def reopened(cls, page, path):
        """What a page shows that was loaded again or came here by another way."""
        notebook = cls.__new__(cls)
        notebook.page, notebook.path = page, path
        notebook.panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
        notebook.panel.wait_for()
        return notebook

    @property
    def code(self):
        return self.panel.locator(".jp-CodeCell")

    def outputs(self, index):
        return self.code.nth(index).locator(".jp-OutputArea-output")

    def text(self, index):
        return "\n".join(self.outputs(index).all_inner_texts())

    def prompt(self, index):
        return self.code.nth(index).locator(".jp-InputArea-prompt").first.inner_text().strip()

    def wait_until_idle(self, timeout=PATIENCE):
        """The kernel is connected and has nothing to do. (The circle in the toolbar is idle before there is a kernel.)"""
        self.page.locator("#jp-main-statusbar").get_by_text(re.compile(r"\| Idle$")).wait_for(timeout=timeout)

    def wait_for_text(self, index, pattern, timeout=PATIENCE):
        self.outputs(index).filter(has_text=re.compile(pattern)).first.wait_for(timeout=timeout)

    def wait_until_run(self, index, timeout=PATIENCE):
        """The cell has a number instead of a star."""
        prompt = self.code.nth(index).locator(".jp-InputArea-prompt").first
        prompt.filter(has_text=re.compile(r"^\s*\[\d+\]:\s*$")).wait_for(timeout=timeout)

    def menu(self, *path):
        self.page.get_by_role("menuitem", name=path[0], exact=True).first.click()
        for name in path[1:]:
            self.page.locator(".lm-Menu .lm-Menu-itemLabel", has_text=re.compile(rf"^{name}$")).first.click()

    def fill(self, index, source):
        self.code.nth(index).locator(".cm-content").fill(source)

    def run(self, index, source=None):
        """Click into a cell and press Shift+Enter; the cell gets another source first, where one is given."""
        if source is not None:
            self.fill(index, source)
        self.code.nth(index).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")

    def finish(self, *indices):
        """Run cells, one after another, each to its end."""
        for index in indices:
            self.run(index)
            self.wait_until_run(index)

    def answer(self, index, source):
        """Run a cell with another source, and give what it said."""
        self.run(index, source)
        self.wait_until_run(index)
        return self.text(index)

    def save(self):
        self.page.keyboard.press("Escape")
        self.menu("File", "Save Notebook")
        self.page.wait_for_function(SAVED)

    def run_all(self):
        self.menu("Run", "Run All Cells")

    def interrupt(self):
        self.panel.locator('[data-jp-item-name="interrupt"]').click()

    def restart(self):
        """Restart from the menu; it is done when a new connection to the kernel has been made and the kernel is idle on it."""
        self.menu("Kernel", "Restart Kernel…")
        with self.page.expect_websocket(lambda socket: "/api/kernels/" in socket.url):
            self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.locator(".jp-Dialog").wait_for(state="detached")
        self.wait_until_idle()

    def screenshot(self, path):
        """The whole notebook, not only what is in sight."""
        bottom = """panel => {
          panel.querySelectorAll('*').forEach(e => { if (e.scrollTop) e.scrollTop = 0 });
          return Math.ceil([...panel.querySelectorAll('.jp-Cell')].pop().getBoundingClientRect().bottom);
        }"""
        size = self.page.viewport_size
        self.page.set_viewport_size({"width": size["width"], "height": min(max(size["height"], self.panel.evaluate(bottom) + 100), 16_000)})
        self.panel.evaluate(bottom)
        wait_until_painted(self.page)
        self.page.screenshot(path=path)
        self.page.set_viewport_size(size)
