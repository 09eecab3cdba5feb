"""Reads `go test -json`, writes the text of the tests to standard output, and four files: COUNTS, "passed failed skipped";
STEM.details, everything that failed tests said, and why others were skipped; STEM.packages, go test's own line for each package; and
STEM.failed, the package and the name of each test that failed, or nothing where there was more: a race or a panic need not come again.

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
failed, outside = [], False

for line in sys.stdin:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        sys.stdout.write(line)
        failures.append(line)
        outside = True
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
            outside |= any(word in line for word in ("DATA RACE", "panic: ") for line in output)
            if "/" not in test:
                failed.append(f"{package} {test}\n")
        elif action == "skip":
            skips += [o for o in output if o.startswith("--- SKIP") or o.startswith("    ")]
    elif action == "fail" and package not in failed_packages:
        # The package failed outside its tests: it does not compile, panicked or took too long. A test that it was in counts too.
        counts["fail"] += 1
        outside = True
        for key in [k for k in said if k[0] == package]:
            failures += said.pop(key)[-80:]

with open(counts_file, "w") as f:
    f.write("{pass} {fail} {skip}\n".format(**counts))
with open(stem + ".details", "w") as f:
    f.writelines(failures + skips)
with open(stem + ".failed", "w") as f:
    f.writelines([] if outside else failed)
with open(stem + ".packages", "w") as f:
    f.writelines(packages)
sys.exit(1 if counts["fail"] else 0)
