"""The pictures of the documentation are of today's program: those drawn without a browser are drawn here, and whatever lies beside them is a
browser test's. FSNET_UPDATE=1 puts both in docs/images: look at them."""

import os
import pathlib
import re
import shutil
import struct
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
SCREENSHOTS = {"panel-moving", "panel", "matrix-live", "anneal", "table"}  # tests/browser
DRAWN = ["curves", "convergence", "heatmap", "pca", "distributions"]
LINES = """
open leukemia data=ALLAML k=10 seed=1
run epoch=100
set lambda=0.1
run
curves > curves.png
convergence > convergence.png
heatmap test=true > heatmap.png
pca > pca.png
distributions > distributions.png
"""


def size(picture):
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n"), picture
    return struct.unpack(">II", data[16:24])


@pytest.fixture(scope="module")
def drawn(tmp_path_factory, as_users):
    place = tmp_path_factory.mktemp("pictures")
    done = subprocess.run(["fsnet", "repl"], input=LINES, cwd=place, env=as_users, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


@pytest.mark.parametrize("name", DRAWN)
def test_it_is_drawn_by_these_lines(drawn, name):
    picture, kept = drawn / f"{name}.png", IMAGES / f"{name}.png"
    if os.environ.get("FSNET_UPDATE"):
        shutil.copy(picture, kept)
    # Another processor may round to other genes, whose names are longer or shorter: the sizes agree to a tenth.
    for mine, theirs in zip(size(picture), size(kept)):
        assert abs(mine - theirs) <= theirs / 10, "docs/images has another picture: run the test with FSNET_UPDATE=1, and look at it"


def test_every_picture_is_made_and_shown():
    shown = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        shown |= set(re.findall(r"images/([\w-]+)\.png\)", page.read_text(encoding="utf-8")))
    assert {picture.stem for picture in IMAGES.iterdir()} == shown == SCREENSHOTS | set(DRAWN)
