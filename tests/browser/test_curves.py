"""The panel's live curves, its way back, its forks and its hyperparameters."""

import json
import random
import re

import pytest
from lab import PATIENCE
from test_panel import BUSY, PANEL, Panel
from views import ENDLESS, uncaught, watch_traffic

# Five steps make an epoch: what mixes up steps and epochs is found.
CELLS = [
    "%fsnet open drawn data=ALLAML k=10 seed=1 epochs=2000 stop=never validation_fraction=0.2 replace=true",
    "%fsnet panel",
    'import "time"\n%%\nfor began := time.Now(); time.Since(began) < 10*time.Minute; {\n}',
    "%fsnet status",
]
OPEN, PANEL, LOOP, STATUS = range(4)


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "drawn", first=(OPEN, PANEL))


def marks(panel):
    """The events that are drawn in the first plot: step → words."""
    found = {}
    for mark in panel.curves.locator("figure").first.locator(".fsnet-event").all():
        step, text = re.fullmatch(r"step (\d+): (.*)", mark.get_attribute("aria-label")).groups()
        found[int(step)] = text
    return found


def tracks(panel):
    return [key.get_attribute("data-track") for key in panel.curves.locator("[data-track]").all()]


def hold(page, slider, key, times):
    slider.focus()
    for _ in range(times):
        page.keyboard.press(key)


def test_rewind_fork_and_reset(notebook, out):
    page = notebook.page
    panel = Panel(notebook)
    panel.press("Step 100")
    panel.wait_for("step", "^100 of")
    panel.wait_for("state", "paused")
    panel.wait_for_curves(100)

    # The slider alone does nothing; a rewind leaves its past, faded.
    handle = panel.slider("past")
    hold(page, handle, "ArrowLeft", 60)
    page.wait_for_function("e => e.value === '40'", arg=handle.element_handle())
    panel.wait_for("step", "^40 of")  # the tiles are of that step, and the training stays where it is
    assert panel.field("past").first.input_value() == "40" and "step 100 of" in notebook.answer(STATUS, "%fsnet status")
    panel.press("Rewind here")
    panel.say("rewound to step 40")
    panel.wait_for("step", "^40 of")
    panel.curves.locator('[data-track="before the rewind from step 100"]').wait_for()
    assert marks(panel)[40] == "rewound from step 100"

    # A fork, drawn beside it when it goes on.
    notebook.answer(STATUS, ENDLESS)
    panel.press("Fork here")
    name = notebook.session
    panel.say(f"forked at step 40: the panel of {name}-2 opens beside")
    beside = notebook.code.nth(PANEL).locator(".fsnet-panel").nth(1)
    beside.locator(".fsnet-name").get_by_text(f"{name}-2", exact=True).wait_for()
    assert panel.root.locator(".fsnet-fork-name input").input_value() == f"{name}-3"
    page.screenshot(path=out / "fork-beside.png")
    assert "step 90 of" in notebook.answer(STATUS, f"%fsnet step {name}-2 50")
    panel.curves.locator(f'[data-track="{name}-2"]').wait_for()
    assert panel.step == 40
    beside.get_by_text("90 of").first.wait_for()
    panel.press("Close the fork's panel")
    beside.wait_for(state="detached")

    # During a run the session answers, and goes on.
    panel.press("Run")
    panel.wait_for("state", "running")
    panel.press("Rewind here")
    panel.say("pause it first|pause first")
    panel.press("Pause")
    panel.wait_for("state", "paused")
    assert panel.step > 40

    # Reset asks first.
    panel.press("Reset")
    panel.say("press Reset again")
    assert panel.step > 40
    panel.press("Reset")
    panel.wait_for("step", "^0 of")


# What the axes of the first chart say: of epochs and, upright, of losses.
AXES = """() => {
  const fill = CanvasRenderingContext2D.prototype.fillText;
  window.written = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, ...more) { window.written.push([this.canvas.closest('figure'), text]); return fill.call(this, text, ...more); };
}"""


def test_step_by_step_and_a_thousand(notebook, out):
    """Steps that are made one by one are drawn once each, and what follows them stays to be read."""
    page = notebook.page
    panel = Panel(notebook)
    page.evaluate(AXES)
    for made, button in ((1, "Step 1"), (2, "Step 1"), (1002, "Step 1000")):
        panel.press(button)
        panel.wait_for("step", f"^{made} of")
        panel.wait_for("state", "paused")
        panel.wait_for_curves(made)
    page.evaluate("window.written = []")
    panel.root.locator("select").first.evaluate("e => document.body.classList.toggle('redraw')")
    page.wait_for_function("() => window.written.length > 20")
    first = page.evaluate("() => { const first = document.querySelector('.fsnet-curves figure'); return window.written.filter(([f]) => f === first).map(([, text]) => text) }")
    panel.root.screenshot(path=out / "step-by-step.png")
    numbers = [float(text.replace("epoch ", "")) for text in first]
    assert max(numbers) < 1000 and len(set(numbers)) > 6, first
    assert panel.points() > 200


def test_every_kind_of_hyperparameter(notebook, out):
    page = notebook.page
    panel = Panel(notebook)
    panel.press("Step 10")
    panel.wait_for("step", "^10 of")
    panel.root.get_by_text("Hyperparameters", exact=True).click()

    hold(page, panel.slider("lambda"), "ArrowLeft", 1)
    panel.say("lambda 1 → 0.891")
    lambda_ = panel.root.get_by_role("slider", name="lambda λ", exact=True)
    assert lambda_.get_attribute("aria-valuetext") == "0.891", "it is read aloud as the number, not as its logarithm"
    hold(page, panel.slider("learning_rate"), "ArrowRight", 1)
    panel.say("learning_rate 0.001 → 0.00112")
    hold(page, panel.slider("sharpness"), "ArrowRight", 1)
    panel.say("sharpness 20 → 22.4")
    for key, typed, said in (
        ("selector_learning_rate", "0.02", "selector_learning_rate 0.005 → 0.02"),
        ("epochs", "1500", "epochs 2000 → 1500"),
        ("schedule", "linear", "schedule exponential → linear"),
        ("stop", "patience:50", "stop never → patience:50"),
    ):
        field = panel.field(key).last
        field.fill(typed)
        field.press("Enter")
        panel.say(re.escape(said))
    hold(page, panel.slider("dropout"), "ArrowRight", 1)
    panel.say("dropout 0.2 → 0.25")
    panel.root.locator(".fsnet-class_weight select").select_option("balanced")
    panel.say("class_weight none → balanced")
    panel.wait_for("step", re.escape("10 of 6000"))

    # All of it happened at one step: one line in each plot, with all its words.
    panel.curves.locator('.fsnet-event[aria-label*="class_weight"]').first.wait_for(state="attached")
    words = marks(panel)
    assert list(words) == [10] and words[10].count("→") == 9, words

    panel.root.screenshot(path=out / "panel-hyperparameters.png")

    # What a key does not take is explained, and the control shows what is in force.
    field = panel.field("schedule")
    field.fill("quadratic")
    field.press("Enter")
    panel.say("not a schedule")
    page.wait_for_function("e => e.value === 'linear'", arg=field.element_handle())
    for key, typed, in_force in (("lambda", "-1", "0.891"), ("dropout", "1.5", "0.25"), ("epochs", "7.5", "1500")):  # what was typed is answered
        panel.field(key).last.fill(typed)
        panel.field(key).last.press("Enter")
        panel.say(re.escape(f'{key} = "{typed}"'))
        page.wait_for_function("([e, value]) => e.value === value", arg=[panel.field(key).last.element_handle(), in_force])


def test_curves_grow_while_a_go_cell_runs(notebook, foreign):
    page = notebook.page
    panel = Panel(notebook)
    notebook.answer(STATUS, ENDLESS)
    panel.press("Run")
    panel.wait_for("state", "running")
    notebook.run(LOOP)
    page.wait_for_function(BUSY, arg=LOOP)
    panel.wait_for_curves(10)
    seen = panel.last_point()
    panel.wait_for_curves(seen + 1)
    assert "*" in notebook.prompt(LOOP), "the cell ended before the curves grew"
    hold(page, panel.slider("lambda"), "ArrowLeft", 1)
    panel.say("lambda 1 → 0.891")

    notebook.interrupt()
    notebook.wait_until_run(LOOP)
    notebook.save()

    # Reloaded in mid-run it has everything, from the first epoch on. (How many points that are, is another matter: a longer run has wider steps.)
    page.reload()
    notebook.panel.wait_for()
    panel = Panel(notebook)
    panel.wait_for("state", "running")
    panel.wait_for_curves(seen + 1)
    panel.press("Pause")
    panel.wait_for("state", "paused")
    assert "lambda 1 → 0.891" in marks(panel).values()

    # The keyboard reads the curves out.
    plot = panel.curves.locator(".fsnet-plot").first
    plot.focus()
    page.keyboard.press("Home")
    assert re.search(r"epoch 1: total \d", panel.curves.locator(".fsnet-reading").first.inner_text())
    mark = panel.curves.locator("figure").first.locator('.fsnet-event[aria-label*="lambda"]')
    mark.focus()
    assert "lambda 1 → 0.891" in mark.evaluate("e => getComputedStyle(e, '::after').content === 'none' ? '' : e.getAttribute('aria-label')")
    assert foreign(page) == []
    assert uncaught(page) == []


VIEWS = {"panel": "panel", "matrix": "matrix live=true", "anneal": "anneal", "table": "table"}
MOST = 100  # kilobytes a second


def received(page, traffic):
    """Kilobytes a second over four seconds, or until something has come: a view that is told nothing shows nothing."""
    before, began, took = traffic["bytes"], page.evaluate("performance.now()"), 0
    while took < 4_000 or traffic["bytes"] < before + 2_000 and took < PATIENCE:
        page.wait_for_timeout(500)
        took = page.evaluate("performance.now()") - began
    assert traffic["bytes"] >= before + 2_000, "the view is told nothing"
    return (traffic["bytes"] - before) / took


def test_a_running_view_sends_little(notebook, work, out):
    """20,000 features, 50 selectors: what comes in some seconds of a run, of each view alone, with all of Jupyter's own messages."""
    normal = random.Random(1).gauss
    with open(work / "wide.csv", "w") as table:
        print("class", *(f"g{j}" for j in range(20_000)), sep=",", file=table)
        for i in range(24):
            print("ab"[i % 2], *(f"{normal(0, 1):.2f}" for _ in range(20_000)), sep=",", file=table)
    page, rates = notebook.page, {}
    traffic = watch_traffic(page)
    notebook.answer(STATUS, "%fsnet close")
    notebook.save()
    page.reload()  # a page has its socket watched from the beginning
    notebook.panel.wait_for()
    notebook.wait_until_idle()
    for view, verb in VIEWS.items():
        name = f"wide-{view}"
        notebook.answer(OPEN, f"%fsnet open {name} data=wide.csv label=class k=50 seed=1 epochs=100000 stop=never replace=true\n%fsnet step 2")
        notebook.answer(PANEL, f"%fsnet {verb}")
        notebook.code.nth(PANEL).locator(f".fsnet-{view}").wait_for()
        notebook.answer(STATUS, "%fsnet run wait=false")
        page.wait_for_timeout(2000)  # what a view is told once, its picture among it
        for _ in range(3):
            rates[view] = received(page, traffic)
            if rates[view] < MOST:  # what a stall has kept back comes at once, but once
                break
        text = notebook.answer(STATUS, "%fsnet pause\n%fsnet close")
        assert int(re.search(r"step (\d+) of", text)[1]) > 2, text  # it ran
    (out / "traffic.json").write_text(json.dumps(rates))
    print("kilobytes a second that a view receives in a run:", {view: round(rate, 1) for view, rate in rates.items()})
    assert all(rate < MOST for rate in rates.values()), rates
