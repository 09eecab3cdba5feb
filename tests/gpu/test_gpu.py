"""What a device must show, with backend=xla:cuda or the one that $FSNET_TEST_BACKEND names. The most telling comes first, in case the time of
a run ends: steps beside JAX's; fits that give the same bytes however they come about, and their genes beside a processor's; trainings in one
program; memory beside its plan; a notebook; Go's tests of steps, trainings and sessions. Each mark limits a test's seconds on a card."""

import concurrent.futures
import json
import os
import re
import sys
import time

import nbformat
import pytest
from conftest import ENDS, ON_CARD, PACKAGES, ROOT, output_of
from nbclient import NotebookClient

EPOCHS = {"paper": ["--epochs", "400"], "authors": ["--epochs", "40"]}  # they always train to the last one
MEMORY = "TestMemoryPlan_IsMet"  # alone: what others take of the card would count
# The first compiles a program for every value of every key. The second is Go's backend's: after its 40 epochs other rounding leads to the
# other of two genes.
OTHERS = "TestTraining_NoKnobIsDead|TestTraining_NuisanceIsNotChosen"


def go_test(binaries, environment, package, *arguments):
    command = [str(binaries / f"{package.rsplit('/', 1)[-1]}.test"), "-test.v", f"-test.timeout={max(ENDS - time.monotonic(), 1):.0f}s", *arguments]
    if not ON_CARD:  # the stage unit tests what users compile
        environment = environment | {"FSNET_TEST_UNOPTIMISED": "1"}
    return output_of(command, cwd=ROOT / package, env=environment)


def passes(status, said):
    """Returns the tests that passed. Shows what failed ones said, why the process ended (a time limit is a panic), and its last lines."""
    failed = re.findall(r"(?ms)^=== RUN   (\S+)$((?:(?!^=== RUN).)*?)^\s*--- FAIL: \1 ", said)
    died = re.findall(r"(?ms)^(?:panic|fatal error|SIG[A-Z]+): .{0,500}", said)[:1]
    assert status == 0, "\n".join([f"{name}: {text[-3000:]}" for name, text in failed] + died + [said[-3000:]])
    passed = re.findall(r"(?m)^--- PASS: (\S+)", said)
    assert passed, said[-3000:]
    return passed


@pytest.mark.limit(200)
def test_steps(fsnet, backend, environment, measured, tmp_path):
    """The same step as JAX's scan, at K = 10 and 50, and then of 1, 8 and 32 trainings in one program: bench/run.py, whose losses must agree."""
    file = tmp_path / "steps.json"
    command = [sys.executable, str(ROOT / "bench/run.py"), "--fsnet", str(fsnet.program), "--gpu", backend, "--only", "JAX", "--rounds", "1", "--steps", "600", "--json", str(file)]
    if not ON_CARD:
        command += ["--d", "1000"]
    try:
        status, said = output_of(command, env=environment | {"FSNET_PROGRAMS": "off"})
    finally:
        rows = json.loads(file.read_text()) if file.exists() else []
        for r in rows:
            many = f", {r['replicas']} trainings" if r.get("replicas", 1) > 1 else ""
            measured(f"{r['program']}, K = {r['k']}{many}: {r['ms_per_step']:.4f} ms a step, compiled in {r['compile_seconds']:.1f} s, loss {r['loss']:.4f}")
    assert status == 0, said[-3000:]
    assert {1, 8, 32} <= {r.get("replicas", 1) for r in rows if r["program"] == "fsnet"}, said[-3000:]
    if "does not run here" in said:
        measured("not compared: " + " ".join(re.findall("(?m)^.*does not run here.*$", said))[:300])


@pytest.mark.limit(75)
@pytest.mark.parametrize("protocol", ["fsnet", "paper", "authors", "stepwise"])
def test_fits_give_the_same_bytes(fsnet, protocol, measured):
    """Compiled, loaded from disk, compiled again, and beside another training on the same device."""
    words = ["fit", "ALLAML", "--k", "10", "--seed", "1", "--protocol", protocol, *EPOCHS.get(protocol, [])]

    def fit(name, **environment):
        return fsnet.start(*words, "--json", "--save", name, **environment)

    first = fsnet.end(fit("1.safetensors"))
    measured(f"{protocol}: {first['steps']} steps, {first['seconds']:.2f} s, accuracy {first['test_score']['value']:.3f}: {' '.join(s['name'] for s in first['selected'])}")
    packed = fsnet.program.parent / f"{protocol}.json"
    processor = json.loads(packed.read_text()) if packed.exists() else fsnet.json(*words, "--backend", "xla:cpu")
    both = {s["name"] for s in first["selected"]} & {s["name"] for s in processor["selected"]}
    measured(f"{protocol}: {len(both)} of {len(first['selected'])} are the processor's, whose accuracy is {processor['test_score']['value']:.3f}")
    loaded = fsnet.end(fit("2.safetensors"))
    measured(f"{protocol}: {loaded['seconds']:.2f} s with the programs of the first")
    two = [fit("3.safetensors", FSNET_PROGRAMS="off"), fit("4.safetensors")]
    for process in two:
        fsnet.end(process)
    bytes_of = [(fsnet.folder / f"{i}.safetensors").read_bytes() for i in (1, 2, 3, 4)]
    assert all(b == bytes_of[0] for b in bytes_of), [hash(b) for b in bytes_of]
    timeless = [{key: value for key, value in r.items() if "second" not in key} for r in (first, loaded)]
    assert timeless[0] == timeless[1]


@pytest.mark.limit(80)
def test_replicas_side_by_side(fsnet, backend, measured):
    """Four trainings at once twice, have the same bytes; on a processor those of the four fits. On a GPU one program makes their steps and rounds otherwise."""
    words = ["fit", "ALLAML", "--k", "10", "--split-seed", "1"]
    runs = [fsnet.json(*words, "--seed", "1", "--replicas", "4", "--workers", "4", "--save", f"r{i}.safetensors") for i in range(2)]
    assert all(r["workers"] == 4 and not r["failed"] for r in runs)
    alone = 0
    for seed in range(1, 5):
        fit = fsnet.json(*words, "--seed", str(seed), "--save", f"{seed}.safetensors")
        alone += fit["seconds"]
        first, second, single = ((fsnet.folder / f"{name}.safetensors").read_bytes() for name in (f"r0-seed{seed}", f"r1-seed{seed}", f"{seed}"))
        assert first == second, seed
        if backend != "xla:cuda":
            assert first == single, seed
    measured(f"four replicas: {runs[1]['seconds']:.2f} s at once, {alone:.2f} s one after the other")


@pytest.mark.limit(90)
def test_memory_is_planned(binaries, environment, measured):
    """Before Go's other tests: what they take of the card would count."""
    status, said = go_test(binaries, environment, "fsnet/train", f"-test.run=^{MEMORY}$")
    for line in re.findall(r"(?m)^\s*memory_test.go:\d+: (.*planned.*)$", said):
        measured(line)
    passes(status, said)


@pytest.mark.limit(60)
def test_a_notebook(notebook_environment, backend, tmp_path, monkeypatch):
    """The quickstart's %fsnet lines under nbclient: step, rewind by a fork, and what each cell shows."""
    for name, value in notebook_environment.items():
        monkeypatch.setenv(name, value)
    book = nbformat.read(ROOT / "notebooks/quickstart.ipynb", as_version=4)
    book.cells = [c for c in book.cells if c.cell_type == "code" and c.source.startswith("%fsnet") and "paper" not in c.source]
    book.cells[0].source += f" backend={backend}"
    NotebookClient(book, kernel_name="fsnet", resources={"metadata": {"path": str(tmp_path)}}).execute()
    text = "\n".join(o.get("text", o.get("data", {}).get("text/plain", "")) for c in book.cells for o in c.outputs)
    assert re.search(r"every selector is settled · step 1\d\d\d of 1500", text), text
    assert re.search(r"accuracy 0\.9\d+", text) and backend in text, text


@pytest.mark.limit(40)
def test_all_features(fsnet, measured):
    """Without screening, the step is as wide as the table."""
    fits = [fsnet.json("fit", "ALLAML", "--k", "50", "--seed", "1", "--screen", "0") for _ in range(2)]
    assert fits[0]["selected"] == fits[1]["selected"] and len(fits[0]["selected"]) == 50
    measured(f"all features, K = 50: {fits[0]['steps']} steps, {fits[0]['seconds']:.2f} s, accuracy {fits[0]['test_score']['value']:.3f}")


@pytest.fixture(scope="session")
def packages(binaries, environment):
    """All at once, as far as the cores go: a device serves several processes."""
    with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() // 3)) as pool:
        yield {p: pool.submit(go_test, binaries, environment, p, f"-test.skip=^({MEMORY}|{OTHERS})$") for p in PACKAGES}


@pytest.mark.limit(240)
@pytest.mark.parametrize("package", PACKAGES)
def test_go_tests(packages, package, measured):
    measured(f"{package}: {len(passes(*packages[package].result()))} tests")
