"""Jupyter's own questions to a kernel (jupyter_kernel_test), none left out: each reply is also checked against the protocol's message
formats. And what it has no questions for, asked with Jupyter's own client: input, interrupts, restarts, sockets in the file system."""

import os
import pathlib
import queue
import signal
import time

import jupyter_kernel_test
import pytest
from jupyter_client.manager import KernelManager
from jupyter_kernel_test import IopubWelcomeTests as Welcome
from jupyter_kernel_test import KernelTests as Questions

LIMIT = 120


@pytest.fixture(autouse=True)
def no_question_is_skipped(monkeypatch):
    """The questions skip what a kernel gives no sample for: here that fails."""
    monkeypatch.setattr(jupyter_kernel_test, "SkipTest", AssertionError)


class TestProtocol(Questions):
    kernel_name = "fsnet"
    language_name = "go"
    file_extension = ".go"

    code_hello_world = '%%\nfmt.Println("hello, world")'
    code_stderr = '%%\nfmt.Fprintln(os.Stderr, "to standard error")'
    code_generate_error = "%fsnet step 10 nosuchsession"
    code_execute_result = [{"code": "%fsnet version", "mime": "text/plain"}]
    code_display_data = [
        {"code": "%fsnet open protocol data=ALLAML k=3 seed=1 replace=true", "mime": "text/html"},
        {"code": "%fsnet matrix", "mime": "image/png"},
        {"code": "%fsnet matrix", "mime": "application/vnd.vegalite.v5+json"},
    ]
    code_clear_output = "%fsnet clear"
    code_page_something = "%fsnet help"
    code_inspect_sample = "%fsnet set lambda"

    completion_samples = [
        {"text": "%fsnet eval", "matches": {"evaluate"}},
        {"text": "%fsnet sel", "matches": {"selection"}},
        {"text": "%fsnet open x schedule=co", "matches": {"schedule=cosine"}},
        {"text": "%%\nstrings.ToUpperSp", "matches": {"ToUpperSpecial"}},
    ]
    complete_code_samples = ["%fsnet status", "var a = 1", '%%\nfmt.Println("x")', "!ls", "", "func f() {\n}"]
    incomplete_code_samples = ["func a() {", "var a = []int{1,", "%%", "var text = `one", '%fsnet open a data="my', "%fsnet open a \\"]
    invalid_code_samples = ["}", "f(]", 'x := "open']

    supported_history_operations = ("tail", "range", "search")
    code_history_pattern = "%fsnet v*"

    def test_completion(self):
        """The language server of a kernel that has just started takes a moment."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.kc.complete("%%\nstrings.ToUpperSp")
            if self.get_non_kernel_info_reply(timeout=LIMIT)["content"]["matches"]:
                break
        super().test_completion()

    def test_error(self):
        """One error, with one traceback of one line; of Go, too."""
        super().test_error()
        for code in (self.code_generate_error, "%%\nnothingOfThatName()", '%%\npanic("at once")'):
            self.flush_channels()
            reply, messages = self.execute_helper(code, timeout=LIMIT)
            errors = [m["content"] for m in messages if m["msg_type"] == "error"]
            assert len(errors) == 1 and reply["content"]["status"] == "error", messages
            assert errors[0]["traceback"] == reply["content"]["traceback"] and errors[0]["traceback"], reply["content"]


class TestWelcome(Welcome):
    kernel_name = "fsnet"
    support_iopub_welcome = True


@pytest.fixture(params=["tcp", "ipc"])
def kernel(request, tmp_path, monkeypatch):
    """A kernel and a client of it, which keep the cells' outputs, in a directory of their own."""
    monkeypatch.chdir(tmp_path)
    manager = KernelManager(kernel_name="fsnet", transport=request.param)
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=LIMIT)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel()
    if request.param == "ipc":
        assert not list(tmp_path.glob("*-[1-5]")), list(tmp_path.iterdir())


def run(client, code, **options):
    """Runs a cell and gives its reply and what it printed and showed."""
    texts = []

    def note(message):
        content = message["content"]
        texts.append(content.get("text") or content.get("data", {}).get("text/plain", ""))

    return client.execute_interactive(code, output_hook=note, timeout=LIMIT, **options)["content"], "".join(texts)


def begin(client, code, sign):
    """Starts a cell and waits until it shows a sign."""
    request = client.execute(code)
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        message = client.get_iopub_msg(timeout=LIMIT)
        if message["parent_header"].get("msg_id") == request and message["msg_type"] in ("stream", "display_data") and sign in str(message["content"]):
            return request
    raise AssertionError(f"{code} does not show {sign}")


def reply_to(client, request):
    while True:
        message = client.get_shell_msg(timeout=LIMIT)
        if message["parent_header"]["msg_id"] == request:
            return message["content"]


def test_interrupt_and_restart(kernel):
    """By message and by signal: a run pauses and keeps its state, a Go cell and its programs end; a restart loses no session."""
    manager, client = kernel
    for ring in (manager.interrupt_kernel, lambda: os.kill(manager.provisioner.pid, signal.SIGINT)):
        content, _ = run(client, "%fsnet open kept data=ALLAML k=3 seed=1 epochs=1000000 stop=never")
        assert content["status"] == "ok", content
        request = begin(client, "%fsnet run", "kept")
        behind = client.execute("%fsnet version")
        ring()
        assert reply_to(client, request)["status"] == "error", "a client that sends cell after cell would go on"
        assert reply_to(client, behind)["status"] == "aborted"
        _, text = run(client, "%fsnet status")
        assert "paused" in text, text
        request = begin(client, '%%\nexec.Command("sleep", "600").Start()\nfmt.Println("ready")\nfor {\n}', "ready")
        ring()
        assert reply_to(client, request)["status"] == "error"
    _, text = run(client, "%fsnet status")
    manager.restart_kernel()
    client.wait_for_ready(timeout=LIMIT)
    content, shown = run(client, "%fsnet open kept")
    assert content["execution_count"] == 1 and "continued at step" in shown, (content, shown, text)


@pytest.mark.parametrize("kernel", ["tcp"], indirect=True)
def test_data_that_must_not_or_cannot_be_read(kernel, tmp_path):
    """What the user may not read, the kernel does not; what is no file keeps it waiting for nothing."""
    _, client = kernel
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "secret.csv").write_text("label,a\n1,2\n")
    (tmp_path / "secret.csv").chmod(0)
    (tmp_path / "link.csv").symlink_to("link.csv")
    names = ["pipe.csv", "folder.csv", "link.csv", "/dev/zero", "/proc/self/mem", "../../../../../../etc/passwd", "nosuch.csv"]
    if os.getuid() != 0:  # who may read everything
        names.append("secret.csv")
    for name in names:
        content, _ = run(client, f'%fsnet open x data="{name}"')
        assert content["status"] == "error" and "\n" not in content["evalue"] and pathlib.Path(name).name in content["evalue"], (name, content)


del Questions, Welcome  # pytest would ask them of a Python kernel too
