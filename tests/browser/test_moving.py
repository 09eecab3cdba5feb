"""The moving picture of the panel, in README and documentation: every frame is a screenshot of a training that is pressed on."""

import base64
import os
import pathlib
import re

import pytest
from moving import animated, frames_of
from test_panel import Panel

PICTURE = pathlib.Path(__file__).resolve().parents[2] / "docs/images/panel-moving.png"
CELLS = ["%fsnet open moving data=ALLAML k=10 seed=1 replace=true", "%fsnet panel"]
STEPS = 100
WIDE, HIGH = 848, 1090
MOST = 1_500_000


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "moving", first=(0, 1))


def test_the_panel_moves(notebook, out):
    page, panel = notebook.page, Panel(notebook)
    page.set_viewport_size({"width": 1280, "height": 1280})
    panel.root.evaluate("(e, high) => { e.style.minHeight = `${high}px` }", HIGH)  # legends that wrap make it grow: the frames are of one size
    frames = []

    def look():
        page.mouse.move(1, 1)  # no button or curve is pointed at
        panel.root.evaluate("e => e.scrollIntoView({block: 'start'})")
        page.wait_for_timeout(400)  # what has been drawn has been painted
        box = panel.root.bounding_box()
        frames.append(page.screenshot(clip={"x": round(box["x"]), "y": round(box["y"]), "width": WIDE, "height": HIGH}))

    panel.press("Step 10")
    panel.wait_for("step", "^10 of")
    panel.wait_for_curves(10)
    for step in range(110, 1100, STEPS):
        panel.press(f"Step {STEPS}")
        panel.wait_for("step", rf"^{step} of")
        panel.wait_for_curves(step)
        look()
    moving = animated(frames, 0.7, 3)
    (out / PICTURE.name).write_bytes(moving)
    assert len(set(frames)) == len(frames) == 10 == frames_of(moving) and len(moving) < MOST, [len(f) for f in frames]
    # Chromium takes it for a picture, of the size that was drawn.
    read = "async data => { const i = new Image(); i.src = data; await i.decode(); return [i.naturalWidth, i.naturalHeight] }"
    size = page.evaluate(read, "data:image/png;base64," + base64.b64encode(moving).decode())
    assert size == [WIDE, HIGH]
    if os.environ.get("FSNET_UPDATE"):
        PICTURE.write_bytes(moving)
    kept = PICTURE.read_bytes()
    assert frames_of(kept) == 10 and len(kept) < MOST
    assert kept[16:24] == moving[16:24], "it is of another size in docs/images: run the test with FSNET_UPDATE=1, and look at it"


def test_it_is_shown_with_words():
    for page in ("docs/views.md",):
        words = re.search(r"!\[([^\]]+)\]\(images/panel-moving\.png\)", (PICTURE.parents[2] / page).read_text(encoding="utf-8"))
        assert words and len(words[1]) > 60
