"""Checks that tests find what they are for: puts each fault of mutations.txt into a copy of the tree and runs the test that must find it.

    python3 tests/mutations.py [--check] [WORD…]

Words choose the faults whose entries contain one of them. --check runs nothing: it fails if the text to replace does not occur exactly
once in its file, or if the test does not exist. All faults take about half an hour on two quiet cores.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[1]
stages = ("install", "browser")  # their tests are Python; all other entries name a Go package
Fault = collections.namedtuple("Fault", "file what old new where test hangs")


def faults():
    """Reads the entries: paragraphs of FILE: WHAT, lines to replace, their replacement, and PACKAGE TEST."""
    for entry in (root / "tests/mutations.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in entry.splitlines() if not line.startswith("#")]
        if not lines:
            continue
        file, what = lines[0].split(": ", 1)
        old, new = ("\n".join(line[2:] for line in lines[1:-1] if line[0] == sign) for sign in "-+")
        where, test, *hangs = lines[-1].split()
        yield Fault(file, what, old, new, where, test, hangs == ["hangs"])


def mutated(fault, tree):
    """Returns the text of the file with the fault, or None if the old text does not occur once. Blanks match any blanks."""
    pattern = r"\s+".join(map(re.escape, fault.old.split()))
    text = (tree / fault.file).read_text(encoding="utf-8") if (tree / fault.file).exists() else ""
    found = list(re.finditer(pattern, text))
    return text[:found[0].start()] + fault.new + text[found[0].end():] if len(found) == 1 else None


def exists(fault):
    name, files = fault.test.split("/")[0], (root / fault.where).glob("*_test.go")
    if fault.where in stages:
        files = (root / "tests" / fault.where).glob("test_*.py")
    return any(re.search(rf"^(func|def) {name}\(", file.read_text(encoding="utf-8"), re.M) for file in files)


def run(tree, where, tests, limit):
    """Runs tests as their stage does. Returns whether they pass, and what they print."""
    environment = os.environ | {"FSNET_TEST_UNOPTIMISED": "1", "FSNET_SHARED": os.environ.get("FSNET_SHARED", str(root.parent / "shared"))}
    command = ["go", "test", "-trimpath", "-vet=off", "-ldflags=-s -w", "-count=1", f"-timeout={limit}s"]
    command += ["-run", "/".join(f"^({part})$" for part in tests.split("/")), "./" + where]
    if where in stages:
        environment["PYTEST_ADDOPTS"], command = "-k '" + tests.replace("|", " or ") + "'", ["./install.sh", "test", where]
    with tempfile.TemporaryFile() as out:  # not a pipe, which orphans of a test would hold open
        status = subprocess.run(command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out).returncode
        out.seek(0)
        return status == 0, out.read().decode(errors="replace")


def verdict(fault, tree):
    file, text = tree / fault.file, mutated(fault, tree)
    if text is None or not exists(fault):
        return "STALE"
    sound = file.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    passed, output = run(tree, fault.where, fault.test, 60 if fault.hangs else 900)
    file.write_text(sound, encoding="utf-8")
    if passed:
        return "SURVIVED"
    if re.search(r"\[(build|setup) failed\]", output):
        return "DOES NOT COMPILE\n" + output[-1000:]
    return "found, hangs" if "panic: test timed out" in output else "found"


def main(words):
    check = "--check" in words
    words = [word for word in words if word != "--check"]
    chosen = [fault for fault in faults() if not words or any(word in " ".join(map(str, fault)) for word in words)]
    if check:
        stale = [f"{f.file}: {f.what}" for f in chosen if mutated(f, root) is None or not exists(f)]
        sys.exit("\n".join(["entries of tests/mutations.txt whose text does not occur once, or whose test does not exist:", *stale]) if stale else 0)
    by_place = collections.defaultdict(list)
    for fault in chosen:
        by_place[fault.where].append(fault)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="fsnet-mutations-") as copy:
        tree = pathlib.Path(copy)
        listed = subprocess.run(["git", "ls-files", "-zco", "--exclude-standard"], cwd=root, check=True, text=True, capture_output=True)
        for name in filter(None, listed.stdout.split("\0")):
            if (root / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, tree / name)
        for where, group in by_place.items():
            passed, output = run(tree, where, "|".join(sorted({f.test.split("/")[0] for f in group})), 900)
            for fault in group:
                began = time.monotonic()
                result = verdict(fault, tree) if passed else "FAILS WITHOUT THE FAULT\n" + output[-1000:]
                bad += not result.startswith("found")
                print(f"{time.monotonic() - began:4.0f} s  {fault.where} {fault.test}  {fault.file}: {fault.what}: {result}", flush=True)
    print(f"{len(chosen)} faults, {len(chosen) - bad} found")
    sys.exit(bad > 0)


main(sys.argv[1:])
