"""The documentation as a site: built from the clone in a few seconds, where MkDocs refuses links that lead nowhere, and read without a network."""

import json
import re
import shutil
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def site(root, tmp_path_factory):
    directory = tmp_path_factory.mktemp("docs") / "site"
    built = subprocess.run([sys.executable, root / "install/site/build.py", shutil.which("fsnet"), directory], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return directory


def text(path):
    return path.read_text(encoding="utf-8")


def test_nothing_comes_from_a_network(site):
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        loaded = re.findall(r"<(?:img|script|iframe|source)\b[^>]* src=\"?(?:https?:)?//[^>]*|<link\b(?![^>]*canonical)[^>]* href=\"?https?://[^>]*|url\(http[^)]*", text(page))
        assert loaded == [], page


def test_every_page_and_notebook_is_there(root, site):
    names = {path.stem for path in site.rglob("*.html")}
    for path in [*(root / "docs").glob("*.md"), *(root / "notebooks").glob("*.ipynb")]:
        assert path.name == "README.md" or path.stem in names, path
    assert {"commands", "gallery", "citing", "index"} <= names and len(list(site.glob("notebooks/*.png"))) > 5
    assert "fsnet stability" in text(site / "commands.html")


def test_go_packages_are_from_the_code(root, site):
    """Each package that the navigation and the how-to name has a page, with what its code says now, its examples, and links to others."""
    named = re.findall(r": go/(?!index)(\S+)\.md$", text(root / "install/site/mkdocs.yml"), re.M)
    told = re.findall(r"`(fsnet(?:/\w+)*)`", text(root / "docs/go.md"))
    assert set(told) <= set(named) and "widgets" in named
    for name in named:
        page, sources = text(site / f"go/{name}.html"), [path for path in (root / name).glob("*.go") if not path.name.endswith("_test.go")]
        declared = re.findall(r"^(?:func|type) ([A-Z]\w*)", "".join(map(text, sources)), re.M)
        assert [one for one in declared if f'name="{one}"' not in page] == [], name
    door = text(site / "go/fsnet.html")
    assert 'href="#Model.Save"' in door and 'name="Model.PredictNamed"' in door and "It prints:" in door and "<details>" in door
    assert 'href="../nn.html#Perceptron"' in text(site / "go/fsnet/baseline/deep.html")


def test_schemas_are_there_with_their_fields(root, site):
    page = text(site / "json.html")
    for path in (root / "docs/schemas").iterdir():
        assert (site / "schemas" / path.name).read_bytes() == path.read_bytes()
        schema = json.loads(text(path))
        fields = [field for part in [schema, *schema.get("$defs", {}).values()] for field in part.get("properties", {})]
        assert [field for field in fields if f"<code>{field}</code>" not in page] == [], path.name
        assert f"](schemas/{path.name})" in text(root / "docs/reference.md")


def test_search_knows_the_glossary(site):
    index = json.loads(text(site / "search/search_index.json"))
    assert any(entry["location"].startswith("reference.html#glossary") for entry in index["docs"])
