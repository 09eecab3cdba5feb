"""The study of workflow/: planned, made by two jobs at a time, and merged by Snakemake, it is to the byte what one process makes."""

import random
import subprocess
import sys

import pytest

pytest.importorskip("snakemake", reason="snakemake needs Python 3.11 or later")

METHODS, KS, SPLITS, JUDGE = "fsnet,anova,svm", "2,3", "2", "knn,logistic"
OPTIONS = "--label diagnosis --epochs 3 --seed 4 --backend go"


def run(*words, directory):
    done = subprocess.run([str(word) for word in words], cwd=directory, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def test_a_study_is_the_comparison(root, tmp_path):
    draw = random.Random(5)
    rows = [[f"{draw.gauss(3 * (i % 2) if j < 2 else 0, 1):.3f}" for j in range(8)] + [("sick", "well")[i % 2]] for i in range(24)]
    names = [*(f"g{j}" for j in range(8)), "diagnosis"]
    (tmp_path / "cohort.csv").write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")

    def study():
        return run(
            sys.executable, "-m", "snakemake", "-s", root / "workflow" / "Snakefile", "--cores", 2, "--jobs", 2, "--quiet", "progress",
            "--config", "data=cohort.csv", "cells=4", f"options={OPTIONS}", f"methods={METHODS}", f"ks={KS}", f"splits={SPLITS}", f"judge={JUDGE}",
            directory=tmp_path,
        )  # fmt: skip

    study()
    assert sorted(path.name for path in (tmp_path / "parts").glob("*.csv")) == ["1of3.csv", "2of3.csv", "3of3.csv"]
    run("fsnet", "compare", "cohort.csv", "--methods", METHODS, "--k", KS, "--splits", SPLITS, "--judge", JUDGE, *OPTIONS.split(), "-q", "-o", "one.csv", directory=tmp_path)

    def merged(file, form):
        return run("fsnet", "compare", "merge", "plan.json", file, "--seconds=false", form, directory=tmp_path)

    forms = ["--csv", "--json", "--json=false"]
    want = [merged("one.csv", form) for form in forms]
    assert len(want[0].splitlines()) == 11
    assert [merged("rows.csv", form) for form in forms] == want
    assert (tmp_path / "tables.txt").read_text() == run("fsnet", "compare", "merge", "plan.json", "rows.csv", directory=tmp_path)

    # A job that was killed in the middle of a row: its part goes on with the rows that are whole, and nothing else is made again.
    part = tmp_path / "parts" / "2of3.csv"
    others = {path: path.read_bytes() for path in (tmp_path / "parts").glob("*.csv") if path != part}
    lines = part.read_text().splitlines(keepends=True)
    part.write_text("".join(lines[:2]) + lines[2][:9])
    (tmp_path / "parts" / "2of3.done").unlink()
    study()
    assert part.read_text().startswith("".join(lines[:2]))
    assert {path: path.read_bytes() for path in others} == others
    assert [merged("rows.csv", form) for form in forms] == want
