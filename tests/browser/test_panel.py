"""The training's panel: driven, with a fork beside it, while a Go cell runs, reloaded in mid-run, and its pictures for the documentation."""

import base64
import os
import re
import struct
import zlib

import pytest
from lab import wait_until_painted
from painted import BLUE, BROWN, GREEN, PURPLE, VERMILLION, WINE, Screen, lighter
from playwright.sync_api import expect
from views import ENDLESS, IMAGES, pictures, uncaught

CELLS = [
    "%fsnet open steered data=ALLAML k=10 seed=1 epochs=2000 stop=never validation_fraction=0.2 replace=true",
    "%fsnet panel",
    'import "time"\n%%\nfor began := time.Now(); time.Since(began) < 10*time.Minute; {\n}',
    "%fsnet status",
]
OPEN, PANEL, LOOP, STATUS = range(4)
BUSY = "i => document.querySelectorAll('.jp-CodeCell')[i].querySelector('.jp-InputArea-prompt').innerText.includes('*')"


class Panel:
    """The panel below a cell."""

    def __init__(self, notebook, index=PANEL):
        self.notebook = notebook
        self.root = notebook.code.nth(index).locator(".fsnet-panel").first
        self.root.wait_for()

    def fact(self, name):
        return self.root.locator(f".fsnet-{name}").inner_text()

    def press(self, name):
        self.root.get_by_role("button", name=re.compile(rf"(^|\W){name}$")).click()  # an icon stands before some names

    def wait_for(self, name, pattern):
        self.root.locator(f".fsnet-{name}").filter(has_text=re.compile(pattern)).wait_for()

    def rest_at(self, step):
        """The session rests at a step, and the curves reach it."""
        self.wait_for("step", f"^{step} of")
        self.wait_for("state", "paused")
        self.wait_for_curves(step)

    def slider(self, key):
        return self.root.locator(f".fsnet-{key} input[type=range]")

    def enlarge(self, title):
        """The curves of a title are large, and drawn."""
        self.root.get_by_role("button", name=title, exact=True).click()
        self.notebook.page.wait_for_function("e => e.querySelector('.fsnet-large canvas')?.clientHeight > 150", arg=self.root.element_handle())

    def field(self, key):
        return self.root.locator(f".fsnet-{key} input:not([type=range])")

    def handle_at(self, step):
        """Puts the handle to a step, and returns where it stops."""
        field = self.root.get_by_label("past step, exactly")
        field.fill(step)
        field.press("Enter")
        self.root.get_by_role("button", name="Now", exact=True).and_(self.root.locator(":enabled")).wait_for()
        return field.input_value()

    def say(self, pattern):
        self.wait_for("message", pattern)

    @property
    def curves(self):
        return self.root.locator(".fsnet-curves")

    def points(self):
        return int(self.curves.get_attribute("data-points") or 0)

    def last_point(self):
        """The step that the curves have reached."""
        return int(self.curves.get_attribute("data-step") or 0)

    def wait_for_curves(self, step):
        """The curves reach that step, or a later one."""
        self.notebook.page.wait_for_function("([e, step]) => Number(e.dataset.step) >= step", arg=[self.curves.element_handle(), step])

    def marks(self):
        """The events in the lanes: step → words."""
        labels = [mark.get_attribute("aria-label") for mark in self.curves.locator(".fsnet-lanes .fsnet-event").all()]
        return {int(step): text for step, text in (re.fullmatch(r"step (\d+): (.*)", label).groups() for label in labels)}

    def wait_for_mark(self, words):
        """An event stands in the lanes with these words."""
        self.curves.locator(f'.fsnet-lanes .fsnet-event[aria-label*="{words}"]').first.wait_for()

    @property
    def step(self):
        return int(self.fact("step").split()[0])


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "steered", first=(OPEN, PANEL))


def test_rewind_fork_and_reset(notebook, foreign, out):
    page, panel = notebook.page, Panel(notebook)
    panel.wait_for("step", "^0 of")
    panel.wait_for("state", "idle")
    panel.press("Step 100")
    for _ in range(20):  # presses that come faster than steps are made are all made
        panel.press("Step 1")
    panel.rest_at(120)
    expect(panel.curves.locator(".fsnet-multiple figcaption").first, "the loss has no value").to_contain_text(re.compile(r"total \d"))

    # A slider and a field set a key; an emptied field of one that has an automatic value sets it back.
    panel.slider("lambda").focus()
    page.keyboard.press("ArrowLeft")
    panel.say("lambda 1 → 0.891")
    field = panel.field("lambda")
    expect(field).to_have_value("0.891")
    field.fill("-1")
    field.press("Enter")
    panel.say(re.escape('lambda = "-1"'))
    page.wait_for_function("e => e.value === '0.891'", arg=field.element_handle())
    panel.root.get_by_text("Hyperparameters", exact=True).click()
    rate = panel.field("learning_rate")
    for typed, said in (("0.005", "learning_rate 0.001 → 0.005"), ("", "learning_rate 0.005 → ")):
        rate.fill(typed)
        rate.press("Enter")
        panel.say(said)
    page.wait_for_function("e => e.value === '0.001'", arg=rate.element_handle())

    # The handle alone does nothing; a rewind leaves its past, faded.
    assert int(panel.handle_at("45")) <= 45  # it stops at a look at P
    panel.handle_at("40")
    panel.wait_for("step", "^40 of")  # the line of state is of that step, and the training stays where it is
    assert "step 120 of" in notebook.answer(STATUS, "%fsnet status")
    panel.press("Rewind here")
    panel.say("rewound to step 40")
    panel.curves.locator('[data-track="before the rewind from step 120"]').wait_for()
    panel.wait_for_mark("step 40: rewound from step 120")

    # A fork, drawn beside it when it goes on.
    notebook.answer(STATUS, ENDLESS)
    panel.press("Fork here")
    name = notebook.session
    panel.say(f"forked at step 40: the panel of {name}-2 opens beside")
    beside = notebook.code.nth(PANEL).locator(".fsnet-panel").nth(1)
    beside.locator(".fsnet-name").get_by_text(f"{name}-2", exact=True).wait_for()
    expect(panel.root.locator(".fsnet-fork-name input")).to_have_value(f"{name}-3")
    page.screenshot(path=out / "fork-beside.png")
    assert "step 90 of" in notebook.answer(STATUS, f"%fsnet step {name}-2 50")
    panel.curves.locator(f'[data-track="{name}-2"]').wait_for()
    assert panel.step == 40
    beside.get_by_text("90 of").first.wait_for()
    panel.press("Close the fork's panel")
    beside.wait_for(state="detached")

    # The handle shows the past of a run at full speed, which goes on; what is typed stays, however often the present moves. Now shows it again.
    panel.press("Run")
    step = panel.root.locator(".fsnet-step").element_handle()
    field = panel.root.get_by_label("past step, exactly")
    for _ in range(3):
        page.wait_for_function("e => parseInt(e.innerText) > 40", arg=step)
        field.click()
        before = field.input_value()
        page.wait_for_function("([e, before]) => parseInt(e.innerText) > Number(before)", arg=[step, before])
        assert field.input_value() == before
        assert panel.handle_at("40") == "40"
        page.wait_for_function("e => parseInt(e.innerText) == 40", arg=step)
        page.wait_for_timeout(500)  # longer than any view takes to hear of the run
        assert panel.step == 40 and panel.fact("state") == "running"
        panel.press("Now")
    page.wait_for_function("e => parseInt(e.innerText) > 40", arg=step)
    panel.press("Pause")
    panel.wait_for("state", "paused")
    panel.press("Reset")
    panel.say("press Reset again")
    assert panel.step > 40
    panel.press("Reset")
    panel.wait_for("step", "^0 of")
    assert foreign(page) == []
    assert uncaught(page) == []


def test_it_is_steered_while_a_go_cell_runs(notebook, foreign):
    page, panel = notebook.page, Panel(notebook)
    notebook.answer(STATUS, ENDLESS)
    panel.press("Run")
    panel.wait_for("state", "running")
    notebook.run(LOOP)
    page.wait_for_function(BUSY, arg=LOOP)
    panel.wait_for_curves(10)
    seen = panel.last_point()
    panel.wait_for_curves(seen + 1)
    assert "*" in notebook.prompt(LOOP), "the cell ended before the curves grew"
    panel.slider("lambda").focus()
    page.keyboard.press("ArrowLeft")
    panel.say("lambda 1 → 0.891")
    notebook.interrupt()
    notebook.wait_until_run(LOOP)
    notebook.save()

    # Reloaded in mid-run it has everything, from the first epoch on.
    page.reload()
    notebook.panel.wait_for()
    panel = Panel(notebook)
    panel.wait_for("state", "running")
    panel.wait_for_curves(seen + 1)
    panel.press("Pause")
    panel.wait_for("state", "paused")
    panel.wait_for_mark("lambda 1 → 0.891")

    # The keyboard reads the curves out.
    panel.curves.locator(".fsnet-multiple .fsnet-plot").first.focus()
    page.keyboard.press("Home")
    expect(panel.curves.locator(".fsnet-multiple .fsnet-reading").first).to_contain_text(re.compile(r"epoch 1: total \d"))
    mark = panel.curves.locator(".fsnet-multiple").first.locator('.fsnet-event[aria-label*="lambda"]')
    mark.focus()
    assert mark.evaluate("e => getComputedStyle(e, '::after').content") != "none"
    assert foreign(page) == []
    assert uncaught(page) == []


def test_pictures(desk, out):
    """The panel in the light and the dark theme, and at 800 pixels."""
    notebook = desk.lay(["%fsnet open allaml data=ALLAML k=10 seed=1 validation_fraction=0.2 replace=true", "%fsnet panel"], "allaml", first=(OPEN, PANEL))
    page, panel = notebook.page, Panel(notebook)
    panel.press("Step 1000")
    panel.rest_at(1000)
    stands = panel.handle_at("700")
    panel.press("Rewind here")
    panel.say(f"rewound to step {stands}")
    panel.field("lambda").fill("0.1")
    panel.field("lambda").press("Enter")
    panel.say("lambda 1 → 0.1")
    for _ in range(4):
        panel.press("Step 100")
    panel.rest_at(int(stands) + 400)

    def check(dark):
        lanes, plots = panel.curves.locator(".fsnet-courses"), panel.curves.locator(".fsnet-multiple .fsnet-plot").all()
        assert len(plots) == 6
        Screen(lanes).assert_written(lanes, 3000)
        for plot, colours in zip(plots, ([BLUE, VERMILLION, GREEN], [BLUE, VERMILLION], [PURPLE], [GREEN], [BROWN], [WINE])):
            screen = Screen(plot)
            screen.assert_filled(plot, *(lighter(colour) if dark else colour for colour in colours), least=15)
            screen.assert_written(plot, 150)

    pictures(panel.root, notebook, page, out, "panel", "canvas", check)


# Chromium decodes a frame; of one that follows another it keeps the pixels that differ, the others are transparent. A byte begins each line.
CHANGED = """async ([png, first]) => {
  const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + png)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const {data, width, height} = context.getImageData(0, 0, bitmap.width, bitmap.height), before = first ? null : window.before;
  const lines = new Uint8Array(height * (4 * width + 1));
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const i = 4 * (y * width + x), pixel = data.slice(i, i + 4);
    if (!before || pixel.some((v, c) => v !== before[i + c])) lines.set(pixel, i + y + 1);
  }
  window.before = data;
  let text = '';
  for (let i = 0; i < lines.length; i += 30000) text += String.fromCharCode(...lines.subarray(i, i + 30000));
  return btoa(text);
}"""


def animated(page, frames, seconds, last):
    """An animated PNG of screenshots of one size, of so many seconds each, the last one longer, again and again."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))  # noqa: E731
    size, number = frames[0][16:24], 0
    parts = [chunk(b"IHDR", size + bytes([8, 6, 0, 0, 0])), chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    for i, frame in enumerate(frames):
        assert frame[16:24] == size, "the frames are of several sizes"
        pixels = zlib.compress(base64.b64decode(page.evaluate(CHANGED, [base64.b64encode(frame).decode(), i == 0])), 9)
        shown = round(1000 * (last if i == len(frames) - 1 else seconds))
        parts.append(chunk(b"fcTL", struct.pack(">I", number) + size + struct.pack(">IIHHBB", 0, 0, shown, 1000, 0, 1)))  # laid over the one before
        parts.append(chunk(b"IDAT", pixels) if i == 0 else chunk(b"fdAT", struct.pack(">I", number + 1) + pixels))
        number += 1 if i == 0 else 2
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")


MOVING = IMAGES / "panel-moving.png"
WIDE, HIGH, MOST = 1040, 560, 1_500_000


def test_the_panel_moves(desk, out):
    """The moving picture of the panel: every frame is a screenshot of a training that is pressed on."""
    notebook = desk.lay(["%fsnet open moving data=ALLAML k=10 seed=1 replace=true", "%fsnet panel"], "moving", first=(OPEN, PANEL))
    page, panel = notebook.page, Panel(notebook)
    page.set_viewport_size({"width": 1500, "height": 1280})  # room for a panel as wide as the frames
    panel.root.evaluate("(e, [wide, high]) => { e.style.width = `${wide}px`; e.style.minHeight = `${high}px` }", [WIDE, HIGH])  # legends that wrap make it grow: the frames are of one size
    panel.press("Step 10")
    panel.rest_at(10)
    frames = []
    for step in range(110, 1100, 100):
        panel.press("Step 100")
        panel.rest_at(step)
        page.mouse.move(1, 1)  # no button or curve is pointed at
        panel.root.evaluate("e => e.scrollIntoView({block: 'start'})")
        wait_until_painted(page)
        box = panel.root.bounding_box()
        frames.append(page.screenshot(clip={"x": round(box["x"]), "y": round(box["y"]), "width": WIDE, "height": HIGH}))
    moving = animated(page, frames, 0.7, 3)
    (out / MOVING.name).write_bytes(moving)
    assert len(set(frames)) == 10 == moving.count(b"fcTL") and len(moving) < MOST, len(moving)
    read = "async data => { const i = new Image(); i.src = data; await i.decode(); return [i.naturalWidth, i.naturalHeight] }"
    assert page.evaluate(read, "data:image/png;base64," + base64.b64encode(moving).decode()) == [WIDE, HIGH]
    if os.environ.get("FSNET_UPDATE"):
        MOVING.write_bytes(moving)
    kept = MOVING.read_bytes()
    assert kept.count(b"fcTL") == 10 and len(kept) < MOST
    assert kept[16:24] == moving[16:24], "it is of another size in docs/images: run the test with FSNET_UPDATE=1, and look at it"
    words = re.search(r"!\[([^\]]+)\]\(images/panel-moving\.png\)", (IMAGES.parent / "views.md").read_text(encoding="utf-8"))
    assert words and len(words[1]) > 60
