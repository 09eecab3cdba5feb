"""A kernel that is another one: it passes everything on, both ways, and writes it down.

    python relay.py RECORDING COMMAND... CONNECTION_FILE

A front end starts it in place of COMMAND (see jupyterlab.py and vscode.mjs). RECORDING gets a line of JSON a message, in the order in which they pass:
{"at": seconds, "from": "front" or "kernel", "socket": ..., "header": ..., "parent_header": ..., "metadata": ..., "content": ...}.
It needs pyzmq, which comes with jupyter_client.
"""

import json
import pathlib
import signal
import socket
import subprocess
import sys
import time

import zmq

DELIMITER = b"<IDS|MSG>"
PORTS = ("shell_port", "control_port", "stdin_port", "hb_port", "iopub_port")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Relay:
    def __init__(self, recording, command, file):
        self.recording = open(recording, "a")
        self.began = time.monotonic()
        front = json.loads(pathlib.Path(file).read_text())
        behind = pathlib.Path(file).with_suffix(".behind.json")
        kernel = front | {port: free_port() for port in PORTS}
        behind.write_text(json.dumps(kernel))
        self.kernel = subprocess.Popen([*command, str(behind)], start_new_session=True)
        self.context = zmq.Context()
        self.poller = zmq.Poller()
        self.pairs = {}
        for port in PORTS:
            name = port.removesuffix("_port")
            here, there = (zmq.XPUB, zmq.XSUB) if name == "iopub" else (zmq.ROUTER, zmq.DEALER)
            outside, inside = self.context.socket(here), self.context.socket(there)
            if name == "iopub":
                outside.setsockopt(zmq.XPUB_VERBOSE, 1)  # the kernel welcomes every subscriber
            else:
                inside.setsockopt(zmq.IDENTITY, b"relay")  # a kernel asks for input where a cell came from
            outside.bind(f"tcp://{front['ip']}:{front[port]}")
            inside.connect(f"tcp://{kernel['ip']}:{kernel[port]}")
            self.pairs[outside] = (name, "front", inside)
            self.pairs[inside] = (name, "kernel", outside)
            self.poller.register(outside, zmq.POLLIN)
            self.poller.register(inside, zmq.POLLIN)

    def run(self):
        try:
            while self.kernel.poll() is None:
                for origin, _ in self.poller.poll(500):
                    name, who, to = self.pairs[origin]
                    frames = origin.recv_multipart()
                    self.write(name, who, frames)
                    to.send_multipart(frames)
        finally:
            self.kernel.terminate()
        return self.kernel.wait()

    def write(self, name, who, frames):
        if DELIMITER not in frames:
            return  # a heartbeat, a subscription
        header, parent, metadata, content = (json.loads(frame) for frame in frames[frames.index(DELIMITER) + 2 :][:4])
        line = {
            "at": round(time.monotonic() - self.began, 4),
            "from": who,
            "socket": name,
            "header": header,
            "parent_header": parent,
            "metadata": metadata,
            "content": content,
        }
        self.recording.write(json.dumps(line) + "\n")
        self.recording.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    recording, *command, file = sys.argv[1:]
    sys.exit(Relay(recording, command, file).run())
