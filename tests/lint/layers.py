"""Proves that the layers of .golangci.yml bite: a small module with the same folders, in which every import below is wrong, and a few
that are right. A rule whose pattern matches no file is silent, which no clean run would show.

layers.py GOLANGCI_LINT
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

WRONG = [
    ("fsnet/session", "net/http"),
    ("fsnet/session", "fsnetlab/fsnet/dataset"),
    ("fsnet/session", "github.com/creachadair/jrpc2"),
    ("fsnet/config", "fsnetlab/fsnet/session"),
    ("fsnet/fault", "fsnetlab/internal/suggest"),
    ("internal/suggest", "net/http"),
    ("internal/rng", "fsnetlab/fsnet/fault"),
    ("internal/atomicfile", "fsnetlab/fsnet/fault"),
    ("internal/lock", "fsnetlab/fsnet/fault"),
    ("internal/lock", "fsnetlab/kernel"),
    ("internal/lock", "fsnetlab/widgets"),
    ("fsnet/runs", "fsnetlab/fsnet"),
    ("fsnet/dataset", "github.com/gomlx/gomlx"),
    ("fsnet/dataset", "fsnetlab/fsnet"),
    ("fsnet/dataset/deeper", "fsnetlab/kernel"),
    ("fsnet/dataset/reading", "fsnetlab/fsnet/dataset"),
    ("fsnet/dataset/variables", "fsnetlab/fsnet/dataset/reading"),
    ("fsnet/dataset/word", "fsnetlab/fsnet/fault"),
    ("fsnet/dataset", "github.com/scigolib/matlab"),
    ("fsnet/dataset", "github.com/apache/arrow-go"),
    ("fsnet/dataset/hdf5", "fsnetlab/fsnet/fault"),
    ("fsnet/dataset/anndata", "fsnetlab/fsnet/dataset"),
    ("fsnet/dataset/mtx", "github.com/spf13/cobra"),
    ("fsnet/metric", "fsnetlab/fsnet/session"),
    ("fsnet/device", "fsnetlab/fsnet/method"),
    ("fsnet/nn", "fsnetlab/fsnet/method"),
    ("fsnet/method", "fsnetlab/fsnet/device"),
    ("fsnet/method", "fsnetlab/fsnet/method/fused"),
    ("fsnet/method/fused", "fsnetlab/fsnet/engine"),
    ("fsnet/train", "fsnetlab/fsnet/method/fused"),
    ("fsnet/engine", "fsnetlab/fsnet/train"),
    ("fsnet/engine", "fsnetlab/fsnet/session"),
    ("fsnet/train", "fsnetlab/fsnet"),
    ("fsnet/train", "github.com/gomlx/gomlx"),
    ("fsnet/train/record", "fsnetlab/fsnet/train"),
    ("fsnet/train/record", "fsnetlab/fsnet/engine"),
    ("fsnet/train/record", "fsnetlab/fsnet/dataset"),
    ("fsnet/train/record", "github.com/gomlx/gomlx"),
    ("fsnet/dataset", "fsnetlab/fsnet/train"),
    ("widgets/chart", "fsnetlab/fsnet/train"),
    ("kernel", "fsnetlab/fsnet/engine"),
    ("fsnet/train", "fsnetlab/fsnet/compare"),
    ("fsnet", "fsnetlab/kernel"),
    ("fsnet", "fsnetlab/widgets"),
    ("fsnet", "fsnetlab/fsnet/host"),
    ("fsnet", "fsnetlab/fsnet/replica"),
    ("fsnet/replica", "fsnetlab/kernel"),
    ("fsnet/replica", "fsnetlab/widgets"),
    ("fsnet/replica", "fsnetlab/fsnet/host"),
    ("fsnet/replica", "github.com/gomlx/gomlx"),
    ("fsnet/baseline", "fsnetlab/kernel"),
    ("fsnet/baseline", "fsnetlab/widgets"),
    ("fsnet/baseline", "fsnetlab/fsnet/host"),
    ("fsnet/baseline", "fsnetlab/fsnet/session"),
    ("fsnet/baseline", "fsnetlab/fsnet/compare"),
    ("fsnet/baseline/filter", "fsnetlab/fsnet/baseline/sparse"),
    ("fsnet/baseline/sparse", "fsnetlab/fsnet/baseline/svm"),
    ("fsnet/baseline/svm", "fsnetlab/fsnet/baseline/hsic"),
    ("fsnet/baseline/hsic", "fsnetlab/fsnet/baseline/deep"),
    ("fsnet/baseline/deep", "fsnetlab/fsnet/baseline/filter"),
    ("fsnet/baseline/forward", "fsnetlab/fsnet/baseline/filter"),
    ("fsnet/baseline/svm", "fsnetlab/fsnet/baseline/forward"),
    ("fsnet/baseline/filter", "fsnetlab/fsnet/baseline/forest"),
    ("fsnet/baseline/svm", "fsnetlab/fsnet/baseline/neighbours"),
    ("fsnet/baseline/neighbours", "github.com/gomlx/gomlx"),
    ("fsnet/baseline/forest", "fsnetlab/fsnet/baseline/filter"),
    ("fsnet/baseline/forest", "github.com/gomlx/gomlx"),
    ("fsnet/baseline/filter", "github.com/gomlx/gomlx"),
    ("fsnet/baseline/forward", "github.com/gomlx/gomlx"),
    ("fsnet/baseline/sparse", "github.com/gomlx/gomlx"),
    ("fsnet", "fsnetlab/fsnet/compare"),
    ("fsnet", "fsnetlab/fsnet/tune"),
    ("fsnet/tune", "fsnetlab/kernel"),
    ("fsnet/tune", "fsnetlab/widgets"),
    ("fsnet/compare", "fsnetlab/kernel"),
    ("fsnet/compare", "fsnetlab/widgets"),
    ("fsnet/compare", "fsnetlab/fsnet/host"),
    ("fsnet/compare", "github.com/gomlx/gomlx"),
    ("fsnet/stability", "fsnetlab/kernel"),
    ("fsnet/stability", "fsnetlab/widgets"),
    ("fsnet/stability", "fsnetlab/fsnet/host"),
    ("fsnet/stability", "github.com/gomlx/gomlx"),
    ("fsnet/host", "fsnetlab/fsnet"),
    ("fsnet/host/autosave", "fsnetlab/fsnet"),
    ("fsnet/host", "fsnetlab/kernel"),
    ("fsnet/host", "fsnetlab/widgets"),
    ("fsnet/host", "github.com/gomlx/gomlx"),
    ("widgets", "net/http"),
    ("widgets", "fsnetlab/widgets/chart"),
    ("widgets/chart", "fsnetlab/fsnet"),
    ("widgets/chart", "fsnetlab/kernel"),
    ("widgets/chart/scene", "fsnetlab/fsnet/session"),
    ("widgets/chart/words", "fsnetlab/fsnet/session"),
    ("widgets/chart/axis", "fsnetlab/widgets/chart"),
    ("widgets/chart/table", "fsnetlab/widgets/chart/trials"),
    ("widgets/chart/table", "fsnetlab/widgets/chart/samples"),
    ("widgets/ipywidgets", "fsnetlab/fsnet/session"),
    ("widgets/panel", "fsnetlab/kernel"),
    ("kernel", "fsnetlab/fsnet"),
    ("kernel", "fsnetlab/fsnet/replica"),
    ("kernel/magic", "github.com/gomlx/gomlx"),
    ("kernel/magic", "github.com/ergochat/readline"),
    ("kernel/repl", "fsnetlab/kernel/wire"),
    ("kernel/repl", "fsnetlab/kernel/gonb"),
    ("kernel/cell", "fsnetlab/kernel/gonb"),
    ("kernel/internal/supervise", "fsnetlab/kernel/gonb"),
    ("kernel/internal/shells", "fsnetlab/kernel/gonb"),
    ("kernel/internal/history", "fsnetlab/kernel/magic"),
    ("kernel/internal/interrupt", "fsnetlab/kernel/wire"),
    ("kernel/gonb/toolchain", "fsnetlab/kernel/wire"),
    ("kernel", "github.com/go-zeromq/zmq4"),
    ("cmd/fsnet", "github.com/go-zeromq/zmq4"),
    ("cmd/fsnet", "math/rand"),
    ("kernel", "github.com/pkg/errors"),
    ("fsnet", "log"),
]

RIGHT = [
    ("fsnet/session", "fsnetlab/fsnet/config"),
    ("fsnet/session", "encoding/json"),
    ("fsnet/config", "fsnetlab/internal/suggest"),
    ("widgets", "fsnetlab/fsnet/session"),
    ("widgets/panel", "fsnetlab/widgets/ipywidgets"),
    ("fsnet", "fsnetlab/fsnet/train"),
    ("fsnet", "fsnetlab/fsnet/dataset"),
    ("fsnet/train", "fsnetlab/fsnet/engine"),
    ("fsnet/train", "fsnetlab/fsnet/train/record"),
    ("fsnet/train/record", "fsnetlab/fsnet/session"),
    ("fsnet/train/record", "fsnetlab/fsnet/saved"),
    ("fsnet/engine", "fsnetlab/fsnet/method/fused"),
    ("fsnet/engine", "fsnetlab/fsnet/device"),
    ("fsnet/engine", "github.com/gomlx/gomlx"),
    ("fsnet/method/fused", "fsnetlab/fsnet/method"),
    ("fsnet/method", "fsnetlab/fsnet/nn"),
    ("fsnet/runs", "fsnetlab/fsnet/fault"),
    ("fsnet/dataset", "fsnetlab/fsnet/dataset/reading"),
    ("fsnet/dataset/reading", "fsnetlab/fsnet/dataset/variables"),
    ("fsnet/dataset/reading", "fsnetlab/fsnet/dataset/word"),
    ("fsnet/dataset/matfile", "github.com/scigolib/matlab"),
    ("fsnet/dataset/arrowfile", "github.com/apache/arrow-go"),
    ("fsnet/replica", "fsnetlab/fsnet"),
    ("fsnet/replica", "fsnetlab/fsnet/metric"),
    ("fsnet/baseline", "fsnetlab/fsnet"),
    ("fsnet/baseline", "fsnetlab/fsnet/dataset"),
    ("fsnet/baseline", "gonum.org/v1/gonum"),
    ("fsnet/baseline/deep", "github.com/gomlx/gomlx"),
    ("fsnet/baseline/registry", "fsnetlab/fsnet/baseline/deep"),
    ("fsnet/compare", "fsnetlab/fsnet"),
    ("fsnet/compare", "fsnetlab/fsnet/baseline"),
    ("fsnet/compare", "fsnetlab/fsnet/metric"),
    ("fsnet/stability", "fsnetlab/fsnet/train"),
    ("fsnet/stability", "fsnetlab/fsnet/baseline"),
    ("fsnet/tune", "fsnetlab/fsnet/compare"),
    ("fsnet/host/trainings", "fsnetlab/fsnet"),
    ("fsnet/host", "fsnetlab/fsnet/runs"),
    ("fsnet/host", "github.com/creachadair/jrpc2"),
    ("kernel", "fsnetlab/widgets/chart"),
    ("kernel", "fsnetlab/fsnet/host"),
    ("kernel/cell", "fsnetlab/fsnet/fault"),
    ("kernel/internal/supervise", "fsnetlab/fsnet/fault"),
    ("kernel/wire", "github.com/go-zeromq/zmq4"),
    ("cmd/fsnet", "fsnetlab/kernel"),
    ("cmd/fsnet", "fsnetlab/fsnet/host"),
]


def reaches(edges, start, goal):
    return start == goal or any(reaches(edges, b, goal) for a, b in edges if a == start)


def groups():
    """The rows, apart where together they would be an import cycle, which the linter cannot read."""
    result = []
    for wrong, rows in ((True, WRONG), (False, RIGHT)):
        for folder, imported in rows:
            edge = (folder, imported.removeprefix("fsnetlab/"))
            for group in result:
                if not reaches({e for e, *_ in group}, edge[1], edge[0]):
                    break
            else:
                group = []
                result.append(group)
            group.append((edge, imported, wrong))
    return result


def package(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.go").write_text("package x\n")


def write(module, group):
    """One file an import, so that a finding names one. Other modules are empty ones of the same name."""
    shutil.copy(ROOT / ".golangci.yml", module)
    expected, requires = set(), set()
    for number, ((folder, target), imported, wrong) in enumerate(group):
        name = pathlib.Path(folder) / f"import{number}.go"
        package(module / folder)
        (module / name).write_text(f'package x\n\nimport _ "{imported}"\n')
        if imported.startswith("fsnetlab/"):
            package(module / target)
        elif "." in imported:
            package(module / "else" / imported)
            (module / "else" / imported / "go.mod").write_text(f"module {imported}\n")
            requires.add(f"require {imported} v0.0.0\nreplace {imported} => ./else/{imported}\n")
        if wrong:
            expected.add((str(name), imported))
    (module / "go.mod").write_text("module fsnetlab\n\ngo 1.26\n" + "".join(sorted(requires)))
    return expected


def problems(group):
    with tempfile.TemporaryDirectory() as directory:
        module = pathlib.Path(directory).resolve()
        expected = write(module, group)
        command = [sys.argv[1], "run", "--enable-only", "depguard", "--output.json.path", "stdout", "--show-stats=false", "./..."]
        process = subprocess.run(command, cwd=module, env=os.environ | {"GOFLAGS": "-mod=mod", "GOPROXY": "off"}, capture_output=True, text=True)
        try:
            issues = json.loads(process.stdout.splitlines()[0])["Issues"] or []
        except (IndexError, ValueError):
            return [f"the linter did not run: {process.stderr}"]
    found = {}
    for issue in issues:
        if issue["FromLinter"] != "depguard":
            return [f"the linter did not come to the imports: {issue['Text']}"]
        found[issue["Pos"]["Filename"], issue["Text"].split("'")[1]] = issue["Text"]
    return (
        [f"let through: {imported} in {file}" for file, imported in sorted(expected - set(found))]
        + [f"refused without cause: {found[key]} in {key[0]}" for key in sorted(set(found) - expected)]
        + [f"no reason given: {text}" for text in found.values() if ": " not in text]
    )


def main():
    found = [problem for group in groups() for problem in problems(group)]
    print(*found, sep="\n") if found else print(f"{len(WRONG)} wrong imports refused with a reason, {len(RIGHT)} right ones let through")
    sys.exit(1 if found else 0)


main()
