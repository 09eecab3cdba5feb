"""Runs tests again and again under load and says which failed how often. A test that fails once without a change is a fault.

    python3 tests/again.py 20 unit race              # stages of ./install.sh test
    python3 tests/again.py 10 browser
    python3 tests/again.py 20 ./fsnet/host -run Ends # go test's arguments: with the race detector and without, in turn

Beside them four processes keep the processors busy (--beside N); stages have the usual order and Go's packages run at once. What failed tests
said stays in a folder that the last line names. The exit status is 1 if a test failed.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
stages = re.search("test_stages='(.*)'", (root / "install/test.sh").read_text(encoding="utf-8"))[1].split()


def run_stages(names, kept):
    """Runs the stages and keeps the logs of those with failures."""
    status = subprocess.run([root / "install.sh", "test", *names], env=os.environ | {"CI": "true"}, stdout=open(kept / "summary", "w")).returncode
    found = set()
    for log in (root / "tests/out/logs").glob("*.log"):
        details = log.parent.parent / f"{log.stem}.details"
        failed = failures((details if details.exists() else log).read_text(encoding="utf-8", errors="replace"))
        if failed:
            shutil.copy(log, kept)
        found |= failed
    return found or ({"a stage outside its tests"} if status else set())


def run_packages(arguments, race, kept):
    """Runs go test on packages, counted by gotest.py as in the stages."""
    command = ["go", "test", "-json", "-count=1", "-short", "-timeout=40m", *(["-race", "-gcflags=all=-d=checkptr=0"] if race else []), *arguments]
    events = subprocess.run(command, cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    told = [sys.executable, root / "install/gotest.py", kept / "counts", kept / "go", root / "tests/quarantine.txt"]
    text = events.stdout + json.dumps({"Action": "exit", "Status": events.returncode}) + "\n"
    subprocess.run(told, input=text, text=True, stdout=open(kept / "log", "w"))
    return failures((kept / "go.details").read_text(encoding="utf-8"))


def failures(text):
    """The tests that a log of pytest or the details of Go's tests name, without their cases."""
    return {name.split("[")[0] for name in re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", text, re.MULTILINE)}


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("times", type=int)
    reader.add_argument("--beside", type=int, default=4, metavar="N", help="busy processes beside the tests (4)")
    options, what = reader.parse_known_args()
    if not what:
        reader.error(f"name stages ({' '.join(stages)}) or Go packages")
    kept, counts, ran = pathlib.Path(tempfile.mkdtemp(prefix="fsnet-again-")), collections.Counter(), 0
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.beside)]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        for number in range(1, options.times + 1):
            began, here = time.monotonic(), kept / str(number)
            here.mkdir()
            failed = run_stages(what, here) if set(what) <= set(stages) else run_packages(what, number % 2 == 0, here)
            ran += 1
            counts.update(failed)
            print(f"{number} of {options.times}: {time.monotonic() - began:.0f} s, {len(failed)} failed {' '.join(sorted(failed))}", flush=True)
            if not failed:
                shutil.rmtree(here)
    except KeyboardInterrupt:
        pass
    finally:
        for process in busy:
            process.kill()
    for name, times in counts.most_common():
        print(f"{times} of {ran}  {name}")
    if counts:
        sys.exit(f"what they said is in {kept}")
    shutil.rmtree(kept)
    print(f"no test failed in {ran} runs")


if __name__ == "__main__":
    main()
