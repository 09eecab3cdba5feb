"""Tools that are built once for all clones of a person."""

import concurrent.futures
import os

import pytest

BUILD = """
build() {
  echo begun >"$HOME/$who"
  until [ -e "$HOME/$other" ]; do sleep 0.05; done
  printf '#!/bin/sh\\necho by %s\\n' "$who" >"$1/part"
  sleep "$takes"
  echo more >"$1/other"
  chmod +x "$1/part"
  mv "$1/part" "$1/tool"
}
kept "$cache/tools/gopls-1" tool build
"$cache/tools/gopls-1/tool"
"""


@pytest.mark.parametrize("takes", [("0", "1"), ("0.5", "0.5")])
def test_two_clones_build_one_tool_at_once(stage, takes):
    cache = stage.home / "cache"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        builds = [
            pool.submit(stage.call, BUILD, who=who, other=other, takes=seconds, XDG_CACHE_HOME=cache)
            for who, other, seconds in (("one", "two", takes[0]), ("two", "one", takes[1]))
        ]
    for build in builds:
        result = build.result()
        assert result.returncode == 0 and result.stdout.splitlines()[-1] in ("by one", "by two"), result
    tools = cache / "fsnet/tools"
    assert [path.name for path in tools.iterdir()] == ["gopls-1"]
    assert sorted(path.name for path in (tools / "gopls-1").iterdir()) == ["other", "tool"]


def test_what_was_cut_short_goes_and_what_is_being_built_stays(stage):
    tools = stage.home / "cache/fsnet/tools"
    for name in ("gopls-1", "gopls-0.new-Ab12Cd", "gopls-1.new", "gonb-2.new-Ef34Gh"):
        (tools / name).mkdir(parents=True)
    for name in ("gopls-0.new-Ab12Cd", "gopls-1.new"):
        os.utime(tools / name, (0, 0))
    result = stage.call('build() { echo >"$1/tool"; chmod +x "$1/tool"; }\nkept "$cache/tools/gopls-1" tool build', XDG_CACHE_HOME=stage.home / "cache")
    assert result.returncode == 0, result
    assert sorted(path.name for path in tools.iterdir()) == ["gonb-2.new-Ef34Gh", "gopls-1"]
    assert os.access(tools / "gopls-1/tool", os.X_OK)
