"""Builds the documentation as a site: the repository's pages, executed notebooks, the program's reference of commands, and the code's
documentation of Go packages and JSON.

build.py FSNET DIRECTORY
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import schemas

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "install/site/mkdocs.yml"
FENCE = re.compile(r"(^ *```.*?^ *```[^\n]*$)", re.M | re.S)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(<?([^)\s>]+)>?\)")


def pages():
    """Returns the place in the site of each file of the repository."""
    places = {
        "README.md": "index.md",
        "docs/README.md": "pages.md",
        "CONTRIBUTING.md": "contributing.md",
        "CHANGELOG.md": "changes.md",
        "bench/README.md": "bench.md",
    }
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = str(path.relative_to(ROOT / "docs"))
        places.setdefault(f"docs/{name}", name)
    for path in sorted((ROOT / "docs/images").iterdir()):
        places[f"docs/images/{path.name}"] = f"images/{path.name}"
    for path in sorted((ROOT / "docs/schemas").iterdir()):
        places[f"docs/schemas/{path.name}"] = f"schemas/{path.name}"
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        places[f"notebooks/{path.name}"] = f"notebooks/{path.stem}.md"
    return places


def relocate(text, source, site, staged):
    """Returns a page with links from its place in the site. Files without a page are copied to the site."""
    here = pathlib.PurePosixPath(site[source]).parent

    def link(match):
        mark, words, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return match[0]
        file = os.path.relpath((ROOT / source).parent / path, ROOT)
        if not (ROOT / file).is_file() and file not in site:
            return words  # a folder of the clone
        if file not in site:
            site[file] = f"files/{file}.txt"
            (staged / "files" / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, staged / f"{site[file]}")
        return f"{mark}[{words}]({os.path.relpath(site[file], here)}{'#' + anchor if anchor else ''})"

    parts = FENCE.split(text)
    for i in range(0, len(parts), 2):
        parts[i] = LINK.sub(link, parts[i])
        # GitHub does not need an empty line before a list.
        parts[i] = re.sub(r"^(?![-*] |\d+\. | |$)(.+)\n(?=(?:[-*]|1\.) )", r"\1\n\n", parts[i], flags=re.M)
    return "".join(parts)


def notebook(path, staged):
    """Returns an executed notebook as a page: text, code, and the picture or text of each output."""
    page, pictures = [], 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            page.append(source)
            continue
        page.append(f"```go\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {"text/plain": output.get("text", "")})
            if "image/png" in data:
                pictures += 1
                name = f"{path.stem}-{pictures}.png"
                (staged / "notebooks" / name).write_bytes(base64.b64decode("".join(data["image/png"])))
                first = "".join(data.get("text/plain", "")).strip().split("\n")[0]
                page.append(f"![{re.sub(r'[][]', '', first)}]({name})")
            elif text := re.sub(r"\x1b\[[\d;]*m", "", "".join(data.get("text/plain", ""))).rstrip():
                page.append(f"```text\n{text}\n```")
    return "\n\n".join(page) + "\n"


def gallery(site):
    """Returns a page with every picture of the documentation, its caption, and the page that explains it."""
    page = ["# Gallery"]
    for source, name in site.items():
        if not source.endswith(".md") or name == "index.md":
            continue
        for words, target in re.findall(r"!\[(.*?)\]\((\S+?)\)", (ROOT / source).read_text(encoding="utf-8")):
            page.append(f"![{words}]({target})\n\n{words} ([{name.removesuffix('.md')}]({name})).")
    return "\n\n".join(page) + "\n"


def packages(staged):
    """Writes a page for each Go package in the navigation, and an index, from the comments of the code."""
    named = re.findall(r": go/(?!index)(\S+)\.md$", CONFIG.read_text(encoding="utf-8"), re.M)
    tool, environment = staged / "gomarkdoc", os.environ | {"GOWORK": "off", "GO111MODULE": "on", "GOFLAGS": ""}
    subprocess.run(["go", "build", "-C", CONFIG.parent, "-trimpath", "-o", tool, "github.com/princjef/gomarkdoc/cmd/gomarkdoc"], check=True, env=environment)
    output = f"{staged}/go/{{{{.Dir}}}}.md"
    subprocess.run([tool, "--output", output, *(f"./{name}" for name in named)], check=True, cwd=ROOT, env=environment)
    tool.unlink()
    short = {name.rpartition("/")[2]: name for name in named}
    index = ["# Go packages\n\nWhat a Go program or a Go cell may import, from the comments of the code. [Go](../go.md) shows how to begin.\n",
             "| package | in a sentence |", "|---|---|"]  # fmt: skip
    pages = {name: (staged / f"go/{name}.md").read_text(encoding="utf-8") for name in named}
    for name, text in pages.items():

        def link(match, here=name):
            """Links a name of another package to its page, if the page has it."""
            package, anchor = short.get(match[1]), match[2]
            if package is None or anchor and f'<a name="{anchor}">' not in pages[package]:
                return f"{match[1]}.{anchor}" if anchor else match[0]
            target = f"{os.path.relpath(package, os.path.dirname(here))}.md"
            return f"[{match[1]}.{anchor}]({target}#{anchor})" if anchor else f"[{match[1]}]({target})"

        text = re.sub(r"\\\[([a-z]\w*)(?:\.([A-Z][\w.]*))?\\\]", link, text)
        text = text.replace("<details>", '<details markdown="1">').replace("\n<p>\n", "\n").replace("\n</p>\n", "\n").replace("#### Output", "It prints:")
        # In the search, these pages come after those written for readers.
        (staged / f"go/{name}.md").write_text(f"---\nsearch:\n  boost: 0.3\n---\n\n{text}", encoding="utf-8")
        first = re.search(r"^Package .*?(\.(?= )|$)", text, re.M)
        index.append(f"| [`{name}`]({name}.md) | {first[0]} |")
    (staged / "go/index.md").write_text("\n".join(index) + "\n", encoding="utf-8")


def stage(fsnet, staged):
    """Lays out the input of mkdocs."""
    site = pages()
    for folder in ("notebooks", "lab"):
        (staged / folder).mkdir(parents=True)
    for folder in ("images", "schemas"):
        shutil.copytree(ROOT / "docs" / folder, staged / folder)
    for name in ("iframe-worker.js", "site.css"):
        shutil.copy(ROOT / "install/site" / name, staged)
    for source, name in list(site.items()):
        if source.endswith(".ipynb"):
            text = notebook(ROOT / source, staged)
            pictures = {path.name for path in (staged / "notebooks").glob("*.png")}
            text = re.sub(r"\]\(([^)\s]+\.png)\)", lambda m: f"](PICTURE:{m[1]})" if m[1] in pictures else m[0], text)
            (staged / name).write_text(relocate(text, source, site, staged).replace("](PICTURE:", "]("), encoding="utf-8")
        elif source.endswith(".md"):
            text = (ROOT / source).read_text(encoding="utf-8")
            (staged / name).write_text(relocate(text, source, site, staged), encoding="utf-8")
    text = re.sub(r"\(schemas/([\w-]+)\.schema\.json\)", r"(json.md#\1)", (staged / "reference.md").read_text(encoding="utf-8"))
    (staged / "reference.md").write_text(text, encoding="utf-8")
    (staged / "json.md").write_text("# JSON\n\n" + schemas.page(ROOT / "docs/schemas"), encoding="utf-8")
    (staged / "gallery.md").write_text(gallery(site), encoding="utf-8")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (staged / "citing.md").write_text(f"# Citing\n\nThe file `CITATION.cff` of the repository:\n\n```yaml\n{citation}```\n", encoding="utf-8")
    subprocess.run([fsnet, "pages", "--reference", str(staged)], check=True)
    packages(staged)


def main():
    fsnet, directory = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    staged = directory.with_name(directory.name + "-pages")
    shutil.rmtree(staged, ignore_errors=True)
    stage(fsnet, staged)
    environment = os.environ | {"FSNET_SITE_SOURCE": str(staged)}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--clean", "--config-file", str(CONFIG)]
    built = subprocess.run([*command, "--site-dir", str(directory)], env=environment)
    if built.returncode == 0:
        shutil.rmtree(staged)
    sys.exit(built.returncode)


main()
