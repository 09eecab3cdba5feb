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
HOWTOS = {  # the part of a page whose blocks are run
    "own-csv": ("tour", "From a table to ten genes with a report"),
    "own-h5ad": ("data", "Single cells"),
    "which-k": ("settings", "Which K?"),
    "settle": ("settings", "Why does it not settle?"),
    "cluster": ("scale", "On a cluster"),
    "go-program": ("go", "In a program"),
    "regression": ("data", "When the label is a quantity"),
}


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


def blocks(howto):
    page, heading = HOWTOS[howto]
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


@pytest.mark.parametrize("page", HOWTOS)
def test_its_blocks_run(page, tmp_path, measured, as_users):
    cohort(tmp_path / "cohort.csv")
    ages(tmp_path / "ages.csv")
    shutil.copy(ROOT / "fsnet/dataset/testdata/cells/anndata-0.10-csr.h5ad", tmp_path / "atlas.h5ad")
    before, said = set(os.listdir(tmp_path)), ""
    environment = as_users if page == "own-csv" else None  # a newcomer's seconds are promised
    took = []
    for language, text in blocks(page):
        if language == "text":
            continue
        words, typed = command(language, text, tmp_path)
        began = time.monotonic()
        done = subprocess.run(words, input=typed, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900)
        took.append(time.monotonic() - began)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        said += done.stdout
    assert took
    if page == "own-csv":
        assert len(blocks(page)[0][1].splitlines()) == 5
        measured(f"the newcomer's five commands: {took[0]:.0f} s")
        assert took[0] < NEWCOMER
    made = set(os.listdir(tmp_path)) - before
    check = CHECKS[page]
    check(said, made, tmp_path)


def reported(said, made, directory):
    """The newcomer's path: ten genes, and a page that has them with what stability says of them."""
    assert {"genes.safetensors", "stability.json", "genes-report.html", "predicted.csv"} <= made
    genes = re.findall(r"^ *\d+ +(GENE\d\d) +(?:healthy|lupus) \S+ +\d+ +[\d.]+$", said, re.M)
    assert len(set(genes)) == 10 and len({"GENE01", "GENE02", "GENE03", "GENE04", "GENE05"} & set(genes)) >= 3, said
    page = (directory / "genes-report.html").read_text(encoding="utf-8")
    assert all(gene in page for gene in genes) and "half-samples" in page and "src=\"http" not in page
    assert len((directory / "predicted.csv").read_text().splitlines()) == 81


def estimated(said, made, directory):
    """The genes that make the age, and what is said of it."""
    assert {"age.safetensors", "estimated.csv"} <= made and "a quantity: below " in said, said
    assert {"GENE02", "GENE11", "GENE23"} == set(re.findall(r"^ *\d+ +(GENE\d\d) +\d+ +[\d.]+$", said, re.M)), said
    assert float(re.search(r"R² ([\d.-]+) on \d+ unseen rows", said)[1]) > 0.8 and re.search(r"^Evaluation of ages on \d+ test rows", said, re.M), said
    assert len((directory / "estimated.csv").read_text().splitlines()) == 81
    assert re.search(r"^forward-ridge +0\.\d", said, re.M) and "R²: of a kernel ridge regression" in said, said
    assert "Which features to trust: ages, K = 3" in said and re.search(r"^the panel +0\.\d", said, re.M), said
    assert "Tuning on ages" in said and "Path on ages" in said and said.count("chosen: k=") == 3, said  # of a path picture and table


def curves(said, made, _):
    assert {"path.svg", "k.svg"} <= made and "Path on cohort" in said and "Sweep of k on cohort" in said and "fsnet fit cohort.csv" in said, said


def merged(said, made, directory):
    assert {"plan.json", "part-1.jsonl", "part-2.jsonl"} <= made
    assert all(len((directory / f"seeds-{i}.jsonl").read_text().splitlines()) == 2 for i in (1, 2)) and "K = 5, seeds 1 to 4" in said, said
    assert all(len((directory / f"part-{i}.jsonl").read_text().splitlines()) == 2 for i in (1, 2)) and re.search(r"(?m)^anova +0\.\d+ ± ", said), said


def says(*words):
    def check(said, _, __):
        assert all(word in said for word in words), said

    return check


CHECKS = {
    "own-csv": reported,
    "own-h5ad": says("rank", "accuracy"),
    "which-k": curves,
    "settle": says("Convergence of leukemia", "every selector is settled"),
    "cluster": merged,
    "go-program": says("10  GENE", "a sample with 5 everywhere:"),
    "regression": estimated,
}


def test_the_readmes_fit_prints_what_it_says(tmp_path, as_users):
    """But for genes and digits, which another processor may round otherwise."""
    def masked(line):
        return re.sub(r"\d+", "0", re.sub(r"\w+_at +A(LL|ML)", "GENE", line))

    block = next(text for _, text in FENCE.findall((ROOT / "README.md").read_text(encoding="utf-8")) if text.startswith("$ fsnet fit"))
    command, *lines = block.splitlines()
    done = subprocess.run(command.removeprefix("$ ").split(), cwd=tmp_path, env=as_users, capture_output=True, text=True, timeout=300, check=True)
    printed = {masked(line) for line in done.stdout.splitlines()}
    assert [line for line in lines if line != "…" and masked(line) not in printed] == []
