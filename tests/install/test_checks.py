"""What the machine lacks is said at once, with a remedy, and nothing is touched."""

import sys

import pytest

REAL_PYTHON = sys.executable


def refused(stage, *texts):
    result = stage.run()
    assert result.status == 1, result
    for text in texts:
        assert text in result.err, result
    assert "nothing was installed" in result.err, result
    assert stage.files() == []
    return result


def test_no_go(stage):
    stage.only("go", "gofmt")
    refused(stage, "Go is not installed", "install Go 1.26.5 or later")


@pytest.mark.parametrize("version, accepted", [("go1.9.7", False), ("go1.26", False), ("go1.26.4", False), ("go1.26.5", True), ("go1.27rc1", True), ("go2.0", True)])
def test_version_of_go(stage, version, accepted):
    stage.stub("go", f'case "$*" in "env GOVERSION") echo {version} ;; "env CC") echo cc ;; esac')
    stage.stub("df", 'printf "x\\nx 1 1 1 1 x\\n"')  # so that it ends after the checks
    result = refused(stage, "GB free and needs")
    assert ("is too old" not in result.err) == accepted, result


def test_go_that_may_not_fetch_a_newer_one(stage):
    said = "go: go.mod requires go >= 1.26.5 (running go 1.24.1; GOTOOLCHAIN=local)"
    stage.stub("go", f'case "$*" in "env GOVERSION") echo "{said}" >&2; exit 1 ;; "env CC") echo cc ;; esac')
    refused(stage, said, "GOTOOLCHAIN=auto")


def test_no_compiler(stage):
    stage.only("cc", "gcc*", "clang*", "c89*", "c99*", "x86_64*", "aarch64*")
    refused(stage, "there is no C compiler", "CC")


def test_compiler_without_headers(stage):
    stage.stub("brokencc", "echo 'fatal error: stdlib.h: No such file or directory' >&2; exit 1")
    stage.environment["CC"] = "brokencc"
    refused(stage, "the C compiler brokencc does not compile", "stdlib.h: No such file")


def test_no_python(stage):
    stage.only("python*")
    refused(stage, "Python is not installed", "3.10")


def test_old_python(stage):
    stage.only("python*")
    stage.stub("python3", "echo 3.8.10")
    refused(stage, "Python 3.8.10 is too old", "PYTHON")


@pytest.mark.parametrize("python, text", [("/nonexistent/python", "/nonexistent/python is not installed"), ("oldpython", "Python 3.9.18 is too old")])
def test_python_that_was_named(stage, python, text):
    stage.stub("oldpython", "echo 3.9.18")
    stage.environment["PYTHON"] = python
    refused(stage, text)


def test_newer_python_beside_an_old_one(stage):
    stage.only("python*")
    stage.stub("python3", "echo 3.8.10")
    stage.stub("python3.11", f'exec "{REAL_PYTHON}" "$@"')
    stage.stub("df", 'printf "x\\nx 1 1 1 1 x\\n"')
    result = refused(stage, "GB free")
    assert "Python" not in result.err, result


def test_no_venv(stage):
    stage.only("python*")
    stage.stub("python3", f'case "$*" in *"import venv"*) exit 1 ;; esac\nexec "{REAL_PYTHON}" "$@"')
    refused(stage, "has no venv module", "python3-venv")


def test_no_space(stage):
    stage.stub("df", 'printf "Filesystem x\\ndisk 9 9 1048576 9%% /\\n"')
    refused(stage, "has 1 GB free and needs 4", "FSNET_HOME")


def test_other_platform(stage):
    stage.stub("uname", 'case "$1" in -s) echo MINGW64_NT-10.0 ;; *) echo x86_64 ;; esac')
    refused(stage, "Windows", "WSL 2")


def test_no_space_for_cuda(stage):
    stage.stub("df", 'printf "Filesystem x\\ndisk 9 9 4718592 9%% /\\n"')  # enough for everything else
    result = stage.run("--cuda")
    assert result.status == 1 and "has 4 GB free, and CUDA needs 5" in result.err, result
    assert stage.files() == []


def test_driver_that_is_too_old_for_cuda(stage):
    stage.stub("nvidia-smi", "echo 470.256.02")
    result = stage.run("--cuda")
    assert result.status == 1 and "NVIDIA's driver 470.256.02 is too old for CUDA" in result.err and "525" in result.err, result
    assert stage.files() == []


def test_platform_without_cuda(stage):
    stage.stub("uname", 'case "$1" in -s) echo Darwin ;; *) echo arm64 ;; esac')
    result = stage.run("--cuda")
    assert result.status == 1 and "the CUDA plugin is for Linux on amd64, and this is darwin/arm64" in result.err, result
    assert stage.files() == []


def test_everything_at_once(stage):
    stage.only("go", "gofmt", "cc", "gcc*", "clang*", "c89*", "c99*", "x86_64*", "aarch64*", "python*")
    result = refused(stage, "Go is not installed", "no C compiler", "Python is not installed", "3 of the things that it needs are missing")
    assert result.err.count("→") == 4
