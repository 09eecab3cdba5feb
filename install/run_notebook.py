"""Executes a notebook without a browser, one line a cell, and keeps what came out.

run_notebook.py NOTEBOOK [--output FILE] [--timeout SECONDS] [--kernel NAME]
"""

import argparse
import asyncio
import atexit
import copy
import json
import os
import re
import signal
import sys
import tempfile
import time

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def refuse(what, remedy):
    print(f"install.sh run: {what}\n  → {remedy}", file=sys.stderr)
    sys.exit(2)


def arguments():
    parser = argparse.ArgumentParser(prog="./install.sh run", usage="%(prog)s NOTEBOOK [--output FILE] [--timeout SECONDS] [--kernel NAME]")
    parser.add_argument("notebook")
    parser.add_argument("--output")
    parser.add_argument("--timeout", type=float)
    parser.add_argument("--kernel", help="instead of the one that the notebook names")
    a = parser.parse_args()
    if a.timeout is not None and a.timeout <= 0:
        refuse(f"--timeout {a.timeout:g} is not a time", "give seconds, more than 0")
    if a.output is None:
        stem = re.sub(r"\.ipynb$", "", a.notebook)
        a.output = stem + ".executed.ipynb"
    return a


def read(path):
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        refuse(f"{path} does not exist", "name a notebook, such as notebooks/quickstart.ipynb")
    except Exception as e:  # whatever of its structure is not as it should be
        refuse(f"{path} is not a notebook: {(str(e) or type(e).__name__).splitlines()[0][:120]}", "name a file that Jupyter opens")


VEGA = "application/vnd.vegalite.v5+json"


def text(notebook):
    """The notebook as a file has it, but for specifications of charts, which stand on a line each: indented they are twice as long."""
    charts = []
    short = copy.deepcopy(notebook)
    for cell in short.cells:
        for output in cell.get("outputs", []):
            if VEGA in output.get("data", {}):
                charts.append(json.dumps(output.data[VEGA], ensure_ascii=False, separators=(",", ":")))
                output.data[VEGA] = f"chart {len(charts) - 1}"
    return re.sub(rf'("{re.escape(VEGA)}": )"chart (\d+)"', lambda found: found[1] + charts[int(found[2])], nbformat.writes(short))


def write(notebook, path):
    """Writes as a whole or not at all."""
    directory = os.path.dirname(os.path.abspath(path))
    descriptor, scratch = tempfile.mkstemp(dir=directory, prefix=".run-", suffix=".ipynb")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as f:
            f.write(text(notebook) + "\n")
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(scratch, 0o666 & ~umask)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise


def end_views(notebook, pictures):
    """Leaves the last picture of each live view, by its model: nobody is there who could answer for a view when the notebook is opened, and
    JupyterLab would show that it found none in the place of the picture."""
    view = "application/vnd.jupyter.widget-view+json"
    kept = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if view in data and (picture := pictures.get(data[view].get("model_id"))):
                output.update(data=picture["data"], metadata=picture.get("metadata") or {})
            elif len(data) > 1 and view in data and data[view].get("model_id") not in kept:
                del data[view]


def check_output(path):
    """Says before the work, not after it, that its result could not be kept."""
    try:
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.abspath(path))):
            pass
        if os.path.isdir(path):
            raise IsADirectoryError(0, "it is a directory")
    except OSError as e:
        refuse(f"{path} cannot be written: {e.strerror}", "name another file with --output")


def title(cell):
    lines = [line.strip() for line in cell.source.splitlines() if line.strip()]
    return lines[0][:70] if lines else "(empty)"


class Progress:
    """One line for each code cell as it ends."""

    def __init__(self, notebook):
        self.count = sum(1 for c in notebook.cells if c.cell_type == "code")
        self.at = 0
        self.began = 0.0

    def start(self, cell, cell_index):
        if cell.cell_type == "code":
            self.at += 1
            self.began = time.monotonic()
            if sys.stdout.isatty():
                print(f"[{self.at:2}/{self.count}]    …     {title(cell)}", end="\r", flush=True)

    def end(self, cell, cell_index, execute_reply):
        failed = execute_reply["content"]["status"] != "ok"
        mark = "✗" if failed else " "
        print(f"[{self.at:2}/{self.count}] {time.monotonic() - self.began:7.1f} s {mark} {title(cell)}", flush=True)


class Interrupted(Exception):
    """The person asked to stop."""


class Client(NotebookClient):
    """A client whose Ctrl-C is the notebook's interrupt button: the cell ends in its own way, what it made is kept, and the kernel is
    shut down in order. A kernel that does not obey within ten seconds is ended, and a second Ctrl-C ends it at once."""

    interrupted = False

    async def async_start_new_kernel_client(self, **kwargs):
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        async def ask():
            for _ in range(10):  # an interrupt that arrives before the cell has begun is lost
                await self.km.interrupt_kernel()
                await asyncio.sleep(1)
            task.cancel()

        def stop():
            if self.interrupted:
                task.cancel()
                return
            self.interrupted = True
            self.asking = asyncio.ensure_future(ask())

        for sign in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(sign, stop)
        for more in (2, 1, 0):
            try:
                client = await super().async_start_new_kernel_client(**kwargs)
                self.pictures, self.listening = {}, asyncio.ensure_future(self.listen())
                return client
            except RuntimeError:  # a port that was free when it was chosen may be another's when the kernel listens: once more, with others
                if not more:
                    raise
                self.km = self.create_kernel_manager()
                await self.async_start_new_kernel()

    async def listen(self):
        """Keeps the last picture of each live view. They come between cells, where nbclient takes no messages, so this listens for itself."""
        ear = self.km.client()
        ear.start_channels(shell=False, iopub=True, stdin=False, hb=False, control=False)
        try:
            while True:
                message = await ear.get_iopub_msg(timeout=None)
                picture = message["content"].get("data", {}).get("state", {}).get("snapshot") if message["msg_type"].startswith("comm_") else None
                if picture:
                    self.pictures[picture["root"]] = picture
        finally:
            ear.stop_channels()

    async def async_execute_cell(self, cell, cell_index, **kwargs):
        try:
            cell = await super().async_execute_cell(cell, cell_index, **kwargs)
        except (CellExecutionError, DeadKernelError):
            if not self.interrupted:
                raise
        if self.interrupted:
            self.asking.cancel()
            raise Interrupted
        return cell


def explain(error, notebook, at):
    """What a person needs of a failed cell: which, its source, and the error without colours."""
    if isinstance(error, CellTimeoutError):
        return f"cell {at} took longer than --timeout allows"
    if isinstance(error, DeadKernelError):
        return f"the kernel died in cell {at}"
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    lines = [f"cell {at} failed:", ""] + ["    " + line for line in cells[at - 1].source.splitlines()] + [""]
    for output in cells[at - 1].get("outputs", []):
        if output.output_type == "error":
            text = output.get("evalue") or "\n".join(output.get("traceback", []))
            lines += ["    " + line for line in ANSI.sub("", text).splitlines()]
    return "\n".join(lines)


def main():
    a = arguments()
    notebook = read(a.notebook)
    check_output(a.output)
    progress = Progress(notebook)
    client = Client(
        notebook,
        timeout=a.timeout,
        startup_timeout=120,
        resources={"metadata": {"path": os.path.dirname(os.path.abspath(a.notebook))}},
        on_cell_start=progress.start,
        on_cell_executed=progress.end,
        **({"kernel_name": a.kernel} if a.kernel else {}),
    )
    status, began = 0, time.monotonic()
    try:
        client.execute()
    except NoSuchKernel as e:
        refuse(f"the kernel {e.name} is not installed", "./install.sh installs the kernel fsnet")
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as e:
        status = 1
        print("\n" + explain(e, notebook, progress.at), file=sys.stderr)
    except RuntimeError as e:
        atexit.unregister(client._cleanup_kernel)  # there is none, and it would say so
        refuse(f"the kernel {client.kernel_name} does not start: {e}", "look at what it says above")
    except (Interrupted, KeyboardInterrupt, asyncio.CancelledError):
        status = 130
        print(f"\ninterrupted in cell {progress.at}; what came out before is kept", file=sys.stderr)
    end_views(notebook, getattr(client, "pictures", {}))
    write(notebook, a.output)
    print(f"{({0: 'done', 1: 'failed'}).get(status, 'stopped')} in {time.monotonic() - began:.1f} s: {a.output}")
    sys.exit(status)


main()
