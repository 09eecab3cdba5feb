"""./install.sh run with notebooks that fail, hang or are none. A Python kernel of the installation stands in for ours: it is the
verb that is tried here."""

import json
import os
import signal
import subprocess

import nbformat
import pytest


@pytest.fixture
def run(stage, tmp_path):
    """Runs a notebook of these cells on the installation of the tests."""
    stage.environment |= {"FSNET_HOME": os.environ["FSNET_HOME"], "HOME": os.environ["HOME"]}

    def run(*cells, arguments=(), kernel="python3"):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
        notebook.metadata.kernelspec = {"name": kernel, "display_name": kernel, "language": "python"}
        nbformat.write(notebook, tmp_path / "a.ipynb")
        return stage.run("run", str(tmp_path / "a.ipynb"), *map(str, arguments))

    return run


def written(path):
    return nbformat.read(path, as_version=4)


def test_progress_and_output(run, tmp_path):
    result = run("print(6 * 7)", "# a title\n1 + 1", arguments=["--output", tmp_path / "b.ipynb"])
    assert result.status == 0, result
    assert "[ 1/2]" in result.out and "print(6 * 7)" in result.out and "# a title" in result.out, result
    assert written(tmp_path / "b.ipynb").cells[0].outputs[0].text == "42\n"


def test_failed_cell(run, tmp_path):
    result = run("print(1)", "x = 1\nraise ValueError('no gene \\x1b[31mZyxin\\x1b[0m')", "print(3)")
    assert result.status == 1, result
    assert "cell 2 failed" in result.err and "no gene Zyxin" in result.err and "    x = 1" in result.err, result
    assert "Traceback" not in result.err
    kept = written(tmp_path / "a.executed.ipynb")
    assert kept.cells[1].outputs[0].output_type == "error" and not kept.cells[2].outputs


@pytest.mark.parametrize("cells, arguments, text", [(["import os; os._exit(1)"], [], "the kernel died in cell 1"), (["import time; time.sleep(60)"], ["--timeout", 2], "cell 1 took longer")])
def test_kernel_that_dies_or_hangs(run, cells, arguments, text):
    result = run(*cells, arguments=arguments)
    assert result.status == 1 and text in result.err, result


@pytest.mark.parametrize(
    "content, what",
    [(None, "does not exist"), ("", "is not a notebook"), ("hello", "is not a notebook"), ('{"cells": 3}', "is not a notebook"), ("[]", "is not a notebook"), ("\x00\xff", "is not a notebook")],
)
def test_file_that_is_no_notebook(run, stage, tmp_path, content, what):
    path = tmp_path / "text.ipynb"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    result = stage.run("run", str(path))
    assert result.status == 2 and what in result.err and "→" in result.err, result
    assert "Traceback" not in result.err
    assert not (tmp_path / "text.executed.ipynb").exists()


def test_unknown_kernel(run):
    result = run("1", kernel="nosuchkernel")
    assert result.status == 2 and "the kernel nosuchkernel is not installed" in result.err, result


@pytest.mark.parametrize("fails, text", [(1, ""), (9, "the kernel limping does not start: Kernel died before replying to kernel_info")])
def test_kernel_that_does_not_start_at_once(run, stage, tmp_path, fails, text):
    """As one does whose port is another's by the time it listens."""
    folder = tmp_path / "kernels" / "limping"
    folder.mkdir(parents=True)
    limp = f'echo again >>{tmp_path}/starts; [ "$(wc -l <{tmp_path}/starts)" -gt {fails} ] || exit 1; exec "$1" -m ipykernel_launcher -f "$2"'
    argv = ["sh", "-c", limp, "sh", os.path.join(os.environ["FSNET_HOME"], "venv", "bin", "python"), "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "limping", "language": "python"}))
    stage.environment["JUPYTER_PATH"] = str(tmp_path)
    result = run("print(6 * 7)", kernel="limping")
    assert result.status == (2 if text else 0) and text in result.err, result
    assert "Traceback" not in result.err and len((tmp_path / "starts").read_text().split()) == min(fails + 1, 3)


def test_output_that_cannot_be_written(run, tmp_path):
    for place in (tmp_path / "missing" / "b.ipynb", tmp_path):
        result = run("print(1)", arguments=["--output", place])
        assert result.status == 2 and "cannot be written" in result.err, result
        assert "[ 1/1]" not in result.out


def test_interrupt_keeps_what_came_out(run, stage, tmp_path):
    run("print(1)")
    cells = ["import os\nprint(os.getpid(), flush=True)", "import time\ntime.sleep(600)"]
    notebook = written(tmp_path / "a.ipynb")
    notebook.cells = [nbformat.v4.new_code_cell(c) for c in cells]
    nbformat.write(notebook, tmp_path / "a.ipynb")
    process = subprocess.Popen(
        [str(stage.root / "install.sh"), "run", str(tmp_path / "a.ipynb")], env=stage.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert "[ 1/2]" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "interrupted in cell 2" in err, err
    kept = written(tmp_path / "a.executed.ipynb")
    pid = int(kept.cells[0].outputs[0].text)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
