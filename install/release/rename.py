"""Renames the module to its hosted path in every tracked file: go.mod, imports, tests and the linter's layers.

rename.py PATH, such as github.com/OWNER/fsnetlab
"""

import pathlib
import re
import subprocess
import sys

# Names of the module, but not the wheel, its directory in share, or "fsnetlab/…" in messages.
MODULE = re.compile(
    r"(?<![\w./-])fsnetlab(?=/(?:fsnet|kernel|widgets|internal|cmd|install|tests)\b)"
    r'|(?<=\bmodule )fsnetlab\b|(?<=\bModule = ")fsnetlab(?=")|(?<=\.Module\.Path ")fsnetlab(?=")'
)


def main():
    path = sys.argv[1] if len(sys.argv) == 2 else ""
    if not re.fullmatch(r"[\w-]+(\.[\w-]+)+(/[\w.-]+)+", path):
        sys.exit(f"rename.py: {path!r} is no path of a module\n  → python3 install/release/rename.py github.com/OWNER/fsnetlab")
    root = pathlib.Path(__file__).resolve().parents[2]
    changed = 0
    for name in subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode().split("\0")[:-1]:
        file = root / name
        try:
            text = file.read_text(encoding="utf-8")
        except (UnicodeDecodeError, OSError):
            continue  # a picture or a missing file
        renamed = MODULE.sub(path, text)
        if renamed != text and file.resolve() != pathlib.Path(__file__).resolve():
            file.write_text(renamed, encoding="utf-8", newline="")
            changed += 1
    print(f"{changed} files name the module {path} now; gofmt -w . sorts the imports")


main()
