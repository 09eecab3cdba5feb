"""CUDA: which version is chosen, what is unpacked, and that an interrupted download goes on. The packages themselves are gigabytes, so
wheels made here stand for them; the lists are compared with what the plugin asks for."""

import hashlib
import json
import os
import re
import sys
import time
import zipfile

import pytest
from conftest import MARK, wheel

SMI = 'case "$*" in *driver_version*) echo "{driver}" ;; *compute_cap*) printf "{capability}\\n" ;; esac'


@pytest.mark.parametrize(
    "driver, capability, asked, version",
    [
        ("580.159.03", "9.0", "auto", "13"),
        ("590.1", "7.5", "auto", "13"),
        ("580.159.03", "7.0", "auto", "12"),
        ("580.159.03", "9.0\\n6.1", "auto", "12"),
        ("575.57.08", "9.0", "auto", "12"),
        ("525.60.13", "8.0", "auto", "12"),
        ("575.57.08", "9.0", "13", "13"),
        ("580.159.03", "9.0", "12", "12"),
        ("", "", "auto", "13"),
    ],
)
def test_version_by_driver_and_gpu(stage, driver, capability, asked, version):
    stage.stub("nvidia-smi", SMI.format(driver=driver, capability=capability))
    result = stage.call(f"cuda_version {asked}")
    assert result.out.split() == [version], result


def test_lists_name_exact_versions_with_hashes(root):
    for version in ("12", "13"):
        lines = (root / f"install/python/cuda{version}.txt").read_text().splitlines()
        for line in lines:
            assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}", line), line
        names = [line.split("==")[0] for line in lines]
        assert names[0] == f"jax-cuda{version}-pjrt"
        cpu = (root / "install/python/pjrt.txt").read_text()
        assert lines[0].split()[0].split("==")[1] == cpu.split()[0].split("==")[1], "both plugins are of one XLA"
        for part in ("cublas", "cudnn", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cuda-cupti", "cufft", "cusolver", "cusparse", "nccl", "nvjitlink", "nvshmem"):
            assert any(name.startswith(f"nvidia-{part}") for name in names), part


@pytest.fixture
def small(clone, tmp_path):
    """An installation with lists of two small packages, a folder of their wheels, and a Python environment."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    made = [
        wheel(wheels, "jax_cuda13_pjrt", "0.1.2", {"jax_plugins/xla_cuda13/__init__.py": "", "jax_plugins/xla_cuda13/xla_cuda_plugin.so": "plugin"}),
        wheel(wheels, "nvidia_cublas", "13.1", {f"nvidia/{name}": "" for name in (
            "cu13/lib/libcublas.so.13", "cu13/lib/libcublas_static.a", "cu13/include/cublas.h", "cu13/bin/ptxas", "cu13/bin/nvcc",
            "cu13/nvvm/libdevice/libdevice.10.bc", "../../../elsewhere/lib/x.so")}),
    ]
    sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in made]
    listed = clone.root / "install/python/cuda13.txt"
    listed.write_text(f"jax-cuda13-pjrt==0.1.2 --hash=sha256:{sums[0]}\nnvidia-cublas==13.1 --hash=sha256:{sums[1]}\n")
    prefix = clone.home / ".local/share/fsnet"
    python = prefix / "venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)

    def install():
        return clone.call(f'python="{sys.executable}"\ncuda_plugin 13', PIP_NO_INDEX="1", PIP_FIND_LINKS=wheels)

    return prefix / "cuda", install, listed, wheels


def laid_out(cuda):
    return sorted(str(path.relative_to(cuda)) for path in cuda.rglob("*") if path.is_file())


WANTED = [
    MARK,
    "licenses/nvidia_cublas-13.1.txt",
    "nvidia/cu13/bin/ptxas",
    "nvidia/cu13/lib/libcublas.so.13",
    "nvidia/cu13/nvvm/libdevice/libdevice.10.bc",
    "plugin/ORIGIN.json",
    "plugin/pjrt_c_api_cuda_v0.1.2_plugin.so",
]


def test_unpacks_what_is_needed_and_nothing_else(small):
    cuda, install, _, wheels = small
    result = install()
    assert result.status == 0, result
    assert laid_out(cuda) == WANTED
    assert os.access(cuda / "nvidia/cu13/bin/ptxas", os.X_OK)
    record = json.loads((cuda / "plugin/ORIGIN.json").read_text())
    assert record["origin"] == "the Python package jax-cuda13-pjrt" and record["version"] == "0.1.2"
    with zipfile.ZipFile(next(wheels.glob("jax*"))) as z:
        date = z.getinfo("jax_plugins/xla_cuda13/xla_cuda_plugin.so").date_time
    assert time.gmtime((cuda / "plugin/pjrt_c_api_cuda_v0.1.2_plugin.so").stat().st_mtime)[:6] == date, "compiled programs are kept by it"
    assert not list(cuda.parent.glob("cuda.new-*"))


def test_goes_on_after_an_interruption(small):
    cuda, install, _, wheels = small
    aside = wheels / "aside"
    aside.mkdir()
    second = next(wheels.glob("nvidia_cublas*"))
    second.rename(aside / second.name)
    result = install()
    assert result.status != 0 and not cuda.exists(), result
    half = next(cuda.parent.glob("cuda.new-*"))
    plugin = half / "plugin/pjrt_c_api_cuda_v0.1.2_plugin.so"
    before = plugin.stat().st_ino
    (aside / second.name).rename(second)
    result = install()
    assert result.status == 0, result
    assert laid_out(cuda) == WANTED
    assert (cuda / "plugin" / plugin.name).stat().st_ino == before, "it was fetched twice"


def test_is_not_fetched_twice_but_anew_where_the_list_changed(small):
    cuda, install, listed, wheels = small
    assert install().status == 0
    before = (cuda / MARK).stat().st_ino
    assert install().status == 0 and (cuda / MARK).stat().st_ino == before
    listed.write_text(listed.read_text().splitlines()[0] + "\n")
    assert install().status == 0
    assert not (cuda / "nvidia").exists() and (cuda / "plugin").exists()


def test_another_content_is_refused(small):
    cuda, install, listed, _ = small
    listed.write_text(listed.read_text()[:-3] + "00\n")
    result = install()
    assert result.status != 0 and "DO NOT MATCH THE HASHES" in result.out + result.err, result
    assert not cuda.exists()


def test_uninstall_removes_it(clone):
    prefix = clone.home / ".local/share/fsnet"
    for name in (".", "cuda", "cuda.new-0123456789ab"):
        (prefix / name).mkdir(parents=True, exist_ok=True)
        (prefix / name / MARK).write_text("made by install.sh\n")
    result = clone.run("uninstall")
    assert result.status == 0 and not prefix.exists(), result
