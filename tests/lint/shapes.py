"""The ratchet of shapes: fails if more comments of the product's Go code than shapes.txt allows have a shape that is hard to read, such as
"is that of" or "nobody". A sentence that avoids the shape and reads no better is no gain. `shapes.py -v` lists the lines.
"""

import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve()
root, limit = here.parents[2], here.with_name("shapes.txt")
be = r"\b(is|are|was|were) "
shapes = re.compile(rf"{be}(that|those|what|how|whether|where|when|why|which)\b|\b(that|those) of\b|{be}none\b|\b(nobody|somebody)\b"
                    rf"|\bof (which|whose|whom)\b|\bgo(es)? on\b|{be}told\b|\bbut for\b|\btakes? up\b|\bgives? way\b|\bcomes? to\b", re.I)

total = 0
for name in subprocess.run(["git", "ls-files", "*.go"], cwd=root, check=True, text=True, capture_output=True).stdout.split():
    if name.endswith("_test.go") or name.startswith(("tests/", "bench/")) or not (root / name).exists():
        continue
    for number, line in enumerate((root / name).read_text(encoding="utf-8").split("\n"), 1):
        found = shapes.findall(line.partition("//")[2]) if re.search(r"(^|\s)//", line) else []
        total += len(found)
        if found and "-v" in sys.argv:
            print(f"{name}:{number}: {line.strip()}")
allowed = int(limit.read_text(encoding="utf-8"))
if total > allowed:
    sys.exit(f"{total} shapes that are hard to read in comments, {total - allowed} more than tests/lint/shapes.txt allows: shapes.py -v lists them")
if total < allowed:
    print(f"{total} shapes that are hard to read in comments: tests/lint/shapes.txt may be lowered from {allowed}")
