"""Reads `go test -json`, writes the text of the tests to standard output, and three files: COUNTS, "passed failed skipped";
STEM.details, everything that failed tests said, and why others were skipped; STEM.packages, go test's own line for each package.

gotest.py COUNTS STEM
"""

import collections
import json
import sys

counts_file, stem = sys.argv[1:3]
counts = {"pass": 0, "fail": 0, "skip": 0}
said = collections.defaultdict(list)  # what each test, or the package itself, has said
failures, packages, skips = [], [], []
failed_packages = set()

for line in sys.stdin:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        sys.stdout.write(line)
        failures.append(line)
        continue
    action = event["Action"]
    package = event.get("Package") or event.get("ImportPath", "")
    test = event.get("Test", "")
    output = event.get("Output", "")
    if output:
        sys.stdout.write(output)
        said[package, test].append(output)
        if not test and output.startswith(("ok  \t", "FAIL\t", "--- FAIL")):
            packages.append(output)
    if action == "build-fail":
        failures += said.pop((package, ""), [])
    elif action in counts and test:
        counts[action] += 1
        output = said.pop((package, test), [])
        if action == "fail":
            failed_packages.add(package)
            failures += output[-80:]
        elif action == "skip":
            skips += [o for o in output if o.startswith("--- SKIP") or o.startswith("    ")]
    elif action == "fail" and package not in failed_packages:
        # The package failed outside its tests: it does not compile, panicked or took too long. A test that it was in counts too.
        counts["fail"] += 1
        for key in [k for k in said if k[0] == package]:
            failures += said.pop(key)[-80:]

with open(counts_file, "w") as f:
    f.write("{pass} {fail} {skip}\n".format(**counts))
with open(stem + ".details", "w") as f:
    f.writelines(failures + skips)
with open(stem + ".packages", "w") as f:
    f.writelines(packages)
sys.exit(1 if counts["fail"] else 0)
