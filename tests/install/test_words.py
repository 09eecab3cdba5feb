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


def test_dead_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One `two`: three\n[a](page.md) [b](#one-two-three) [c](https://x.example/y)\n```\n[d](gone)\n```\n[e](gone.md) ![f](gone.png) [g](#none)\n")
    assert list(dead(page)) == ["gone.md: no such file", "gone.png: no such file", "#none: no such heading"]


def numbered(text):
    """The lines that have the paper's two algorithms the wrong way round: 1 is the unique argmax, 2 the training."""
    for line in text.splitlines():
        if "Algorithm 1" in line and not re.search("argmax|largest entry|ruled out", line) or re.search("argmax[^|.]*Algorithm 2", line):
            yield line


def test_algorithms_have_the_papers_numbers():
    """Algorithm 2 stands behind 1 in the paper, in the supplement."""
    assert list(numbered("one step of Algorithm 1\nthe unique argmax (Algorithm 1)\nunique argmax, Algorithm 2")) == [
        "one step of Algorithm 1", "unique argmax, Algorithm 2"]
    folders = [path for folder in ("cmd", "docs", "fsnet", "kernel", "notebooks", "widgets") for path in (ROOT / folder).rglob("*")]
    texts = [path for path in [*folders, *ROOT.glob("*.md")] if path.suffix in (".go", ".md", ".ipynb", ".py")]
    assert [f"{name(path)}: {line}" for path in texts for line in numbered(path.read_text(encoding="utf-8"))] == []


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


def test_readme_is_short():
    """A minute's reading: 350 words, whatever wc takes for one."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 350


def told():
    """What CONTRIBUTING names between backticks, each with the folders that its line names and those that hold them."""
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        words = re.findall(r"`([^`\n]+)`", line)
        named = [ROOT / word for word in words if (ROOT / word).exists()]
        for word in words:
            yield word, [ROOT, *named, *(path.parent for path in named)]


def test_contributing_names_what_exists():
    """Each file that a row of CONTRIBUTING tells to touch is there, and each name in Go is one of the source."""
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("*.go"))
    missing = []
    for word, folders in told():
        if re.fullmatch(r"[\w./-]+\.(go|py|js|css|md|yml|golden|ipynb|sh)", word) and "NAME" not in word:
            if not any((folder / word).is_file() for folder in folders):
                missing.append(word)
        elif re.fullmatch(r"[a-z][\w.-]*(/[\w-]+)+/?", word) and word != "net/http":
            if not any((folder / word).exists() for folder in folders):
                missing.append(word)
        elif re.fullmatch(r"(\w+\.)?\w*[A-Z]\w*", word) and not word.isupper() and not word.startswith("FSNET_"):
            if not re.search(rf"\b{word.split('.')[-1]}", source):
                missing.append(word)
    assert missing == []


def test_contributing_is_read():
    words = {word for word, _ in told()}
    assert {"kernel/magic/verbs.go", "fsnet/session/wire.go", "formsOf", "fsnet/baseline/"} <= words
