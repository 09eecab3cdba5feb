"""What the machine lacks is said at once, with a remedy, and nothing is touched."""

import sys

import pytest
from conftest import FULL

GO = 'case "$*" in "env GOVERSION") {} ;; "env CC") echo cc ;; esac'
SPACE = 'printf "Filesystem x\\ndisk 9 9 {} 9%% /\\n"'
TOO_OLD_A_GO = "go: go.mod requires go >= 1.26.5 (running go 1.24.1; GOTOOLCHAIN=local)"
COMPILERS = ["cc", "gcc*", "clang*", "c89*", "c99*", "x86_64*", "aarch64*"]


def refused(stage, *texts, arguments=()):
    result = stage.run(*arguments)
    assert result.status == 1 and "nothing was installed" in result.err, result
    assert [text for text in texts if text not in result.err] == [], result
    assert stage.files() == []
    return result


@pytest.mark.parametrize(("without", "stubs", "texts"), [
    (["go", "gofmt"], {}, ["Go is not installed", "install Go 1.26.5 or later"]),
    ([], {"go": GO.format(f'echo "{TOO_OLD_A_GO}" >&2; exit 1')}, [TOO_OLD_A_GO, "GOTOOLCHAIN=auto"]),
    (COMPILERS, {}, ["there is no C compiler", "CC"]),
    ([], {"brokencc": "echo 'stdlib.h: No such file' >&2; exit 1"}, ["the C compiler brokencc does not compile", "stdlib.h: No such file"]),
    (["python*"], {}, ["Python is not installed", "3.10"]),
    (["python*"], {"python3": "echo 3.8.10"}, ["Python 3.8.10 is too old", "PYTHON"]),
    (["python*"], {"python3": f'case "$*" in *"import venv"*) exit 1 ;; esac\nexec "{sys.executable}" "$@"'}, ["has no venv module", "python3-venv"]),
    ([], {"df": SPACE.format(1048576)}, ["has 1 GB free, and FsNet needs 4", "FSNET_HOME"]),
    ([], {"uname": 'case "$1" in -s) echo MINGW64_NT-10.0 ;; *) echo x86_64 ;; esac'}, ["Windows", "WSL 2"]),
    (["go", "gofmt", *COMPILERS, "python*"], {}, ["Go is not installed", "no C compiler", "Python is not installed", "3 of the things that it needs are missing"]),
])
def test_what_is_missing(stage, without, stubs, texts):
    if without:
        stage.only(*without)
    for name, script in stubs.items():
        stage.stub(name, script)
    if "brokencc" in stubs:
        stage.environment["CC"] = "brokencc"
    result = refused(stage, *texts)
    assert result.err.count("→") == 2 + 2 * (len(texts) == 4)


@pytest.mark.parametrize("version, accepted", [("go1.9.7", False), ("go1.26", False), ("go1.26.4", False), ("go1.26.5", True), ("go1.27rc1", True), ("go2.0", True)])
def test_version_of_go(stage, version, accepted):
    stage.stub("go", GO.format(f"echo {version}"))
    stage.stub("df", FULL)
    result = refused(stage, "GB free, and FsNet needs")
    assert ("is too old" not in result.err) == accepted, result


@pytest.mark.parametrize("python, text", [("/nonexistent/python", "/nonexistent/python is not installed"), ("oldpython", "Python 3.9.18 is too old")])
def test_python_that_was_named(stage, python, text):
    stage.stub("oldpython", "echo 3.9.18")
    stage.environment["PYTHON"] = python
    refused(stage, text)


def test_newer_python_beside_an_old_one(stage):
    stage.only("python*")
    stage.stub("python3", "echo 3.8.10")
    stage.stub("python3.11", f'exec "{sys.executable}" "$@"')
    stage.stub("df", FULL)
    assert "Python" not in refused(stage, "GB free").err


@pytest.mark.parametrize(("name", "script", "text"), [
    ("df", SPACE.format(4718592), "has 4 GB free, and CUDA needs 5"),  # enough for everything else
    ("nvidia-smi", "echo 470.256.02", "NVIDIA's driver 470.256.02 is too old for CUDA"),
    ("uname", 'case "$1" in -s) echo Darwin ;; *) echo arm64 ;; esac', "the CUDA plugin is for Linux on amd64, and this is darwin/arm64"),
])
def test_machine_without_cuda(stage, name, script, text):
    stage.stub(name, script)
    refused(stage, text, arguments=["--cuda"])
