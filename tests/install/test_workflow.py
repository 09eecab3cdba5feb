"""The studies of workflow/: planned, made by two jobs at a time, and merged by Snakemake, they are to the byte what one process makes."""

import json
import random
import subprocess
import sys

import pytest

pytest.importorskip("snakemake", reason="snakemake needs Python 3.11 or later")

OPTIONS = "--label diagnosis --epochs 3 --seed 4 --backend go"


def run(*words, directory):
    done = subprocess.run([str(word) for word in words], cwd=directory, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture
def study(root, tmp_path):
    """Runs Snakemake in a folder that has a cohort; returns what it came to."""
    draw = random.Random(5)
    rows = [[f"{draw.gauss(3 * (i % 2) if j < 2 else 0, 1):.3f}" for j in range(8)] + [("sick", "well")[i % 2]] for i in range(24)]
    names = [*(f"g{j}" for j in range(8)), "diagnosis"]
    (tmp_path / "cohort.csv").write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")

    def make(*config):
        words = ["-s", root / "workflow" / "Snakefile", "--cores", 2, "--jobs", 2, "--quiet", "progress", "--config", "data=cohort.csv", *config]
        words = [str(word) for word in [sys.executable, "-m", "snakemake", *words, f"options={OPTIONS}"]]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)

    return make


def made(done):
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def test_a_study_is_the_comparison(study, tmp_path):
    config = ["cells=4", f"methods={METHODS}", f"ks={KS}", f"splits={SPLITS}"]
    made(study(*config))
    assert sorted(path.name for path in (tmp_path / "parts").glob("*.jsonl")) == ["1of3.jsonl", "2of3.jsonl", "3of3.jsonl"]
    run("fsnet", "compare", "cohort.csv", "--methods", METHODS, "--k", KS, "--splits", SPLITS, *OPTIONS.split(), "-q", "-o", "one.jsonl", directory=tmp_path)

    def merged(file, form):
        return run("fsnet", "compare", "merge", "plan.json", file, "--seconds=false", form, directory=tmp_path)

    forms = ["--csv", "--json", "--json=false"]
    want = [merged("one.jsonl", form) for form in forms]
    assert len(want[0].splitlines()) == 11
    assert [merged("rows.jsonl", form) for form in forms] == want
    assert (tmp_path / "tables.txt").read_text() == run("fsnet", "compare", "merge", "plan.json", "rows.jsonl", directory=tmp_path)

    # A part that is marked as made and is not: there is no table, and the same command makes it.
    part = tmp_path / "parts" / "2of3.jsonl"
    others = {path: path.read_bytes() for path in (tmp_path / "parts").glob("*.jsonl") if path != part}
    lines = part.read_text().splitlines(keepends=True)
    part.write_text(lines[0])
    (tmp_path / "tables.txt").unlink()
    failed = study(*config)
    assert failed.returncode == 1 and "2 of 10 rows are missing, the first is cohort, " in failed.stdout + failed.stderr, failed
    assert not (tmp_path / "tables.txt").exists()
    # So does a job that was killed in the middle of a row: its part goes on with the rows that are whole, and nothing else is made again.
    part.write_text(lines[0] + lines[1][:9])
    made(study(*config))
    assert part.read_text().startswith(lines[0])
    assert {path: path.read_bytes() for path in others} == others
    assert [merged("rows.jsonl", form) for form in forms] == want


def test_a_study_is_the_replicas(study, tmp_path):
    made(study("replicas=5", "ks=2", "cells=2"))
    assert sorted(path.name for path in (tmp_path / "parts").glob("*.jsonl")) == ["1of3.jsonl", "2of3.jsonl", "3of3.jsonl"]
    run("fsnet", "replicas", "run", "plan.json", "-q", "-o", "one.jsonl", directory=tmp_path)

    def merged(file):
        return run("fsnet", "replicas", "merge", "plan.json", file, "--seconds=false", "--json", directory=tmp_path)

    want = merged("one.jsonl")
    assert merged("rows.jsonl") == want and len(json.loads(want)["replicas"]) == 5
    assert (tmp_path / "tables.txt").read_text() == run("fsnet", "replicas", "merge", "plan.json", "rows.jsonl", directory=tmp_path)
    assert json.loads((tmp_path / "tables.json").read_text())["summary"] == json.loads(want)["summary"]

    refused = study("replicas=5", "methods=anova")
    assert refused.returncode == 1 and "methods: keys of a comparison" in refused.stdout + refused.stderr, refused
