"""The training's panel: pressed, watched from two tabs, reloaded, and pressed while a Go cell runs."""

import json
import re
import statistics

import pytest
from painted import BLUE, BROWN, GREEN, PURPLE, VERMILLION, WINE, Screen, lighter
from views import ENDLESS, pictures

CELLS = [
    "%fsnet open steered data=ALLAML k=10 seed=1 epochs=2000 stop=never validation_fraction=0.2 replace=true",
    "%fsnet panel",
    'import "time"\n%%\nfor began := time.Now(); time.Since(began) < 10*time.Minute; {\n}',
    "%fsnet status",
]
OPEN, PANEL, LOOP, STATUS = range(4)


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

    def slider(self, key):
        return self.root.locator(f".fsnet-{key} input[type=range]")

    def field(self, key):
        return self.root.locator(f".fsnet-{key} input:not([type=range])")

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

    @property
    def step(self):
        return int(self.fact("step").split()[0])


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "steered", first=(OPEN, PANEL))


@pytest.fixture
def page(notebook):
    return notebook.page


BUSY = "i => document.querySelectorAll('.jp-CodeCell')[i].querySelector('.jp-InputArea-prompt').innerText.includes('*')"


def test_panel_steers(notebook, page, foreign, out):
    panel = Panel(notebook)
    assert panel.step == 0 and panel.fact("state") == "idle"
    panel.press("Step 10")
    panel.wait_for("step", r"^10 of")
    panel.wait_for("state", "paused")
    assert re.fullmatch(r"\d\.\d{3}", panel.fact("accuracy-train")) and float(panel.fact("loss")) > 0

    # Presses that come faster than steps are made are all made.
    for _ in range(20):
        panel.press("Step 1")
    panel.wait_for("step", r"^30 of")

    # The slider sets lambda once for each key, and the field shows it.
    slider = panel.slider("lambda")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    panel.wait_for("message", "lambda 1 → 0.891")
    field = panel.field("lambda")
    assert float(field.input_value()) == 0.891
    field.fill("0")
    field.press("Enter")
    panel.wait_for("message", "lambda 0.891 → 0")

    # What others do is seen, too.
    assert "step 30 of" in notebook.answer(STATUS, f"{ENDLESS}\n%fsnet status")
    panel.press("Run")
    panel.wait_for("state", "running")
    panel.press("Pause")
    panel.wait_for("state", "paused")
    at = panel.step
    assert at > 30
    notebook.run(STATUS)
    notebook.wait_for_text(STATUS, f"step {at} of")
    panel.press("Step 100")
    panel.wait_for("step", f"^{at + 100} of")
    assert foreign(page) == []
    assert [line for line in page.said if line.startswith("uncaught")] == []


# From lambda's new value to the line that says it is in force.
CHANGE = """async times => {
  const root = document.querySelector('.fsnet-panel'), field = root.querySelector('.fsnet-lambda input[type=number]');
  const text = () => root.querySelector('.fsnet-message').innerText, took = [];
  for (let i = 0; i < times; i++) {
    await new Promise(done => setTimeout(done, 150));
    const value = String(1 + (i + 1) / 100), began = performance.now();
    const said = new Promise(done => {
      const look = new MutationObserver(() => { if (text().endsWith('→ ' + value)) { look.disconnect(); done(performance.now()) } });
      look.observe(root, {subtree: true, childList: true, characterData: true});
    });
    field.value = value;
    field.dispatchEvent(new Event('change', {bubbles: true}));
    took.push(await said - began);
  }
  return took;
}"""


def test_latency_during_a_run(notebook, page, out):
    """The run and a Go cell at once: what a person changes is in force, and said, without delay."""
    panel = Panel(notebook)
    notebook.answer(STATUS, ENDLESS)
    panel.press("Run")
    panel.wait_for("state", "running")
    notebook.run(LOOP)
    page.wait_for_function(BUSY, arg=LOOP)
    took = min((page.evaluate(CHANGE, 20) for _ in range(3)), key=statistics.median)  # a stall spoils a round, a defect all of them
    assert "*" in notebook.prompt(LOOP) and panel.fact("state") == "running"
    notebook.interrupt()
    panel.press("Pause")
    panel.wait_for("state", "paused")
    (out / "panel-latency-run.json").write_text(json.dumps(took))
    print(f"milliseconds from a change during a run to its line: {statistics.median(took):.1f}, the slowest {max(took):.1f}")
    assert statistics.median(took) < 1000


PRESS_ALL = """async ({name, times}) => {
  const button = [...document.querySelector('.fsnet-panel').querySelectorAll('button')].find(b => b.innerText.trim() === name);
  for (let i = 0; i < times; i++) {
    button.click();
    await new Promise(done => setTimeout(done, 10));
  }
}"""


def test_none_of_200_presses_is_lost(notebook, page):
    """A hundred presses a second, while a Go cell computes."""
    panel = Panel(notebook)
    notebook.run(LOOP)
    page.wait_for_function(BUSY, arg=LOOP)
    page.evaluate(PRESS_ALL, {"name": "Step 1", "times": 200})
    panel.wait_for("step", "^200 of")
    panel.wait_for("state", "paused")
    assert panel.step == 200 and "*" in notebook.prompt(LOOP)
    notebook.interrupt()
    notebook.wait_until_run(LOOP)


def test_pictures(notebook, page, out):
    """The panel in the light and the dark theme, and at 800 pixels."""
    panel = Panel(notebook)
    panel.press("Step 1000")
    panel.wait_for("step", "^1000 of")
    panel.wait_for("state", "paused")
    panel.slider("past").focus()
    for _ in range(3):
        page.keyboard.press("PageDown")  # a tenth of them
    panel.press("Rewind here")
    panel.say("rewound to step 700")
    panel.field("lambda").fill("0.1")
    panel.field("lambda").press("Enter")
    panel.say("lambda 1 → 0.1")
    panel.press("Step 100")
    panel.wait_for_curves(800)
    panel.wait_for("state", "paused")

    def check(dark):
        screen = Screen(panel.root)
        plots = panel.curves.locator(".fsnet-plot:not(.fsnet-courses)").all()
        assert len(plots) == 6
        for plot, colours in zip(plots, ([BLUE, VERMILLION, GREEN], [BLUE, VERMILLION], [PURPLE], [GREEN])):
            screen.assert_lines(plot, *(lighter(colour) if dark else colour for colour in colours))
            screen.assert_written(plot, 500)
        for plot, colour in zip(plots[4:], (BROWN, WINE)):  # below the window's edge: each is looked at alone
            near = Screen(plot)
            near.assert_lines(plot, lighter(colour) if dark else colour)
            near.assert_written(plot, 500)

    pictures(panel.root, notebook, page, out, "panel", "canvas", check)
