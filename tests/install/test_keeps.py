"""What a person made is never removed, wherever FSNET_HOME and the other variables point. Nothing is installed here: what would be
refused is refused before the first write, and a machine without space ends the rest."""

import json
import shutil

import pytest
from conftest import FULL, MARK


@pytest.fixture
def stage(clone):
    clone.stub("df", FULL)
    return clone


def write(directory, *names, text="mine\n"):
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def listed(directory):
    return sorted((str(p.relative_to(directory)), p.is_file() and p.read_bytes()) for p in directory.rglob("*"))


def installed(prefix):
    """What install.sh leaves in its directory."""
    write(prefix, "bin/fsnet", text="…path\tfsnetlab/cmd/fsnet…")
    write(prefix, "bin/gonb", "bin/goimports", "bin/gopls", "logs/python.log", "logs/link.log", "venv/bin/python", "cuda/plugin/x.so", "pjrt/LICENSE")
    write(prefix, "src/fsnet/session/doc.go", text="package session\n")
    write(prefix, "src/go.mod", text="module fsnetlab\n\ngo 1.26.5\n")
    write(prefix, f"venv/{MARK}", text="hash version place\n")
    write(prefix, f"cuda/{MARK}", text="a" * 64 + "\n")
    write(prefix, "pjrt/pjrt_c_api_cpu_v0.1_plugin.so")
    write(prefix, "pjrt/ORIGIN.json", text=json.dumps({"file": "pjrt_c_api_cpu_v0.1_plugin.so", "origin": "a package"}, indent=2))
    write(prefix, MARK, f"src/{MARK}", text="made by install.sh\n")


def kernelspec(directory, command):
    argv = [str(command), "kernel", "--connection-file", "{connection_file}"]
    write(directory, "kernel.json", text=json.dumps({"argv": argv, "display_name": "FsNet (Go)"}, indent=2).replace("\\\\", "\\") + "\n")
    write(directory, "logo-32x32.png")


def refused(stage, *words, verbs=("install", "uninstall"), **variables):
    before = listed(stage.home.parent)
    for verb in verbs:
        result = stage.run(*verb.split(), **variables)
        assert result.status == 2 and "→" in result.err, result
        for word in words:
            assert word in result.err, result
        assert listed(stage.home.parent) == before


def passes_the_checks(stage, **variables):
    result = stage.run(**variables)
    assert result.status == 1 and "GB free, and FsNet needs" in result.err, result


OTHERS = ["{home}/.local", "{home}/.local/", "{home}/.local/.", "{home}//.local", "{home}/x/../.local", "{home}/link", "{home}/link/", "{home}/deep/..", ".local", "./x/../.local/."]
HOME = ["{home}", "{home}/", "{home}/.", "{home}//", "{home}/x/..", "{home}/..", "{home}/self", ".", "{other}"]


@pytest.mark.parametrize(("form", "word"), [*((form, ".local") for form in OTHERS), *((form, "not a directory for FsNet alone") for form in HOME)])
def test_a_directory_of_others_in_every_form(stage, form, word):
    """As it was seen: the directories bin and src of ~/.local are a person's own. And no home, nor what it is in, is for FsNet alone."""
    write(stage.home, ".local/bin/tool", ".local/src/project/main.c", ".local/venv/bin/python", ".local/inner/x", "x/x")
    for link, target in {"link": ".local", "self": ".", "deep": ".local/inner", "../other": stage.home}.items():
        (stage.home / link).symlink_to(target)
    refused(stage, word, FSNET_HOME=form.format(home=stage.home, other=stage.home.parent / "other"))


@pytest.mark.parametrize("form", ["/", "//", "/.", "/usr/.."])
def test_the_root_of_everything(stage, form):
    """Only an installation, which ends for want of space at the latest: an uninstall that is broken would take this machine along."""
    refused(stage, "not a directory for FsNet alone", verbs=["install"], FSNET_HOME=form)


@pytest.mark.parametrize("name", ["bin/gopls", "venv/bin/python", "src/go.mod", "logs/python.log", "cuda/nvcc", ".hidden", "pjrt/main.cc"])
def test_a_foreign_file_under_a_name_of_ours(stage, name):
    """Each alone is enough, by whatever name it goes."""
    write(stage.home / "place", name, text="module fsnetlab\n")
    refused(stage, "place/" + name.split("/")[0], FSNET_HOME=stage.home / "place")


@pytest.mark.parametrize("name", ["venv", "src", "cuda", "cuda.new-1", "src.new"])
def test_a_foreign_directory_in_ours(stage, name):
    """Also a clone named src: it is a module of the same name as the packages of cells."""
    installed(stage.home / "place")
    shutil.rmtree(stage.home / "place" / name, ignore_errors=True)
    write(stage.home / "place", f"{name}/mine")
    refused(stage, f"place/{name}", FSNET_HOME=stage.home / "place")


def test_what_is_no_directory(stage):
    write(stage.home, "place")
    refused(stage, "is not a directory", FSNET_HOME=stage.home / "place")
    (stage.home / "nowhere").symlink_to("gone")
    refused(stage, "is not a directory", FSNET_HOME=stage.home / "nowhere")
    for name in ("venv", "bin"):
        installed(stage.home / name)
        (stage.home / name / name).rename(stage.home / f"{name}-elsewhere")
        (stage.home / name / name).symlink_to(stage.home / f"{name}-elsewhere")
        refused(stage, f"{name}/{name}", FSNET_HOME=stage.home / name)


def test_what_is_ours_is_accepted_and_removed(stage):
    prefix = stage.home / "R&D" / "fsnet"
    installed(prefix)
    kernelspec(stage.home / ".local/share/jupyter/kernels/fsnet", str(prefix / "bin/fsnet").replace("&", "\\u0026"))  # as Go writes it
    (stage.home / ".local/bin").mkdir()
    (stage.home / ".local/bin/fsnet").symlink_to(prefix / "bin/fsnet")
    passes_the_checks(stage, FSNET_HOME=prefix)
    assert stage.run("uninstall", FSNET_HOME=prefix).status == 0
    assert stage.files() == [] and not prefix.exists()


def test_files_of_a_person_among_ours_stay(stage):
    prefix = stage.home / ".local/share/fsnet"
    installed(prefix)
    own = [".local/share/fsnet/" + name for name in ("bin/tool", "logs/diary.log", "notes.txt", "pjrt/pjrt_c_api_cpu_mine_plugin.so")]
    write(stage.home, *own, ".local/bin/fsnet")
    passes_the_checks(stage)
    result = stage.run("uninstall")
    assert result.status == 0 and "notes.txt" in result.out, result
    assert stage.files() == sorted(own + [".local/bin/fsnet"])


def test_a_directory_that_was_there_stays(stage):
    place = stage.home / "place"
    installed(place)
    write(place, MARK, text="found by install.sh\n")
    result = stage.run("uninstall", FSNET_HOME=place)
    assert result.status == 0 and list(place.iterdir()) == [], result


def test_a_plugin_that_was_there_is_no_stranger(stage):
    write(stage.home, ".local/share/fsnet/pjrt/pjrt_c_api_cpu_v1_plugin.so")
    passes_the_checks(stage)
    assert stage.run("uninstall").status == 0
    assert stage.files() == [".local/share/fsnet/pjrt/pjrt_c_api_cpu_v1_plugin.so"]


def test_a_kernel_of_another_stays(stage):
    """That of python -m ipykernel install --user --name fsnet is not written over, either; one of another installation of ours is."""
    installed(stage.home / ".local/share/fsnet")
    spec = stage.home / ".local/share/jupyter/kernels/fsnet"
    kernelspec(spec, "/opt/fsnet/bin/fsnet")
    passes_the_checks(stage)
    before = listed(spec)
    assert stage.run("uninstall").status == 0 and listed(spec) == before
    write(spec, "kernel.json", text=json.dumps({"argv": [str(stage.home / ".local/share/fsnet/python"), "-m", "ipykernel"]}))
    refused(stage, "another kernel of that name", "JUPYTER_DATA_DIR", verbs=["install"])
    before = listed(spec)
    assert stage.run("uninstall").status == 0 and listed(spec) == before


def test_files_beside_the_kernelspec_stay(stage):
    spec = stage.home / "jupyter/kernels/fsnet"
    kernelspec(spec, stage.home / ".local/share/fsnet/bin/fsnet")
    write(spec, "kernel.js")
    assert stage.run("uninstall", JUPYTER_DATA_DIR=stage.home / "jupyter").status == 0
    assert stage.files() == ["jupyter/kernels/fsnet/kernel.js"]


def test_a_link_of_a_person_into_nothing_stays(stage):
    (stage.home / ".local/bin").mkdir(parents=True)
    link = stage.home / ".local/bin/fsnet"
    link.symlink_to("/media/disk/fsnet")
    result = stage.call("link_fsnet")
    assert result.status == 0 and "left" in result.out, result
    assert stage.run("uninstall").status == 0
    assert str(link.readlink()) == "/media/disk/fsnet"


def test_purge_spares_what_lies_where_the_cache_would(stage):
    """XDG_CACHE_HOME is where the clone is, and the clone is called fsnet."""
    write(stage.home, "projects/fsnet/tools/thesis.tex", "projects/fsnet/README.md")
    refused(stage, "projects/fsnet/tools was not made by install.sh", "XDG_CACHE_HOME", verbs=["install", "uninstall --purge", "test lint"], XDG_CACHE_HOME=stage.home / "projects")
    assert stage.run("uninstall", XDG_CACHE_HOME=stage.home / "projects").status == 0
    assert stage.files() == ["projects/fsnet/README.md", "projects/fsnet/tools/thesis.tex"]


def test_purge_spares_an_installation_in_the_same_place(stage):
    installed(stage.home / "all/fsnet")
    refused(stage, "not a directory for FsNet alone", verbs=["install", "uninstall --purge"], XDG_CACHE_HOME=stage.home / "all", XDG_DATA_HOME=stage.home / "all")


@pytest.mark.parametrize("mark", [[f"fsnet/tools/{MARK}"], []])
def test_purge_removes_the_tools_and_the_programs_and_no_more(stage, mark):
    """fsnet of a wheel may have run before the first installation: XLA's compiled programs lie beside the tools, whose mark may be lost."""
    ours = ["fsnet/tools/gopls-v1/gopls", *mark, "fsnet/programs/" + 64 * "a", "fsnet/programs/.fsnet-123"]
    write(stage.home / "caches", *ours, "fsnet/mine", "fsnet/programs/mine", "other/file")
    passes_the_checks(stage, XDG_CACHE_HOME=stage.home / "caches")
    assert stage.run("uninstall", XDG_CACHE_HOME=stage.home / "caches").status == 0
    assert len(stage.files()) == 7
    assert stage.run("uninstall", "--purge", XDG_CACHE_HOME=stage.home / "caches").status == 0
    assert stage.files() == ["caches/fsnet/mine", "caches/fsnet/programs/mine", "caches/other/file"]


@pytest.mark.parametrize("name", [".home", "out"])
def test_what_a_person_put_where_the_tests_work(stage, name):
    write(stage.root, f"tests/{name}/mine")
    refused(stage, f"tests/{name} was not made by install.sh", verbs=["uninstall", "test format"])


def test_what_the_tests_left_goes(stage):
    write(stage.root, f"tests/.home/{MARK}", "tests/.home/x", f"tests/out/{MARK}", "tests/out/logs/unit.log")
    assert stage.run("uninstall").status == 0
    assert not list((stage.root / "tests").iterdir())


def test_only_what_bears_the_mark_is_replaced(stage):
    """The steps themselves look, too, not only the check before them."""
    write(stage.home, "ours/file", f"ours/{MARK}", "theirs/file")
    assert stage.call('anew "$HOME/ours"').status == 0
    assert [p.name for p in (stage.home / "ours").iterdir()] == [MARK]
    result = stage.call('anew "$HOME/theirs"; echo never')
    assert result.status == 1 and "move it away" in result.err and "never" not in result.out, result
    assert stage.files().count("theirs/file") == 1
