"""The adapters in methods/ of scikit-learn, as a user compares with them: fsnet compare ... --methods rf=methods/random_forest.py."""

import csv
import pathlib
import random
import subprocess
import sys

import pytest

METHODS = pathlib.Path(__file__).resolve().parents[2] / "methods"
ADAPTERS = ["l1", "mutual_information", "random_forest", "svm_rfe"]

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="scikit-learn is among the tests' packages from Python 3.11 on")


def test_they_find_what_tells_the_classes_apart(tmp_path):
    draw = random.Random(1)
    with open(tmp_path / "cohort.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["sample", "class", *(f"g{i}" for i in range(30))])
        for row in range(60):
            values = [draw.gauss(0, 1) for _ in range(30)]
            ill = row % 2
            values[3] += 3 * ill
            values[17] -= 3 * ill
            table.writerow([f"s{row}", "ill" if ill else "well", *(f"{v:.3f}" for v in values)])
    chosen = [f"{name}={sys.executable} {METHODS / name}.py" for name in ADAPTERS]
    done = subprocess.run(
        ["fsnet", "compare", "cohort.csv", "--label", "class", "--samples", "sample", "--methods", ",".join(["anova", *chosen]),
         "--k", "2", "--splits", "2", "--csv", "-q"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert len(rows) == 2 * (1 + len(ADAPTERS)), done.stdout
    for row in rows:
        assert not row["error"] and set(row["selected"].split(";")) == {"g3", "g17"} and float(row["score"]) > 0.85, row
        assert row["method"] == "anova" or "program=" in row["settings"], row
