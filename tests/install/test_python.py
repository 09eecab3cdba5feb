"""The Python environment is made anew where it is broken or its list has changed, and stays otherwise; that of the tests is kept for all
clones. A wheel made here is all there is in it: pip takes half a minute for JupyterLab's."""

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

    def make(script='python_environment "$venv" "$list"', status=0):
        process = stage.call(f'python="{sys.executable}" list="{listed}"\n{script}', XDG_CACHE_HOME=stage.home / ".cache", PIP_NO_INDEX=1, PIP_FIND_LINKS=tmp_path)
        assert process.returncode == status, process
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


KEPT = 'kept_environment "$(environment_directory tests "$list")" "$list"'


def test_what_every_clone_uses_is_made_once(stage, make):
    assert "1 packages with known hashes" in make(KEPT) and "already there" in make(KEPT)
    tools = stage.home / ".cache/fsnet/tools"
    link, made = sorted(tools.iterdir(), key=lambda path: not path.is_symlink())
    assert link.resolve() == made and list(link.glob("lib/*/site-packages/tiny.py"))
    (made / "bin/python").unlink()
    assert "1 packages" in make(KEPT)
    assert len(list(tools.iterdir())) == 2 and link.resolve() != made


def test_of_two_that_make_the_same_one_is_kept(stage, make):
    """The second begins when the first is nearly done, and finds at its end that it need not have."""
    make(f'ln() {{ (unset -f ln; {KEPT} >"$HOME/other"); command ln "$@"; }}\n{KEPT}')
    tools = stage.home / ".cache/fsnet/tools"
    assert "Successfully installed" in (stage.home / "other").read_text() and [path.is_symlink() for path in sorted(tools.iterdir())] == [True, False]
    assert "already there" in make(KEPT)


def test_what_cannot_be_made_is_not_kept(stage, make):
    assert make(f'echo "none==1.0 --hash=sha256:{64 * "0"}" >"$HOME/none"\nlist=$HOME/none\n{KEPT}', status=1) is not None
    assert not [path for path in (stage.home / ".cache/fsnet/tools").iterdir() if path.is_symlink()]
