"""What a device must show, with backend=xla:cuda or the one that $FSNET_TEST_BACKEND names: Go's tests of steps, trainings and sessions
on it; fits that give the same bytes however they come about; memory; a notebook."""

import concurrent.futures
import os
import re
import subprocess

import nbformat
import pytest
from conftest import LIMIT, PACKAGES, ROOT
from nbclient import NotebookClient

EPOCHS = {"paper": ["--epochs", "400"], "authors": ["--epochs", "40"]}  # they always train to the last one
MEMORY = "TestMemoryPlan_IsMet"  # alone: what others take of the card would count
# The first compiles a program for every value of every key. The second is Go's backend's: after its 40 epochs other rounding leads to the
# other of two genes.
OTHERS = "TestTraining_NoKnobIsDead|TestTraining_NuisanceIsNotChosen"


def go_test(binaries, environment, package, *arguments):
    command = [str(binaries / f"{package.rsplit('/', 1)[-1]}.test"), "-test.v", f"-test.timeout={LIMIT}s", *arguments]
    if environment["FSNET_TEST_BACKEND"] == "xla:cpu":  # where the stage unit tests what users compile
        environment = environment | {"FSNET_TEST_UNOPTIMISED": "1"}
    done = subprocess.run(command, cwd=ROOT / package, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def passes(status, said):
    """Returns the tests that passed. Shows what failed ones said, why the process ended (a time limit is a panic), and its last lines."""
    failed = re.findall(r"(?ms)^=== RUN   (\S+)$((?:(?!^=== RUN).)*?)^\s*--- FAIL: \1 ", said)
    died = re.findall(r"(?ms)^(?:panic|fatal error|SIG[A-Z]+): .{0,500}", said)[:1]
    assert status == 0, "\n".join([f"{name}: {text[-3000:]}" for name, text in failed] + died + [said[-3000:]])
    passed = re.findall(r"(?m)^--- PASS: (\S+)", said)
    assert passed, said[-3000:]
    return passed


@pytest.fixture(scope="session")
def packages(binaries, environment):
    """All at once, as far as the cores go: a device serves several processes."""
    with concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() // 3)) as pool:
        yield {p: pool.submit(go_test, binaries, environment, p, f"-test.skip=^({MEMORY}|{OTHERS})$") for p in PACKAGES}


@pytest.mark.parametrize("package", PACKAGES)
def test_go_tests(packages, package, measured):
    measured(f"{package}: {len(passes(*packages[package].result()))} tests")


def test_memory_is_planned(binaries, environment, measured, packages):
    concurrent.futures.wait(packages.values())
    status, said = go_test(binaries, environment, "fsnet/train", f"-test.run=^{MEMORY}$")
    for line in re.findall(r"(?m)^\s*memory_test.go:\d+: (.*planned.*)$", said):
        measured(line)
    passes(status, said)


@pytest.mark.parametrize("protocol", ["fsnet", "paper", "authors", "stepwise"])
def test_fits_give_the_same_bytes(fsnet, protocol, measured):
    """Compiled, loaded from disk, compiled again, and beside another training on the same device."""
    words = ["fit", "ALLAML", "--k", "10", "--seed", "1", "--protocol", protocol, *EPOCHS.get(protocol, [])]

    def fit(name, **environment):
        return fsnet.start(*words, "--json", "--save", name, **environment)

    first = fsnet.end(fit("1.safetensors"))
    loaded = fsnet.end(fit("2.safetensors"))
    two = [fit("3.safetensors", FSNET_PROGRAMS="off"), fit("4.safetensors")]
    for process in two:
        fsnet.end(process)
    bytes_of = [(fsnet.folder / f"{i}.safetensors").read_bytes() for i in (1, 2, 3, 4)]
    assert all(b == bytes_of[0] for b in bytes_of), [hash(b) for b in bytes_of]
    timeless = [{key: value for key, value in r.items() if "second" not in key} for r in (first, loaded)]
    assert timeless[0] == timeless[1]
    processor = fsnet.json(*words, "--backend", "xla:cpu")
    both = {s["name"] for s in first["selected"]} & {s["name"] for s in processor["selected"]}
    measured(f"{protocol}: {len(both)} of {len(first['selected'])} are the processor's, whose accuracy is {processor['test_score']['value']:.3f}")
    measured(f"{protocol}: {first['steps']} steps, {first['seconds']:.2f} s, loaded {loaded['seconds']:.2f} s, accuracy {first['test_score']['value']:.3f}: {' '.join(s['name'] for s in first['selected'])}")


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


@pytest.mark.parametrize("replicas", [1, 8, 32])
def test_steps_of_replicas(fsnet, replicas, measured):
    """Steps of one program: finite, and the same loss whatever the number of trainings."""
    bench = fsnet.json("bench", "ALLAML", "--k", "10", "--batch", "8", "--steps", "500", "--no-ratio", "--replicas", str(replicas))
    assert bench["replicas"] == replicas and 0 < bench["loss"] < 3
    measured(f"{replicas} trainings: {bench['ms_per_step'] / replicas:.4f} ms a step of each, compiled in {bench['compile_seconds']:.1f} s")


def test_all_features(fsnet, measured):
    """Without screening, the step is as wide as the table."""
    fits = [fsnet.json("fit", "ALLAML", "--k", "50", "--seed", "1", "--screen", "0") for _ in range(2)]
    assert fits[0]["selected"] == fits[1]["selected"] and len(fits[0]["selected"]) == 50
    measured(f"all features, K = 50: {fits[0]['steps']} steps, {fits[0]['seconds']:.2f} s, accuracy {fits[0]['test_score']['value']:.3f}")


def test_a_notebook(notebook_environment, backend, tmp_path, monkeypatch):
    """The quickstart's %fsnet lines under nbclient: step, rewind by a fork, and what each cell shows."""
    for name, value in notebook_environment.items():
        monkeypatch.setenv(name, value)
    book = nbformat.read(ROOT / "notebooks/quickstart.ipynb", as_version=4)
    book.cells = [c for c in book.cells if c.cell_type == "code" and c.source.startswith("%fsnet") and "paper" not in c.source]
    book.cells[0].source += f" backend={backend}"
    NotebookClient(book, kernel_name="fsnet", timeout=LIMIT, resources={"metadata": {"path": str(tmp_path)}}).execute()
    text = "\n".join(o.get("text", o.get("data", {}).get("text/plain", "")) for c in book.cells for o in c.outputs)
    assert re.search(r"every selector is settled · step 1\d\d\d of 1500", text), text
    assert re.search(r"accuracy 0\.9\d+", text) and backend in text, text
