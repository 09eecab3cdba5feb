"""What goes to machines without a clone: the wheel in an empty environment without Go and a C compiler, the archive, and what is said of
them."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import zipfile

import pytest
from conftest import Stage
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
from packaging.requirements import Requirement

SETTLE = 300  # seconds to wait for what takes a few
FIRST_PICTURE = 60  # seconds from the end of pip to a picture in a notebook


@pytest.fixture(scope="module")
def released(root, tmp_path_factory):
    home = tmp_path_factory.mktemp("builder")
    packed = {"FSNET_PACK_LEVEL": 1}  # in a third of the time, and a tenth larger
    result = Stage(root, home, home / "programs").run("release", "linux/amd64", "linux/arm64", "darwin/arm64", timeout=2400, **packed)
    assert result.status == 0, result
    assert result.out.count("untested, without XLA: it trains on the Go backend") == 2, result  # not of the first platform
    assert list(home.glob(".local")) == []  # it builds and does not install
    return root / "dist"


@pytest.fixture(scope="module")
def wheel(released):
    return next(released.glob("fsnetlab-*x86_64.whl"))


@pytest.fixture(scope="module")
def user(root, wheel, tmp_path_factory):
    """Somebody who has Python and nothing to build with. The packages that pip would fetch besides are those of the tests."""
    place = tmp_path_factory.mktemp("user")
    home = place / "a home"
    home.mkdir()
    stage = Stage(root, home, place / "programs")
    stage.only("go", "gofmt", "gonb", "goimports", "gopls", "fsnet", "cc", "c++", "c89*", "c99*", "gcc*", "g++*", "cpp*", "clang*", "*-gcc*", "*-g++*", "tcc", "zig")
    for name in ("PJRT_PLUGIN_LIBRARY_PATH", "CC", "CXX", "GOPATH", "GOBIN"):
        stage.environment.pop(name, None)
    stage.prefix = place / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(stage.prefix)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(stage.prefix / "bin/python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", str(wheel)], check=True)
    stage.installed = time.monotonic()
    return stage


@pytest.fixture
def kernel(user):
    manager = KernelManager(kernel_name="fsnet", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(user.prefix / "share/jupyter/kernels")]))
    manager.start_kernel(env=user.environment, cwd=str(user.home))
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=SETTLE)

    def run(code):
        said = []
        reply = client.execute_interactive(code, timeout=SETTLE, output_hook=lambda message: said.append(message["content"].get("data", {})))
        return reply["content"], [data for data in said if data]

    yield run
    client.stop_channels()
    manager.shutdown_kernel()


def test_verbs_and_pictures_without_a_compiler(user, kernel, measured):
    """It is the first to use what pip has just installed."""
    reply, said = kernel("%fsnet open a data=ALLAML k=3 seed=1")
    assert reply["status"] == "ok" and "xla:cpu" in said[-1]["text/plain"], said
    reply, said = kernel("%fsnet matrix")
    took = time.monotonic() - user.installed
    assert reply["status"] == "ok" and base64.b64decode(said[-1]["image/png"]).startswith(b"\x89PNG"), said
    measured(f"the wheel's first picture: {took:.1f} s after pip")
    assert took < FIRST_PICTURE
    reply, said = kernel("%fsnet panel")
    assert reply["status"] == "ok" and "application/vnd.jupyter.widget-view+json" in said[-1], said


def test_go_cells_say_in_a_line_what_they_need(kernel):
    reply, _ = kernel('fmt.Println("hello")')
    assert reply["status"] == "error"
    assert re.fullmatch(r"Go cells need (go, )?gonb, goimports: .*\./install\.sh in a clone of FsNet Lab; %fsnet lines work without it", reply["evalue"]), reply


def test_the_doctor_finds_the_wheel_whole(user):
    process = subprocess.run([str(user.prefix / "bin/fsnet"), "doctor", "--json"], env=user.environment, capture_output=True, text=True)
    found = {finding["subject"]: finding for finding in json.loads(process.stdout)}
    assert process.returncode == 0, process
    assert "share/fsnetlab/pjrt" in found["plugin xla:cpu"]["text"] and "from the Python package lammps-jax-pjrt-cpu" in found["plugin xla:cpu"]["text"], found
    assert str(user.prefix) in found["kernelspec"]["text"], found
    assert found["gonb"]["state"] == "note" and "%fsnet lines work without it" in found["gonb"]["remedy"], found


def test_python_imports_what_pip_installed(user):
    """The example of docs/python.md as it stands, on the packages of the tests, without the command on the PATH."""
    pytest.importorskip("sklearn", reason="scikit-learn is among the tests' packages from Python 3.11 on")
    page = (user.root / "docs/python.md").read_text(encoding="utf-8")
    example = "".join(re.findall(r"^```python\n(.*?)^```", page[: page.index("## Single cells")], re.M | re.S))
    script = f"{example}\nprint(fsnetlab.__file__, fsnetlab.command.find(), sep='\\n')"
    process = subprocess.run([str(user.prefix / "bin/python"), "-c", script], env=user.environment | {"PYTHONPATH": sysconfig.get_path("purelib")},
                             cwd=user.home, capture_output=True, text=True, timeout=SETTLE)
    assert process.returncode == 0, process
    package, command = process.stdout.splitlines()[-2:]
    assert package.startswith(str(user.prefix)) and command == str(user.prefix / "bin/fsnet")


def test_the_wheel_asks_for_what_was_tested(root, wheel):
    with zipfile.ZipFile(wheel) as z:
        metadata = z.read(next(name for name in z.namelist() if name.endswith("/METADATA"))).decode()
    lists = "".join((root / "install/python" / name).read_text() for name in ("jupyter.in", "methods.txt"))
    pins = dict(re.findall(r"^([\w-]+)==(\S+)", lists, re.M))
    wanted = [Requirement(text) for text in re.findall(r"^Requires-Dist: (.*)$", metadata, re.M)]
    assert {r.name for r in wanted} == {"anywidget", "jupyterlab_widgets", "scikit-learn", "Boruta", "skrebate", "ipss", "lassonet"}
    for requirement in wanted:
        assert requirement.specifier.contains(pins[requirement.name]), requirement


def test_every_module_has_its_licence_and_is_in_the_bill(released, wheel, user):
    linked = {}
    program = subprocess.run(["go", "version", "-m", str(user.prefix / "bin/fsnet")], capture_output=True, text=True, check=True).stdout
    for path, version in re.findall(r"^\tdep\t(\S+)\t(\S+)", program, re.M):
        linked[path] = version
    assert len(linked) > 20
    bill = json.loads(next(released.glob("*-linux-amd64.cdx.json")).read_text())
    assert linked.items() <= {(part["name"], part["version"]) for part in bill["components"]}
    notices = (user.prefix / "share/fsnetlab/THIRD_PARTY_NOTICES").read_text()
    assert [path for path in linked if f"\n{path} {linked[path]}: " not in notices] == []


def test_the_archive_is_the_same_tree(released, wheel, user):
    with tarfile.open(next(released.glob("*-linux-amd64.tar.gz"))) as tar:
        names = {member.name.split("/", 1)[1]: member.mode for member in tar.getmembers()}
    assert names["bin/fsnet"] == 0o755 and "share/man/man1/fsnet-fit.1" in names
    assert [name for name in names if not (user.prefix / name).is_file()] == []


def test_checksums(released):
    lines = (released / "SHA256SUMS").read_text().splitlines()
    assert len(lines) == 9
    for line in lines:
        digest, name = line.split("  ")
        assert hashlib.sha256((released / name).read_bytes()).hexdigest() == digest, name


@pytest.mark.parametrize(
    "platform, tag, machine",
    [("linux-arm64", "manylinux_2_17_aarch64", b"\x7fELF.{14}\xb7\x00"), ("darwin-arm64", "macosx_12_0_arm64", b"\xcf\xfa\xed\xfe\x0c\x00\x00\x01")],
)
def test_another_platform_is_built_and_marked_untested(released, platform, tag, machine):
    """Without a C compiler for it: a program of that machine that needs no library, and words that say so. It is not run."""
    with tarfile.open(next(released.glob(f"*-{platform}-untested.tar.gz"))) as tar:
        members = {member.name.split("/", 1)[1]: member for member in tar.getmembers()}
        program = tar.extractfile(members["bin/fsnet"]).read(64)
        words = tar.extractfile(members["share/fsnetlab/UNTESTED"]).read().decode()
    assert re.match(machine, program, re.S)
    assert "Its tests have not run there" in words and "without XLA" in words and not any("pjrt" in name for name in members)
    with zipfile.ZipFile(next(released.glob(f"*-0untested-py3-none-{tag}.whl"))) as z:
        metadata = z.read(next(name for name in z.namelist() if name.endswith("/METADATA"))).decode()
    assert "(untested build)" in metadata and "without XLA" in metadata


def test_the_module_gets_its_public_path(root, tmp_path):
    """By the command of docs/internals.md, in a copy: every import is found there, and nothing has the old path any more."""
    page = (root / "docs/internals.md").read_text(encoding="utf-8")
    command = re.search(r"^python3 install/release/rename\.py github\.com/OWNER/fsnetlab && gofmt -w \.$", page, re.M)[0]
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\0")[:-1]
    for name in tracked:
        if (root / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tmp_path / name)
    script = f"git init -q && git add -A && {command} && gofmt -l . && go list -mod=mod -deps -test ./... >imports"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and re.fullmatch(r"\d{3,} files name the module github\.com/OWNER/fsnetlab now; .*\n", done.stdout), done
    imports = (tmp_path / "imports").read_text()
    assert "github.com/OWNER/fsnetlab/cmd/fsnet\n" in imports and not re.search("^fsnetlab", imports, re.M)
    old = re.compile(r"(?<!OWNER/)\bfsnetlab/(cmd|fsnet|install|internal|kernel|tests|widgets)\b")
    texts = {name: (tmp_path / name).read_bytes().decode(errors="replace") for name in tracked if (tmp_path / name).is_file()}
    assert [name for name, text in texts.items() if old.search(text)] == []
