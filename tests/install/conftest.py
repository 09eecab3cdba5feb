"""A stage on which install.sh runs: a home of its own, and a PATH on which programs can be missing, old or broken."""

import os
import pathlib
import shutil
import subprocess
import zipfile

import pytest


MARK = ".fsnet-made-from"  # the file by which install.sh knows a directory that it made
FULL = 'printf "x\\nx 1 1 1 1 x\\n"'  # a df without space, so that an installation ends after the checks


class Result:
    def __init__(self, process):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr

    def __repr__(self):
        return f"status {self.status}\n--- standard output\n{self.out}\n--- standard error\n{self.err}"


class Stage:
    def __init__(self, root, home, programs):
        self.root, self.home, self.programs = root, home, programs
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("FSNET_", "JUPYTER", "XDG_DATA", "XDG_CONFIG", "XDG_STATE", "PIP_REQ", "CI", "XLA_"))
        } | {"HOME": str(home)}

    def run(self, *arguments, timeout=900, **variables):
        return self.spawn([self.root / "install.sh", *arguments], timeout, variables)

    def call(self, script, **variables):
        """Runs a few lines with the functions of install.sh, their notes on standard output."""
        text = f'set -- help\n. "{self.root}/install.sh" >/dev/null\nplaces\nexec 3>&1\n{script}\n'
        return self.spawn(["bash", "-c", text], 900, variables)

    def spawn(self, words, timeout, variables):
        environment = self.environment | {name: str(value) for name, value in variables.items()}
        words = [str(word) for word in words]
        return Result(subprocess.run(words, env=environment, cwd=self.home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout))

    def only(self, *without):
        """Sets a PATH without these programs."""
        self.programs.mkdir(exist_ok=True)
        for directory in os.environ["PATH"].split(os.pathsep):
            for program in pathlib.Path(directory).glob("*") if directory else []:
                link = self.programs / program.name
                if not any(program.match(pattern) for pattern in without) and not os.path.lexists(link):
                    link.symlink_to(program)
        self.environment["PATH"] = str(self.programs)

    def stub(self, name, script):
        """Puts a fake program first on the PATH."""
        self.programs.mkdir(exist_ok=True)
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)
        if str(self.programs) not in self.environment["PATH"].split(os.pathsep):
            self.environment["PATH"] = f"{self.programs}{os.pathsep}{self.environment['PATH']}"

    def files(self):
        """Lists the files in the home, without those of go and pip."""
        foreign = (".config/go", ".rustup", "go", ".cache/go-build", ".cache/pip")
        found = [str(path.relative_to(self.home)) for path in self.home.rglob("*") if not path.is_dir() or path.is_symlink()]
        return sorted(name for name in found if not name.startswith(tuple(f + "/" for f in foreign)))


def wheel(directory, package, version, members, tag="py3-none-manylinux_2_27_x86_64", python=">=3.99"):
    """Writes a package that pip installs."""
    path = directory / f"{package}-{version}-{tag}.whl"
    info = f"{package}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as z:
        for name, text in members.items():
            z.writestr(name, text)
        z.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nRequires-Python: {python}\n")
        z.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n")
        z.writestr(f"{info}/RECORD", "")
        z.writestr(f"{info}/licenses/License.txt", "terms")
    return path


@pytest.fixture
def stage(root, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return Stage(root, home, tmp_path / "programs")


@pytest.fixture
def clone(root, stage):
    """A stage of a copy of the installer, since uninstall removes what the tests left in the clone: here, the environment of this very test."""
    copy = stage.home.parent / "clone"
    shutil.copytree(root / "install", copy / "install")
    for name in ("install.sh", "go.mod"):
        shutil.copy(root / name, copy)
    return Stage(copy, stage.home, stage.programs)
