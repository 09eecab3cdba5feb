"""Finds files of more than 300 lines, which hold more than one idea, and Go packages of more than 2,500. Tests in Go may be longer.

sizes.py [FOLDER]
"""

import collections
import pathlib
import sys

ROOT = pathlib.Path(sys.argv[1] if sys.argv[1:] else pathlib.Path(__file__).parents[2]).resolve()
FILE, PACKAGE = 300, 2500
KINDS = {".go", ".js", ".css", ".py", ".sh"}
FOREIGN = {"uplot.js"}  # as its makers packed it
MADE = {ROOT / name for name in ("bin", "dist", "notebooks/out", "tests/out")}


def sources(folder):
    """The files below it that people write. What begins with a point or an underscore is not theirs."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "_")) or path in MADE:
            continue
        if path.is_dir():
            yield from sources(path)
        elif path.suffix in KINDS and path.name not in FOREIGN and not path.name.endswith("_test.go"):
            yield path


def problems():
    packages = collections.Counter()
    for path in sources(ROOT):
        lines = len(path.read_bytes().splitlines())
        if path.suffix == ".go":
            packages[path.parent] += lines
        if lines > FILE:
            yield f"{path.relative_to(ROOT)} has {lines} lines, and {FILE} are the most: divide it by idea"
    for folder, lines in packages.items():
        if lines > PACKAGE:
            yield f"the package {folder.relative_to(ROOT)} has {lines} lines without tests, and {PACKAGE} are the most: divide it by idea"


found = list(problems())
print(*found, sep="\n", end="\n" if found else "")
sys.exit(1 if found else 0)
