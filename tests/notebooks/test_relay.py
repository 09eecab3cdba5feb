"""A kernel on another machine, as behind an ssh tunnel: each of its five ports is reached through a relay that keeps every byte back for a
while, and that is cut and comes back. What was published while nobody was connected is lost, as ZeroMQ has it; the kernel and what it
holds are not."""

import asyncio
import json
import queue
import threading
import time

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from test_protocol import run

LIMIT = 120
DELAY = 0.05  # seconds, each way


class Relay(threading.Thread):
    """Passes on what comes to its ports, late."""

    def __init__(self, targets):
        super().__init__(daemon=True)
        self.targets, self.ports, self.open = targets, {}, set()
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.listen())
        self.ready.set()
        self.loop.run_forever()

    async def listen(self):
        for name, port in self.targets.items():
            server = await asyncio.start_server(lambda r, w, port=port: self.accept(port, r, w), "127.0.0.1", 0)
            self.ports[name] = server.sockets[0].getsockname()[1]

    async def accept(self, port, reader, writer):
        behind, into = await asyncio.open_connection("127.0.0.1", port)
        self.open |= {writer, into}
        await asyncio.gather(self.carry(reader, into), self.carry(behind, writer))

    async def carry(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await asyncio.sleep(DELAY)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self):
        """Ends all connections; new ones are passed on."""

        async def abort():
            for writer in self.open:
                writer.transport.abort()
            self.open = set()

        asyncio.run_coroutine_threadsafe(abort(), self.loop).result(LIMIT)


@pytest.fixture
def far(tmp_path, monkeypatch):
    """A kernel, a client of it beyond a relay, and the relay."""
    monkeypatch.chdir(tmp_path)
    manager = KernelManager(kernel_name="fsnet")
    manager.start_kernel()
    connection = json.loads(open(manager.connection_file).read())
    relay = Relay({name: port for name, port in connection.items() if name.endswith("_port")})
    relay.start()
    assert relay.ready.wait(LIMIT)
    beyond = tmp_path / "beyond.json"
    beyond.write_text(json.dumps(connection | relay.ports))
    client = BlockingKernelClient(connection_file=str(beyond))
    client.load_connection_file()
    client.start_channels()
    client.wait_for_ready(timeout=LIMIT)
    yield client, relay
    client.stop_channels()
    manager.shutdown_kernel()


def test_a_kernel_behind_a_slow_tunnel_that_is_cut(far):
    client, relay = far
    reply, text = run(client, "%fsnet open far data=ALLAML k=3 seed=1 epochs=1000000 stop=never")
    assert reply["status"] == "ok", reply
    # Cells, output in order, input and an interrupt work as they do nearby, later.
    reply, text = run(
        client, '%%\nvar n int\nfmt.Scan(&n)\nfor i := range n {\n\tfmt.Println("line", i)\n}', allow_stdin=True, stdin_hook=lambda _: client.input("2000")
    )
    assert reply["status"] == "ok" and text == "".join(f"line {i}\n" for i in range(2000)), text[-200:]
    request = client.execute("%fsnet run")
    while "display_data" not in (m := client.get_iopub_msg(timeout=LIMIT))["msg_type"] or m["parent_header"].get("msg_id") != request:
        pass
    client.control_channel.send(client.session.msg("interrupt_request"))
    assert client._recv_reply(request, timeout=LIMIT)["content"]["status"] == "ok"
    # The tunnel is cut while the session runs, and comes back: the session has gone on.
    reply, _ = run(client, "%fsnet run wait=false")
    assert reply["status"] == "ok"
    relay.cut()
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:  # a request may have been on its way, and output is heard a moment after answers
        request = client.kernel_info()
        try:
            client._recv_reply(request, timeout=2)
            while client.get_iopub_msg(timeout=2)["parent_header"].get("msg_id") != request:
                pass
            break
        except (TimeoutError, queue.Empty):
            continue
    _, text = run(client, '%fsnet pause\n%%\nfmt.Println("here again")')
    assert "paused" in text and text.endswith("here again\n"), text
