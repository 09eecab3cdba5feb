"""Fixtures for the tests of a device: the backend, the programs (built here, or from $FSNET_GPU_BINARIES), and an environment in which
XLA compiles as for users."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ["fsnet/nn", "fsnet/device", "fsnet/engine", "fsnet/train", "fsnet/host"]
ON_CARD = os.environ.get("FSNET_TEST_BACKEND", "xla:cuda") == "xla:cuda"
SLOWER = 1 if ON_CARD else 8  # how many times longer tests may take where a processor stands in for the card
ENDS = time.monotonic() + SLOWER * float(os.environ.get("FSNET_GPU_SECONDS", "3600"))


def pytest_configure(config):
    config.addinivalue_line("markers", "limit(seconds): how long a test may take on a card")


@pytest.fixture(autouse=True)
def limit(request):
    """Ends a test after the seconds of its mark, and skips it if fewer than ten remain of $FSNET_GPU_SECONDS. What it measured so far stays."""
    seconds = min(SLOWER * request.node.get_closest_marker("limit").args[0], ENDS - time.monotonic())
    if seconds < 10:
        pytest.skip("no time remains")

    def end(*_):
        pytest.fail(f"took longer than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def output_of(command, **options):
    """Runs a command and returns its exit status and output. What it starts does not outlive the test's limit."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True, **options
    )
    try:
        out, _ = process.communicate()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out


@pytest.fixture(scope="session")
def backend():
    return os.environ.get("FSNET_TEST_BACKEND", "xla:cuda")


@pytest.fixture(scope="session")
def binaries(tmp_path_factory):
    """The folder of fsnet and of Go's tests, NAME.test for each package."""
    if carried := os.environ.get("FSNET_GPU_BINARIES"):
        return pathlib.Path(carried)
    folder = tmp_path_factory.mktemp("binaries")
    subprocess.run([str(ROOT / "tests/gpu/build.sh"), str(folder)], check=True, cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def environment(as_users, backend, tmp_path_factory):
    """Programs are compiled anew by each test session, and kept for its later processes."""
    return as_users | {"FSNET_TEST_BACKEND": backend, "FSNET_PROGRAMS": str(tmp_path_factory.mktemp("programs") / "kept"), "FSNET_SOURCE": str(ROOT)}


class Fsnet:
    def __init__(self, program, backend, environment, folder):
        self.program, self.backend, self.environment, self.folder = program, backend, environment, folder

    def start(self, *words, **environment):
        command = [str(self.program), *words, *([] if "--backend" in words else ["--backend", self.backend])]
        return subprocess.Popen(command, cwd=self.folder, env=self.environment | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, process):
        try:
            out, err = process.communicate()
        finally:
            process.kill()
        assert process.returncode == 0, err
        return json.loads(out)

    def json(self, *words, **environment):
        return self.end(self.start(*words, "--json", **environment))


@pytest.fixture(scope="session")
def fsnet(binaries, backend, environment, tmp_path_factory):
    return Fsnet(binaries / "fsnet", backend, environment, tmp_path_factory.mktemp("fits"))


@pytest.fixture(scope="session")
def notebook_environment(binaries, environment, tmp_path_factory):
    """A home in which Jupyter finds the kernel of these programs, and nothing else."""
    home = tmp_path_factory.mktemp("home")
    prefix = os.environ.get("FSNET_HOME") or os.path.expanduser("~/.local/share/fsnet")
    plugins = [os.environ.get("PJRT_PLUGIN_LIBRARY_PATH"), f"{prefix}/pjrt", f"{prefix}/cuda/plugin", os.path.expanduser("~/.local/lib/go-xla")]
    found = environment | {"HOME": str(home), "PJRT_PLUGIN_LIBRARY_PATH": os.pathsep.join(p for p in plugins if p)}
    subprocess.run([str(binaries / "fsnet"), "kernelspec"], env=found, check=True, timeout=60)
    yield found
    shutil.rmtree(home, ignore_errors=True)
