"""The documentation as a site, read from its files: no server and no network. Its search finds words, and what it finds leads there."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from lab import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("docs") / "site"
    subprocess.run([sys.executable, ROOT / "install/site/build.py", shutil.which("fsnet"), directory], check=True, timeout=600)
    return directory


@pytest.fixture
def reader(browser):
    """A page of somebody without a network."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.asked, page.failed = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("requestfailed", lambda request: page.failed.append(request.url))
    page.on("pageerror", lambda error: page.failed.append(str(error)))
    yield page
    context.close()


@pytest.mark.parametrize("begin", ["index.html", "notebooks/quickstart.html"])
def test_search_works_from_files(site, reader, out, begin):
    reader.goto((site / begin).as_uri())
    assert reader.locator("h1").first.is_visible()
    reader.locator("input.md-search__input").click()
    reader.keyboard.type("leader")
    found = reader.locator(".md-search-result__item a").filter(has_text=re.compile("Glossary", re.I)).first
    found.wait_for()
    reader.screenshot(path=out / f"site-search-{pathlib.Path(begin).stem}.png")
    found.click()
    reader.wait_for_url(re.compile(r"/reference\.html.*#glossary"))
    assert "leader" in reader.locator("article").inner_text()
    assert reader.failed == []
    assert [url for url in reader.asked if not url.startswith(("file:", "data:", "blob:"))] == []
