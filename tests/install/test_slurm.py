"""The study of workflow/ on a real Slurm: two nodes, jobs that are killed, and a node that is drained.

Nothing is lost, nothing is made twice, and the merged table is to the byte that of one process.
"""

import collections
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
import slurm

pytest.importorskip("snakemake_executor_plugin_slurm", reason="snakemake's Slurm executor needs Python 3.11 or later")

METHODS, KS, SPLITS = "fsnet,fsnet:lambda=0.5", "2,3", "3"
OPTIONS = "--label diagnosis --epochs 200 --stop never --seed 4 --backend go"
PARTS, EACH = 6, 2
LIMIT = 300  # seconds that a study may take

# Each attempt of a part, on which node, and how it ended; and, in one file for all attempts, which rows it made. Snakemake keeps the log of
# the last attempt alone.
JOURNAL = """\
#!/bin/sh
if [ "$2" != run ]; then exec {fsnet} "$@"; fi
part=$5 # compare run plan.json --part I/N …
echo "start $part $SLURMD_NODENAME $(date +%s.%N) ${{SLURM_ARRAY_JOB_ID:-alone}}" >>journal
{fsnet} "$@" 2>>"made-$(echo "$part" | tr / -)"
status=$?
echo "end $part $SLURMD_NODENAME $status" >>journal
exit $status
"""


@pytest.fixture
def cluster():
    slurm.install()
    if missing := slurm.missing():
        pytest.skip(f"no Slurm ({', '.join(missing)}): install it (Debian, Ubuntu: apt-get install slurm-wlm munge). The study was NOT tried on a cluster.")
    with slurm.Slurm() as running:
        yield running


@pytest.fixture
def study(tmp_path):
    folder = tmp_path / "study"
    folder.mkdir()
    draw = random.Random(5)
    rows = [[f"{draw.gauss(3 * (i % 2) if j < 2 else 0, 1):.3f}" for j in range(8)] + [("sick", "well")[i % 2]] for i in range(24)]
    names = [*(f"g{j}" for j in range(8)), "diagnosis"]
    (folder / "cohort.csv").write_text("\n".join(",".join(row) for row in [names, *rows]) + "\n")
    program = folder / "fsnet"
    program.write_text(JOURNAL.format(fsnet=shutil.which("fsnet")))
    program.chmod(0o755)
    return folder


@contextlib.contextmanager
def snakemake(root, cluster, study, *more, memory=500, ks=KS):
    """Snakemake as a user starts it on a cluster; it asks for the state of jobs more often, and without an accounting database."""
    words = [
        sys.executable, "-m", "snakemake", "-s", root / "workflow" / "Snakefile", "--directory", study, "--executor", "slurm", "--jobs", 20,
        "--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", 1, "--seconds-between-status-checks", 1,
        "--latency-wait", 20, *more, "--config", "data=cohort.csv", f"cells={EACH}", f"fsnet={study}/fsnet", f"plan_mem_mb={memory}",
        f"options={OPTIONS}", f"methods={METHODS}", f"ks={ks}", f"splits={SPLITS}",
    ]  # fmt: skip
    with open(study / "snakemake.out", "ab") as out:
        snake = subprocess.Popen([str(word) for word in words], env=cluster.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        yield snake
    except BaseException:
        print((study / "snakemake.out").read_text(), cluster.logs(), *journal(study), sep="\n")
        raise
    finally:
        snake.kill()
        snake.wait()


def fsnet(study, *words):
    done = subprocess.run(["fsnet", *words], cwd=study, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def journal(study):
    path = study / "journal"
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def rows_of(study, part):
    """The whole rows that a part's file has."""
    path = study / "parts" / f"{part.replace('/', 'of')}.jsonl"
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def running(cluster):
    """The trainings that jobs make now: process, part, job (of an array: its task) and node."""
    for process, variables in cluster.processes().items():
        try:
            with open(f"/proc/{process}/cmdline", encoding="utf-8") as file:
                words = file.read().split("\0")
        except OSError:
            continue
        if words[1:3] == ["compare", "run"]:
            array = variables.get("SLURM_ARRAY_JOB_ID")
            job = f"{array}_{variables['SLURM_ARRAY_TASK_ID']}" if array else variables["SLURM_JOB_ID"]
            yield process, words[5], job, variables["SLURMD_NODENAME"]


def amid(cluster, study, but=(), task=""):
    """A training that has made some rows of its part and not all, on a node. It stands still, or it might be done before anything happens to
    it: SIGCONT lets it go on, and so does what Slurm sends."""
    for process, part, job, node in running(cluster):
        if part not in but and job.endswith(task) and 0 < len(rows_of(study, part)) < EACH:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGSTOP)
                if 0 < len(rows_of(study, part)) < EACH:
                    return process, part, job, node
                os.kill(process, signal.SIGCONT)
    return None


def test_a_study_on_a_cluster_that_fails(root, cluster, study):
    began = time.monotonic()
    with snakemake(root, cluster, study) as snake:
        disturbed(cluster, study, snake)
        assert snake.wait(LIMIT - (time.monotonic() - began)) == 0
    assert sum(1 for path in (study / "parts").glob("*.jsonl")) == PARTS

    # Nothing is lost and nothing is made twice: a row that was there when its job was killed is not made again.
    finished = collections.Counter()
    for made in study.glob("made-*"):
        before = None
        lines = [line for line in made.read_text().splitlines() if line.startswith("{")]  # Slurm says there whom it killed
        for place in map(json.loads, lines):
            finished[place["what"]] += before is not None and place["done"] == before + 1
            before = place["done"]
    cells = [f"cohort, {method}, K = {k}, split {split}" for method in METHODS.split(",") for k in KS.split(",") for split in range(int(SPLITS))]
    assert finished == collections.Counter(cells)

    fsnet(study, "compare", "cohort.csv", "--methods", METHODS, "--k", KS, "--splits", SPLITS, *OPTIONS.split(), "-q", "-o", "one.jsonl")
    for form in ("--csv", "--json", "--json=false"):
        merged = [fsnet(study, "compare", "merge", "plan.json", file, "--seconds=false", form) for file in ("one.jsonl", "rows.jsonl")]
        assert merged[0] == merged[1]
        assert len(merged[0].splitlines()) == 1 + len(cells) or form != "--csv"


def test_the_parts_as_one_array(root, cluster, study):
    with snakemake(root, cluster, study, "--slurm-array-jobs", "rows", ks="2") as snake:
        _, part, task, _ = slurm.wait("the first task amid its part", lambda: amid(cluster, study, task="_1"), LIMIT)
        cluster.tell("scancel", task)

        def ended():
            marks = {path.stem.replace("of", "/") for path in (study / "parts").glob("*.done")}
            made = {line[1] for line in journal(study) if line[0] == "end" and line[3] == "0"}
            assert marks <= made, "a mark of a part that is not made"
            return snake.poll() is not None

        slurm.wait("the study's end", ended, LIMIT)
        assert snake.returncode == 0
    begun = [line for line in journal(study) if line[0] == "start"]
    assert sorted(line[1] for line in begun) == sorted(["1/3", "2/3", "3/3", part])
    assert {line[4] for line in begun} == {task.split("_")[0], "alone"}, begun
    assert len((study / "rows.jsonl").read_text().splitlines()) == len(METHODS.split(",")) * int(SPLITS)


def disturbed(cluster, study, snake):
    """What happens to the study, one thing after another, and what must hold of each."""

    def find(what, look):
        def found():
            assert snake.poll() is None, "the study ended before everything had happened to it"
            return look()

        return slurm.wait(what, found, LIMIT)

    # A job is cancelled, and the process of another one killed, each in the middle of its part.
    _, cancelled, job, _ = find("a job amid its part", lambda: amid(cluster, study))
    cluster.tell("scancel", job)
    slurm.wait("the end of the job", lambda: cancelled not in [part for _, part, _, _ in running(cluster)])
    kept = {cancelled: rows_of(study, cancelled)}
    process, killed, _, _ = find("another one", lambda: amid(cluster, study, kept))
    os.kill(process, signal.SIGKILL)
    slurm.wait("the end of the process", lambda: ["end", killed, "137"] in [[line[0], line[1], line[-1]] for line in journal(study)])
    kept[killed] = rows_of(study, killed)

    # A node is drained while a job runs on each: what runs there comes to its end, what follows is made on the other.
    held = {}
    for _ in slurm.NODES:
        process, last, _, node = find("a job amid its part on each node", lambda: amid(cluster, study, held))
        held[last] = process
    cluster.tell("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
    drained = time.time()
    for process in held.values():
        os.kill(process, signal.SIGCONT)
    find("the study's end", lambda: len(list((study / "parts").glob("*.done"))) == PARTS)
    lines = journal(study)
    assert ["end", last, node, "0"] in lines
    begun = [line for line in lines if line[0] == "start" and float(line[3]) > drained + 2]  # a job may be on its way
    assert begun, "no part was left for the other node"
    assert node not in [line[2] for line in begun]

    # The parts of the killed jobs went on with the rows that were there, and no other part was begun twice.
    for part, rows in kept.items():
        assert rows_of(study, part)[: len(rows)] == rows
    starts = collections.Counter(line[1] for line in lines if line[0] == "start")
    ends = collections.Counter(line[1] for line in lines if line[0] == "end" and line[3] == "0")
    parts = [f"{i}/{PARTS}" for i in range(1, PARTS + 1)]
    assert ends == collections.Counter(parts)
    assert starts == collections.Counter([*parts, *kept])


def test_a_cluster_that_rejects_a_job_is_named(root, cluster, study):
    for more, memory, reason in (
        (["--default-resources", "slurm_partition=none"], 500, "invalid partition specified: none"),
        ([], 9_999_999, "Memory specification can not be satisfied"),
    ):
        with snakemake(root, cluster, study, *more, memory=memory) as snake:
            assert snake.wait(LIMIT) != 0
        said = (study / "snakemake.out").read_text()
        assert reason in said and "rule plan" in said, said
    assert journal(study) == []
