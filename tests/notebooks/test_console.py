"""jupyter console --kernel fsnet in a terminal: lines that go on, completion, history, progress in place, Ctrl-C, the end."""

import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import termios
import time

import pytest

LIMIT = 120  # seconds that anything may take; nothing waits for them to pass
SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")


class Console:
    def __init__(self, program, directory):
        environment = os.environ | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "IPYTHONDIR": str(directory / "ipython")}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execve(program, [str(program), "--kernel", "fsnet"], environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.raw = self.seen = ""

    def types(self, text):
        os.write(self.terminal, text.encode())

    def shows(self, pattern):
        """Waits until something that fits was shown since the last time."""
        end = time.monotonic() + LIMIT
        while True:
            if found := re.search(pattern, self.seen, re.DOTALL):
                self.seen = self.seen[found.end() :]
                return found[0]
            assert time.monotonic() < end, f"{pattern!r} is not shown, but\n{self.seen}"
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    self.raw += os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    pytest.fail(f"it ended and did not show {pattern!r}, but\n{self.seen}")
                self.seen += SEQUENCE.sub("", self.raw)
                self.raw = ""

    def runs(self, line, pattern):
        self.types(line + "\r")
        return self.shows(pattern)

    def ends(self):
        with pytest.raises(OSError):  # the terminal is gone
            while select.select([self.terminal], [], [], LIMIT)[0]:
                os.read(self.terminal, 65536)
        os.waitpid(self.pid, 0)
        self.pid = None


@pytest.fixture
def console(tmp_path):
    program = pathlib.Path(os.environ["FSNET_HOME"]) / "venv" / "bin" / "jupyter-console"
    c = Console(program, tmp_path)
    yield c
    if c.pid:
        os.kill(c.pid, signal.SIGKILL)
        os.waitpid(c.pid, 0)
    os.close(c.terminal)


def test_a_conversation(console):
    console.shows(r"everything else is Go")
    console.shows(r"In \[1\]:")
    console.runs("%fsnet open leukemia \\", r"\.\.\.:")
    console.runs("data=ALLAML k=3 backend=go epochs=3000", r"leukemia idle . step 0 of")
    console.shows(r"In \[2\]:")

    console.types("%fsnet eval\t")
    console.shows("evaluate")
    console.runs(" train", r"Evaluation of leukemia on \d+ training rows")
    console.shows(r"In \[3\]:")

    # Progress stays in one line, and the end is shown.
    console.runs("%fsnet run epoch=100", r"\rleukemia ▕.*?▏.*?\r.*leukemia paused . step 500 of")
    console.shows(r"In \[4\]:")
    console.runs("%fsnet run", r"\rleukemia ▕")
    console.types("\x03")
    console.shows(r"leukemia paused . step (\d+) of")
    console.shows(r"In \[5\]:")

    console.types("\x1b[A")
    console.shows(r"%fsnet run")
    console.types("\x15")
    console.runs("%fsnet curves", r"loss +[▁▂▃▄▅▆▇█ ]+")  # a picture as text
    console.shows(r"In \[6\]:")
    console.runs("%fsnet lambda?", r"weight of the reconstruction term")
    console.shows(r"In \[\d\]:")
    console.types("\x04")
    console.shows(r"exit")
    console.types("y\r")
    console.ends()
