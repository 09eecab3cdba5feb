"""Executes a notebook without a browser and prints a line for each cell. Unlike `jupyter execute` it also keeps the output of a notebook
that fails or is interrupted.

run_notebook.py NOTEBOOK [--output FILE] [--timeout SECONDS] [--kernel NAME]
"""

import argparse
import asyncio
import atexit
import copy
import json
import pathlib
import re
import signal
import sys
import tempfile
import time

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

VEGA = "application/vnd.vegalite.v5+json"
VIEW = "application/vnd.jupyter.widget-view+json"


def refuse(what, remedy):
    print(f"install.sh run: {what}\n  → {remedy}", file=sys.stderr)
    sys.exit(2)


def arguments():
    """Parses and checks the arguments, also whether the output can be written."""
    parser = argparse.ArgumentParser(prog="./install.sh run", usage="%(prog)s NOTEBOOK [--output FILE] [--timeout SECONDS] [--kernel NAME]")
    parser.add_argument("notebook")
    parser.add_argument("--output")
    parser.add_argument("--timeout", type=float)
    parser.add_argument("--kernel", help="instead of the one that the notebook names")
    a = parser.parse_args()
    if a.timeout is not None and a.timeout <= 0:
        refuse(f"--timeout {a.timeout:g} is not a time", "give seconds, more than 0")
    a.output = pathlib.Path(a.output or re.sub(r"(\.ipynb)?$", ".executed.ipynb", a.notebook, count=1))
    try:
        a.notebook, a.folder = nbformat.read(a.notebook, as_version=4), str(pathlib.Path(a.notebook).absolute().parent)
    except FileNotFoundError:
        refuse(f"{a.notebook} does not exist", "name a notebook, such as notebooks/quickstart.ipynb")
    except Exception as e:  # any fault of its structure
        refuse(f"{a.notebook} is not a notebook: {(str(e) or type(e).__name__).splitlines()[0][:120]}", "name a file that Jupyter opens")
    try:
        if a.output.is_dir():
            raise IsADirectoryError(0, "it is a directory")
        tempfile.TemporaryFile(dir=a.output.absolute().parent).close()
    except OSError as e:
        refuse(f"{a.output} cannot be written: {e.strerror}", "name another file with --output")
    return a


def write(notebook, path):
    """Writes completely or not at all. Each chart's specification is on one line, half as long as indented."""
    charts, short = [], copy.deepcopy(notebook)
    for output in (output for cell in short.cells for output in cell.get("outputs", []) if VEGA in output.get("data", {})):
        charts.append(json.dumps(output.data[VEGA], ensure_ascii=False, separators=(",", ":")))
        output.data[VEGA] = f"chart {len(charts) - 1}"
    text = re.sub(rf'("{re.escape(VEGA)}": )"chart (\d+)"', lambda found: found[1] + charts[int(found[2])], nbformat.writes(short))
    scratch = path.with_name(f".{path.name}.new")
    scratch.write_text(text + "\n", encoding="utf-8")
    scratch.replace(path)


def end_views(notebook, pictures):
    """Replaces each live view by its last picture. No process answers for a view when the notebook is opened, and JupyterLab would show an
    error in place of the picture."""
    states = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    for output in (output for cell in notebook.cells for output in cell.get("outputs", []) if VIEW in output.get("data", {})):
        model = output.data[VIEW].get("model_id")
        if model in pictures:
            output.update(data=pictures[model]["data"], metadata=pictures[model].get("metadata") or {})
        elif len(output.data) > 1 and model not in states:
            del output.data[VIEW]


class Interrupted(Exception):
    """The user interrupted the notebook."""


class Client(NotebookClient):
    """A client that prints a line for each finished cell. Ctrl-C acts like the notebook's interrupt button: the cell ends, its output is
    kept, and the kernel shuts down. A kernel that does not react within ten seconds, or a second Ctrl-C, is ended at once."""

    interrupted, at = False, 0

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
            else:
                self.interrupted, self.asking = True, asyncio.ensure_future(ask())

        for sign in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(sign, stop)
        for more in (2, 1, 0):
            try:
                client = await super().async_start_new_kernel_client(**kwargs)
                self.listening = asyncio.ensure_future(self.listen())
                return client
            except RuntimeError:  # another process has taken a chosen port: try other ports
                if not more:
                    raise
                self.km = self.create_kernel_manager()
                await self.async_start_new_kernel()

    async def listen(self):
        """Keeps the last picture of each live view. Pictures arrive between cells, when nbclient reads no messages."""
        client = self.km.client()
        client.start_channels(shell=False, iopub=True, stdin=False, hb=False, control=False)
        try:
            while True:
                message = await client.get_iopub_msg(timeout=None)
                picture = message["content"].get("data", {}).get("state", {}).get("snapshot") if message["msg_type"].startswith("comm_") else None
                if picture:
                    self.pictures[picture["root"]] = picture
        finally:
            client.stop_channels()

    async def async_execute_cell(self, cell, cell_index, **kwargs):
        if cell.cell_type != "code":
            return cell
        self.at += 1
        began, sign = time.monotonic(), "✗"
        place, title = f"[{self.at:2}/{self.count}]", cell.source.strip().split("\n")[0][:70] or "(empty)"
        if sys.stdout.isatty():
            print(f"{place}    …     {title}", end="\r", flush=True)
        try:
            cell, sign = await super().async_execute_cell(cell, cell_index, **kwargs), " "
        except (CellExecutionError, DeadKernelError):
            if not self.interrupted:
                raise
        finally:
            print(f"{place} {time.monotonic() - began:7.1f} s {sign} {title}", flush=True)
        if self.interrupted:
            self.asking.cancel()
            raise Interrupted
        return cell


def explain(error, cell, at):
    """Describes a failed cell: its number, its source, and the error without colours."""
    if isinstance(error, CellTimeoutError):
        return f"cell {at} took longer than --timeout allows"
    if isinstance(error, DeadKernelError):
        return f"the kernel died in cell {at}"
    errors = [o.get("evalue") or "\n".join(o.get("traceback", [])) for o in cell.outputs if o.output_type == "error"]
    return "\n    ".join([f"cell {at} failed:\n", *cell.source.splitlines(), "", *re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", "\n".join(errors)).splitlines()])


def main():
    a = arguments()
    code = [cell for cell in a.notebook.cells if cell.cell_type == "code"]
    named = {"kernel_name": a.kernel} if a.kernel else {}
    client = Client(a.notebook, timeout=a.timeout, startup_timeout=120, resources={"metadata": {"path": a.folder}}, **named)
    client.count, client.pictures = len(code), {}
    status, words, began = 0, "done", time.monotonic()
    try:
        client.execute()
    except NoSuchKernel as e:
        refuse(f"the kernel {e.name} is not installed", "./install.sh installs the kernel fsnet")
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as e:
        status, words = 1, "failed"
        print("\n" + explain(e, code[client.at - 1], client.at), file=sys.stderr)
    except RuntimeError as e:
        atexit.unregister(client._cleanup_kernel)  # there is no kernel, and it would report that
        refuse(f"the kernel {client.kernel_name} does not start: {e}", "see its output above")
    except (Interrupted, KeyboardInterrupt, asyncio.CancelledError):
        status, words = 130, "stopped"
        print(f"\ninterrupted in cell {client.at}; what came out before is kept", file=sys.stderr)
    end_views(a.notebook, client.pictures)
    write(a.notebook, a.output)
    print(f"{words} in {time.monotonic() - began:.1f} s: {a.output}")
    sys.exit(status)


main()
