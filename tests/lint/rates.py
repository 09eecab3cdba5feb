"""The ratchet of how comments are written: fails if a sign of translated or bookish English is more frequent in the comments of the
product's Go code than rates.txt allows, per 1000 lines of comment. A sentence that avoids a sign and reads no better is no gain.
`rates.py -v SIGN` lists the lines, and `rates.py --lower` writes the lower figures of today.
"""

import math
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve()
root, limits = here.parents[2], here.with_name("rates.txt")
signs = {
    "semicolon": r";",
    "which": r", which\b|\b(of|in|by|from|to) which\b",
    "none-such-whose": r"\b(none|such|whose|whom)\b",
    "own": r"\bof [a-z]+ [a-z]+'s\b|'s own\b",
    "beside": r"\b(beside|anew|whatever|meanwhile|alone|at hand|hitherto|thereof)\b",
    "is-that": r"\b(is|are|was|were) (that|those|what|how|whether|where|when|why|which|none|told)\b",
    "nobody": r"\b(nobody|somebody)\b|\bbut for\b|\bgives? way\b",
}

lines = []
for name in subprocess.run(["git", "ls-files", "*.go"], cwd=root, check=True, text=True, capture_output=True).stdout.split():
    if name.endswith("_test.go") or name.startswith(("tests/", "bench/")) or "/testdata/" in name or not (root / name).exists():
        continue
    for number, line in enumerate((root / name).read_text(encoding="utf-8").split("\n"), 1):
        comment = re.match(r"\s*// ?(.*\S)", line)
        if comment and not comment[1].startswith(("go:", "+build", "nolint", "Code generated")):
            lines.append((f"{name}:{number}", comment[1]))

allowed = {sign: float(figure) for sign, figure in (row.split() for row in limits.read_text(encoding="utf-8").splitlines())}
rates = {sign: 1000 * sum(bool(re.search(shape, text)) for _, text in lines) / len(lines) for sign, shape in signs.items()}
if "-v" in sys.argv:
    for place, text in lines:
        if re.search(signs[sys.argv[-1]], text):
            print(f"{place}: {text}")
if "--lower" in sys.argv:
    lower = {sign: min(allowed.get(sign, 1000), math.ceil(rate)) for sign, rate in rates.items()}
    limits.write_text("".join(f"{sign} {figure:g}\n" for sign, figure in lower.items()), encoding="utf-8")
    sys.exit()
above = [f"{sign} {rate:.1f} of {allowed[sign]:g}" for sign, rate in rates.items() if rate > allowed[sign]]
if above:
    sys.exit(f"comments, per 1000 lines, are above tests/lint/rates.txt: {', '.join(above)} - rates.py -v SIGN lists the lines")
below = [f"{sign} {rate:.1f} of {allowed[sign]:g}" for sign, rate in rates.items() if rate < allowed[sign] - 1]
if below:
    print(f"comments are better than tests/lint/rates.txt, per 1000 lines: {', '.join(below)} - rates.py --lower writes these figures")
