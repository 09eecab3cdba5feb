"""Reads `go test -json`, writes the text of the tests to standard output, and three files: COUNTS, "passed failed skipped";
STEM.details, everything that failed tests said, and why others were skipped; and STEM.packages, go test's own line for each package.

A test without a verdict has failed, and so has a package without one, one that does not build, and one that failed beside its tests: a
process that ends early leaves tests behind that nobody sees, whatever else failed in it. The last line is {"Action": "exit", "Status": …},
go test's own end: without one, or with one that no test explains, the run has failed. Tests in QUARANTINE, lines of a package, a test
and a reason, may fail without failing the run; their names are in STEM.quarantined.

gotest.py COUNTS STEM [QUARANTINE]
"""

import collections
import json
import pathlib
import sys

counts_file, stem = sys.argv[1:3]
quarantine = set()
if len(sys.argv) > 3:
    lines = (line.split("#")[0].split() for line in pathlib.Path(sys.argv[3]).read_text(encoding="utf-8").splitlines())
    quarantine = {tuple(words) for words in lines if words}
counts = {"pass": 0, "fail": 0, "skip": 0}
said = collections.defaultdict(list)  # what each test, or the package itself, has said
begun, verdicts, accounted = {}, {}, set()  # tests by package; the package's own verdict; packages whose failure a test explains
failures, packages, skips, quarantined = [], [], [], []
status = None

for line in sys.stdin:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        sys.stdout.write(line)
        failures.append(line)
        continue
    action, test = event["Action"], event.get("Test", "")
    if action == "exit":
        status = event["Status"]
        continue
    package = event.get("Package") or event.get("ImportPath", "").split(" ")[0]
    running = begun.setdefault(package, set()) if "Package" in event else set()  # what a build says has no verdict of its own
    output = event.get("Output", "")
    if output:
        sys.stdout.write(output)
        said[package, test].append(output)
        if not test and output.startswith(("ok  \t", "FAIL\t", "--- FAIL")):
            packages.append(output)
    if test and action == "run":
        running.add(test)
    elif action == "build-fail":
        failures += said.pop((package, ""), [])
    elif action in counts and test:
        running.discard(test)
        output = said.pop((package, test), [])
        if action == "fail":
            accounted.add(package)
            failures += output[-80:]
            if (package, test.split("/")[0]) in quarantine and not any(w in o for w in ("DATA RACE", "panic: ") for o in output):
                quarantined.append(f"{package} {test}\n")
                continue
        elif action == "skip":
            skips += [o for o in output if o.startswith("--- SKIP") or o.startswith("    ")]
        counts[action] += 1
    elif action in counts:
        verdicts[package] = action

for package, running in begun.items():
    ended = [k for k in said if k[0] == package]
    if running:  # the process ended in them
        counts["fail"] += len(running)
        failures.append(f"{package}: the process ended in {', '.join(sorted(running))}, and what came after did not run\n")
    elif package not in verdicts:
        counts["fail"] += 1
        failures.append(f"{package}: no verdict\n")
    elif verdicts[package] == "fail" and package not in accounted:
        counts["fail"] += 1
        failures.append(f"{package}: failed outside its tests\n")
    else:
        continue
    for key in ended:
        failures += said.pop(key)[-80:]
if status not in (0, 1) or status == 1 and not counts["fail"] and not quarantined:
    counts["fail"] += 1
    failures.append(f"go test ended with {status}\n")

for path, text in [(counts_file, ["{pass} {fail} {skip}\n".format(**counts)]), (stem + ".details", failures + skips),
                   (stem + ".packages", packages), (stem + ".quarantined", quarantined)]:
    pathlib.Path(path).write_text("".join(text), encoding="utf-8")
sys.exit(1 if counts["fail"] else 0)
