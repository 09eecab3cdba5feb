"""The documentation as a site: built from the clone in a few seconds, read without a network, and no link of it leads nowhere."""

import html.parser
import json
import re
import shutil
import subprocess
import sys
import urllib.parse

import pytest


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.ids = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag in ("img", "script", "iframe", "source") and found.get("src"):
            self.loaded.append(found["src"])
        elif tag == "link" and found.get("rel") not in ("canonical", "next", "prev") and found.get("href"):
            self.loaded.append(found["href"])


def dead(site):
    """The links and resources of a site that are not in it; pages elsewhere may be linked to, and not loaded from."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    for path, page in pages.items():
        for target in page.links + page.loaded:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme != "data":
                    yield f"{path.name}: {target} is loaded from a network"
                continue
            file = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not file.is_file():
                if path.name != "404.html":  # it has absolute links, for a server
                    yield f"{path.name}: {target} is not there"
            elif parts.fragment and file in pages and urllib.parse.unquote(parts.fragment) not in pages[file].ids | {"__skip"}:
                yield f"{path.name}: {target} has no such heading"


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    fsnet = shutil.which("fsnet")
    assert fsnet, "fsnet is on the PATH of the tests"
    directory = tmp_path_factory.mktemp("docs") / "site"
    built = subprocess.run([sys.executable, str(root / "install/site/build.py"), fsnet, str(directory)], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return directory


def test_no_link_is_dead_and_nothing_comes_from_a_network(site):
    assert list(dead(site)) == []
    for sheet in site.rglob("*.css"):
        assert "url(http" not in sheet.read_text(encoding="utf-8"), sheet


def test_every_page_and_notebook_is_there(root, site):
    names = {path.stem for path in site.rglob("*.html")}
    for path in [*(root / "docs").glob("*.md"), *(root / "notebooks").glob("*.ipynb")]:
        assert path.name == "README.md" or path.stem in names, path
    assert {"commands", "gallery", "citing", "index"} <= names
    assert len(list(site.glob("notebooks/*.png"))) > 5


def test_commands_are_generated(site):
    assert "fsnet stability" in (site / "commands.html").read_text(encoding="utf-8")


def test_go_packages_are_from_the_code(root, site):
    """Each package that the navigation and the how-to name has a page, with what its code says now and its examples."""
    named = re.findall(r": go/(?!index)(\S+)\.md$", (root / "install/site/mkdocs.yml").read_text(encoding="utf-8"), re.M)
    told = re.findall(r"`(fsnet(?:/\w+)*)`", (root / "docs/go.md").read_text(encoding="utf-8"))
    assert set(told) <= set(named) and "widgets" in named
    for name in named:
        text = (site / f"go/{name}.html").read_text(encoding="utf-8")
        source = "".join(path.read_text(encoding="utf-8") for path in (root / name).glob("*.go") if not path.name.endswith("_test.go"))
        for declared in re.findall(r"^(?:func|type) ([A-Z]\w*)", source, re.M):
            assert f'name="{declared}"' in text, f"{name}: {declared}"
    door = Page(site / "go/fsnet.html")
    assert {"#Model.Save", "#Load"} <= set(door.links) and "Model.PredictNamed" in door.ids
    assert "It prints:" in (site / "go/fsnet.html").read_text(encoding="utf-8")


def test_schemas_are_there_with_their_fields(root, site):
    text = (site / "json.html").read_text(encoding="utf-8")
    for path in (root / "docs/schemas").iterdir():
        assert (site / "schemas" / path.name).read_bytes() == path.read_bytes()
        schema = json.loads(path.read_text(encoding="utf-8"))
        for part in [schema, *schema.get("$defs", {}).values()]:
            for field in part.get("properties", {}):
                assert f"<code>{field}</code>" in text, f"{path.name}: {field}"
        assert f"](schemas/{path.name})" in (root / "docs/reference.md").read_text(encoding="utf-8")


def test_search_knows_the_glossary(site):
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    assert any(entry["location"].startswith("reference.html#glossary") for entry in index["docs"])
