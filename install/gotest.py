"""Reads `go test -json`, copies the tests' text to standard output, then the slowest tests, and writes three files: COUNTS, "passed failed
skipped"; STEM.details, the output of failed tests, each below FAILED and its name, and the reasons of skipped ones; and STEM.quarantined, the
failed tests of QUARANTINE, whose lines are a package, a test and a reason. Tests in quarantine do not fail the run.

A test or package without a verdict counts as failed, and so does a package that fails outside its tests: a process that ends early hides
the tests behind it. The last line is {"Action": "exit", "Status": …} with go test's status.

gotest.py COUNTS STEM QUARANTINE
"""

import collections
import json
import pathlib
import sys

counts_file, stem, quarantine = sys.argv[1:]
quarantined_names = [line.split("#")[0].split() for line in pathlib.Path(quarantine).read_text(encoding="utf-8").splitlines()]
counts = dict.fromkeys(("pass", "fail", "skip"), 0)
outputs = collections.defaultdict(list)  # by package and test; test "" is the package itself
running, verdicts, explained = collections.defaultdict(set), {}, set()
details, skips, quarantined, slowest = [], [], [], []
status = None


def fail(why):
    counts["fail"] += 1
    details.append(f"FAILED {why}\n")


for line in sys.stdin:
    try:
        event = json.loads(line)
    except json.JSONDecodeError:
        event = {"Action": "output", "Output": line}
    action, test, text = event["Action"], event.get("Test", ""), event.get("Output", "")
    package = event.get("Package") or event.get("ImportPath", "").split(" ")[0]
    sys.stdout.write(text)
    outputs[package, test].append(text)
    if action == "exit":
        status = event["Status"]
    elif action == "start":
        verdicts[package] = None
    elif action == "run":
        running[package].add(test)
    elif action == "build-fail":
        details += outputs.pop((package, ""))
    elif action in counts and not test:
        verdicts[package] = action
    elif action in counts:
        if "/" not in test:
            slowest.append((event.get("Elapsed", 0), package, test))
        running[package].discard(test)
        output = outputs.pop((package, test))
        if action == "skip":
            skips += [o for o in output if o.startswith(("--- SKIP", "    "))]
        elif action == "fail":
            explained.add(package)
            details += [f"FAILED {package} {test.split('/')[0]}\n", *output[-80:]]
            if [package, test.split("/")[0]] in quarantined_names and not any(w in o for w in ("DATA RACE", "panic: ") for o in output):
                quarantined.append(f"{package} {test}\n")
                continue
        counts[action] += 1

for package, verdict in verdicts.items():
    for test in running[package]:
        fail(f"{package}: the process ended in {test}; later tests did not run")
    if verdict is None or verdict == "fail" and package not in explained:
        fail(f"{package}: no verdict, or failed outside its tests")
    elif not running[package]:
        continue
    details += [o for (p, _), output in outputs.items() if p == package for o in output[-80:]]
if status not in (0, 1) or status == 1 and not counts["fail"] and not quarantined:
    fail(f"go test ended with status {status}")
    details += [o for (p, _), output in outputs.items() if p not in verdicts for o in output[-80:]]

print("slowest:", *(f"{seconds:6.1f} s  {package} {test}" for seconds, package, test in sorted(slowest, reverse=True)[:20]), sep="\n")
files = {counts_file: ["{pass} {fail} {skip}\n".format(**counts)], stem + ".details": details + skips, stem + ".quarantined": quarantined}
for path, text in files.items():
    pathlib.Path(path).write_text("".join(text), encoding="utf-8")
sys.exit(1 if counts["fail"] else 0)
