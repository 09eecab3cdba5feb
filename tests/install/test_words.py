"""What a reader is sent to is there: every relative link and picture of the documentation, and every command of its code blocks."""

import json
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted(page for folder in (".", "docs", "docs/lab", "bench", "workflow") for page in (ROOT / folder).glob("*.md"))
LINK = re.compile(r"\]\(<?([^)\s>]+)>?\)")
FENCE = re.compile(r"^( *)```.*?^\1```", re.M | re.S)


def name(page):
    return str(page.relative_to(ROOT))


def anchors(page):
    """The names that GitHub gives the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.M):
        anchor = re.sub(r"[^\w\- ]", "", LINK.sub("]", heading).lower()).replace(" ", "-")
        found.add(anchor if anchor not in found else f"{anchor}-1")
    return found


def cells(notebook):
    """The words of a notebook."""
    return "\n\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


def dead(page):
    """The links of a page, or a notebook, that lead nowhere."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", cells(json.loads(text)) if page.suffix == ".ipynb" else text))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{link}: no such heading"


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / "notebooks").glob("*.ipynb")], ids=name)
def test_links(page):
    assert list(dead(page)) == []


def test_every_page_is_in_the_index():
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert [page.name for page in (ROOT / "docs").glob("*.md") if page.name != "README.md" and f"]({page.name})" not in index] == []


def test_every_dependency_has_a_line():
    modules = re.findall(r"^\t(\S+?)(?:/v\d+)? v\S+$", (ROOT / "go.mod").read_text(encoding="utf-8").replace("+incompatible", ""), re.M)
    internals = (ROOT / "docs/internals.md").read_text(encoding="utf-8")
    assert modules and [module for module in modules if module.removeprefix("github.com/") not in internals] == []


def test_commands_exist():
    """Each `fsnet WORD` that begins a line of a code block is a command of the program."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "cmd/fsnet").rglob("*.go"))
    commands = set(re.findall(r'Use: +"([a-z]+)', source)) | {"help", "completion"}
    for page in PAGES:
        for block in FENCE.finditer(page.read_text(encoding="utf-8")):
            for word in re.findall(r"^ *(?:\$ )?fsnet ([a-z]+)", block.group(), re.M):
                assert word in commands, f"{name(page)}: fsnet {word}"
