"""The ratchet of lines: fails if there are more lines without tests than lines.txt allows. A commit that needs more raises the number and
gives the reason in its message.
"""

import pathlib
import subprocess
import sys

here = pathlib.Path(__file__).resolve()
root, limit = here.parents[2], here.with_name("lines.txt")


def counts(path):
    parts = path.split("/")
    is_test = path.endswith("_test.go") or "testdata" in parts or parts[0] in ("tests", "bench")
    return path.endswith((".go", ".js", ".css", ".sh", ".py")) and not is_test


files = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, text=True, capture_output=True).stdout.split("\0")
total = sum((root / name).read_bytes().count(b"\n") for name in files if counts(name) and (root / name).exists())
allowed = int(limit.read_text(encoding="utf-8"))
if total > allowed:
    sys.exit(f"{total} lines without tests, {total - allowed} more than tests/lint/lines.txt allows: delete some, or raise it in the same commit and say why")
if total < allowed:
    print(f"{total} lines without tests: tests/lint/lines.txt may be lowered from {allowed}")
