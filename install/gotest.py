"""Reads `go test -json` and writes the text of the tests to standard output, and four files: COUNTS, "passed failed skipped"; STEM.details,
all that failed tests said, and why others were skipped; STEM.packages, go test's own line for each package; and STEM.quarantined, the failed
tests of QUARANTINE, whose lines are a package, a test and a reason: they alone do not fail the run.

A test without a verdict has failed, and so has a package without one, or one that failed beside its tests: a process that ends early leaves
tests behind that nobody sees, whatever else failed in it. The last line is {"Action": "exit", "Status": …}, go test's own end.

gotest.py COUNTS STEM QUARANTINE
"""

import collections
import json
import pathlib
import sys

counts_file, stem, quarantine = sys.argv[1:]
known = [line.split("#")[0].split() for line in pathlib.Path(quarantine).read_text(encoding="utf-8").splitlines()]
counts = dict.fromkeys(("pass", "fail", "skip"), 0)
said = collections.defaultdict(list)  # by package and test, "" for the package itself
running, verdicts, explained = collections.defaultdict(set), {}, set()
details, skips, packages, quarantined = [], [], [], []
status = None


def failed(why):
    counts["fail"] += 1
    details.append(why + "\n")


for line in sys.stdin:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        event = {"Action": "output", "Output": line}
    action, test, output = event["Action"], event.get("Test", ""), event.get("Output", "")
    package = event.get("Package") or event.get("ImportPath", "").split(" ")[0]
    sys.stdout.write(output)
    said[package, test].append(output)
    if action == "exit":
        status = event["Status"]
    elif action == "start":
        verdicts[package] = None
    elif action == "run":
        running[package].add(test)
    elif action == "build-fail":
        details += said.pop((package, ""))
    elif action in counts and not test:
        verdicts[package] = action
    elif action in counts:
        running[package].discard(test)
        output = said.pop((package, test))
        if action == "skip":
            skips += [o for o in output if o.startswith(("--- SKIP", "    "))]
        elif action == "fail":
            explained.add(package)
            details += output[-80:]
            if [package, test.split("/")[0]] in known and not any(w in o for w in ("DATA RACE", "panic: ") for o in output):
                quarantined.append(f"{package} {test}\n")
                continue
        counts[action] += 1
    elif not test and output.startswith(("ok  \t", "FAIL\t", "--- FAIL")):
        packages.append(output)

for package, verdict in verdicts.items():
    for test in running[package]:
        failed(f"{package}: the process ended in {test}, and what came after did not run")
    if verdict is None or verdict == "fail" and package not in explained:
        failed(f"{package}: no verdict, or failed outside its tests")
    elif not running[package]:
        continue
    details += [o for (p, _), output in said.items() if p == package for o in output[-80:]]
if status not in (0, 1) or status == 1 and not counts["fail"] and not quarantined:
    failed(f"go test ended with {status}")
    details += [o for (p, _), output in said.items() if p not in verdicts for o in output[-80:]]

for path, text in [(counts_file, ["{pass} {fail} {skip}\n".format(**counts)]), (stem + ".details", details + skips), (stem + ".packages", packages),
                   (stem + ".quarantined", quarantined)]:
    pathlib.Path(path).write_text("".join(text), encoding="utf-8")
sys.exit(1 if counts["fail"] else 0)
