"""The Python environment is made anew where it is broken or its list has changed, and stays otherwise; what all clones use is made once. A
wheel made here is all there is in the environment: pip takes half a minute for JupyterLab's."""

import concurrent.futures
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

    def make(script='python_environment "$list" "$venv"', status=0):
        result = stage.call(f'python="{sys.executable}" list="{listed}"\n{script}', XDG_CACHE_HOME=stage.home / ".cache", PIP_NO_INDEX=1, PIP_FIND_LINKS=tmp_path)
        assert result.status == status, result
        return result.out

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


KEPT = 'kept "$cache/tools/tests" bin/python python_environment "$list"'


def test_what_every_clone_uses_is_made_once(stage, make):
    assert "1 packages with known hashes" in make(KEPT) and "already built" in make(KEPT)
    tools = stage.home / ".cache/fsnet/tools"
    link, made = sorted(tools.glob("tests*"), key=lambda path: not path.is_symlink())
    assert link.resolve() == made and list(link.glob("lib/*/site-packages/tiny.py"))
    (made / "bin/python").unlink()
    assert "1 packages" in make(KEPT)
    assert len(list(tools.glob("tests*"))) == 2 and link.resolve() != made


BUILD = """
build_it() {
  echo begun >"$HOME/$who"
  until [ -e "$HOME/$other" ]; do sleep 0.05; done
  sleep "$takes"
  printf '#!/bin/sh\\necho by %s\\n' "$who" >"$1/tool"
  chmod +x "$1/tool"
}
kept "$cache/tools/gopls-1" tool build_it
"$cache/tools/gopls-1/tool"
"""


@pytest.mark.parametrize("takes", [(0, 1), (0.5, 0.5)])
def test_two_clones_build_one_tool_at_once(stage, takes):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        builds = [pool.submit(stage.call, BUILD, who=who, other=other, takes=seconds, XDG_CACHE_HOME=stage.home / "cache")
                  for who, other, seconds in (("one", "two", takes[0]), ("two", "one", takes[1]))]
    for build in builds:
        assert build.result().status == 0 and build.result().out.splitlines()[-1] in ("by one", "by two"), build.result()
    assert sorted(path.is_symlink() for path in (stage.home / "cache/fsnet/tools").glob("gopls*")) == [False, True]


def test_what_cannot_be_made_is_not_kept(stage, make):
    make(f'echo "none==1.0 --hash=sha256:{64 * "0"}" >"$HOME/none"\nlist=$HOME/none\n{KEPT}', status=1)
    assert list((stage.home / ".cache/fsnet/tools").glob("tests*")) == []
