"""The documentation does what it says: the code blocks of these parts are run as they stand, in order, beside the files that they speak of."""

import os
import pathlib
import random
import re
import shutil
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
NEWCOMER = 300  # seconds that the five commands may take beside other tests; alone they take a tenth
LINE = r"^ *\d+ +{} +{}\d+ +[\d.]+$"  # of a table of genes
HOWTOS = {  # of a page, the part whose blocks are run; the files that they make, with their lines; and what is said, and how often at least
    "own-csv": ("tour", "From a table to ten genes with a report", {"genes.safetensors": 0, "stability.json": 0, "genes-report.html": 0, "predicted.csv": 81},
                {LINE.format(r"GENE\d\d", r"(?:healthy|lupus) .+ "): 10, LINE.format("GENE0[1-5]", r"\w+ .+ "): 3}),
    "own-h5ad": ("data", "Single cells", {}, {"rank": 1, "accuracy": 1}),
    "which-k": ("settings", "Which K?", {"path.svg": 0, "k.svg": 0}, {"Path on cohort": 1, "Sweep of k on cohort": 1, "fsnet fit cohort.csv": 1}),
    "settle": ("settings", "Why does it not settle?", {}, {"Convergence of leukemia": 1, "every selector is settled": 1}),
    "cluster": ("scale", "On a cluster", {"plan.json": 0, "part-1.jsonl": 2, "part-2.jsonl": 2, "seeds-1.jsonl": 2, "seeds-2.jsonl": 2},
                {"K = 5, seeds 1 to 4": 1, r"^anova +0\.\d+ ± ": 1}),
    "go-program": ("go", "In a program", {}, {"10  GENE": 1, "a sample with 5 everywhere:": 1}),
    "regression": ("data", "When the label is a quantity", {"age.safetensors": 0, "estimated.csv": 81},
                   {"a quantity: below ": 1, LINE.format("GENE(?:02|11|23)", ""): 3, r"R² 0\.[89]\d* on \d+ unseen rows": 1, r"^forward-ridge +0\.\d": 1,
                    "^Evaluation of ages on \\d+ test rows": 1, "R²: of a kernel ridge regression": 1, "Which features to trust: ages, K = 3": 1,
                    r"^the panel +0\.\d": 1, "Tuning on ages": 1, "Path on ages": 1, "chosen: k=": 3}),
}  # fmt: skip


def cohort(path):
    """Forty donors with two visits each, sixty genes of which the first five tell the diagnosis, and a value in thirty missing."""
    draw = random.Random(1)
    lines = [["sample", "donor", "diagnosis", *(f"GENE{g + 1:02d}" for g in range(60))]]
    for donor in range(40):
        own = [draw.gauss(1.2 * (donor % 2) if g < 5 else 0, 0.8) for g in range(60)]
        for visit in (1, 2):
            values = ["NA" if draw.random() < 1 / 30 else f"{5 + x + draw.gauss(0, 0.4):.3f}" for x in own]
            lines.append([f"D{donor:02d}-{visit}", f"D{donor:02d}", ("healthy", "lupus")[donor % 2], *values])
    path.write_text("\n".join(",".join(line) for line in lines) + "\n")


def ages(path):
    """Eighty people whose age follows from three of thirty genes."""
    draw = random.Random(2)
    lines = [["sample", *(f"GENE{g:02d}" for g in range(30)), "age"]]
    for person in range(80):
        x = [draw.gauss(0, 1) for _ in range(30)]
        age = 50 + 8 * (2 * x[2] - 1.5 * x[11] + x[23] + draw.gauss(0, 0.2))
        lines.append([f"P{person:02d}", *(f"{7 + v:.3f}" for v in x), f"{age:.2f}"])
    path.write_text("\n".join(",".join(line) for line in lines) + "\n")


def blocks(page, heading):
    _, _, part = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    return FENCE.findall(part.partition("\n## ")[0])


def command(language, text, directory):
    """What runs a block: a shell, the magics without a notebook, or Go in this module; a text is only shown."""
    if language == "go":
        program = ROOT / "tests/out/_howto"  # no part of ./... for the stages beside this one
        program.mkdir(parents=True, exist_ok=True)
        (program / "main.go").write_text(text)
        subprocess.run(["go", "build", "-trimpath", "-o", str(directory / "howto"), "./tests/out/_howto"], cwd=ROOT, check=True, timeout=600)
        return ["./howto"], ""
    if text.startswith("%fsnet"):
        return ["fsnet", "repl"], text
    return ["bash", "-euo", "pipefail", "-c", text], ""


@pytest.mark.parametrize("howto", HOWTOS)
def test_its_blocks_run(howto, tmp_path, measured, as_users):
    page, heading, files, words = HOWTOS[howto]
    cohort(tmp_path / "cohort.csv")
    ages(tmp_path / "ages.csv")
    shutil.copy(ROOT / "fsnet/dataset/testdata/cells/anndata-0.10-csr.h5ad", tmp_path / "atlas.h5ad")
    before, said, took = set(os.listdir(tmp_path)), "", []
    environment = as_users if howto == "own-csv" else None  # a newcomer's seconds are promised
    for language, text in blocks(page, heading):
        if language == "text":
            continue
        program, typed = command(language, text, tmp_path)
        began = time.monotonic()
        done = subprocess.run(program, input=typed, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900)
        took.append(time.monotonic() - began)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        said += done.stdout
    assert took and set(files) <= set(os.listdir(tmp_path)) - before
    assert {name: len((tmp_path / name).read_bytes().splitlines()) for name, lines in files.items() if lines} == {name: n for name, n in files.items() if n}
    assert [pattern for pattern, times in words.items() if len(re.findall(pattern, said, re.M)) < times] == [], said
    if howto == "own-csv":
        report = (tmp_path / "genes-report.html").read_text(encoding="utf-8")
        assert set(re.findall(LINE.format(r"(GENE\d\d)", r"\w+ .+ "), said, re.M)) <= set(re.findall(r"GENE\d\d", report)) and "half-samples" in report
        measured(f"the newcomer's five commands: {took[0]:.0f} s")
        assert took[0] < NEWCOMER and len(blocks(page, heading)[0][1].splitlines()) == 5


def test_the_readmes_fit_prints_what_it_says(tmp_path, as_users):
    """But for genes and digits, which another processor may round otherwise."""
    def masked(line):
        return re.sub(r"\d+", "0", re.sub(r"\w+_at +A(LL|ML)", "GENE", line))

    block = next(text for _, text in FENCE.findall((ROOT / "README.md").read_text(encoding="utf-8")) if text.startswith("$ fsnet fit"))
    command, *lines = block.splitlines()
    done = subprocess.run(command.removeprefix("$ ").split(), cwd=tmp_path, env=as_users, capture_output=True, text=True, timeout=300, check=True)
    printed = {masked(line) for line in done.stdout.splitlines()}
    assert [line for line in lines if line != "…" and masked(line) not in printed] == []
