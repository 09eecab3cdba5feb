"""The Python environment is made anew where it is broken or its list has changed, and stays otherwise. A wheel made here is all there is
in it: pip takes half a minute for JupyterLab's."""

import hashlib
import sys

import pytest
from conftest import MARK, wheel


@pytest.fixture
def make(stage, tmp_path):
    """Makes the environment, and gives what it said."""
    path = wheel(tmp_path, "tiny", "1.0", {"tiny.py": ""}, tag="py3-none-any", python=">=3.8")
    listed = tmp_path / "a list.txt"
    listed.write_text(f"tiny==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n")

    def make():
        process = stage.call(f'python="{sys.executable}"\npython_environment "$venv" "{listed}"', PIP_NO_INDEX=1, PIP_FIND_LINKS=tmp_path)
        assert process.returncode == 0, process
        return process.stdout

    return make


def test_is_made_anew_only_where_it_must_be(stage, make):
    venv = stage.home / ".local/share/fsnet/venv"
    venv.mkdir(parents=True)
    (venv / MARK).write_text("made by install.sh\n")
    (venv / "half").touch()  # as an interrupted one is left
    assert "1 packages with known hashes" in make() and not (venv / "half").exists()
    (venv / "kept").touch()
    assert "already there" in make() and (venv / "kept").exists()
    (venv / "bin/python").unlink()
    assert "1 packages" in make() and not (venv / "kept").exists() and list(venv.glob("lib/*/site-packages/tiny.py"))
