"""Every chart as JupyterLab's own Vega draws it: all words are there, marks say what they are, Ctrl and the wheel zoom, a click chooses series."""

import json

import pytest
from desk import new_page
from lab import Notebook
from vega import VEGA, assert_drawn, write_charts
from views import uncaught, write

# Draws a specification with the renderer that outputs of cells have, on white, in the upper left corner of the page.
DRAW = """async ([mime, spec]) => {
  const rendermime = jupyterapp.shell.currentWidget.content.rendermime, place = document.getElementById('place') || document.createElement('div');
  place.id = 'place';
  place.style = 'position: fixed; inset: 0; z-index: 100000; background: white; overflow: auto';
  document.body.append(place);
  const renderer = rendermime.createRenderer(mime);
  place.replaceChildren(renderer.node);
  await renderer.renderModel(rendermime.createModel({data: {[mime]: spec}, trusted: true}));
}"""


@pytest.fixture(scope="module")
def page(browser, server, work):
    write(work, "drawn.ipynb", ["%fsnet open drawn data=ALLAML k=10 epochs=20\n%fsnet step 20\n%fsnet matrix\n%fsnet pca\n%fsnet curves"])
    page = new_page(browser)
    Notebook(page, server, "drawn.ipynb")
    page.set_viewport_size({"width": 1000, "height": 1400})
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def specs(root, out):
    """The specifications by name."""
    write_charts(root, "specifications", out / "specifications")
    return {path.stem: json.loads(path.read_text()) for path in (out / "specifications").glob("*.json")}


def drawn(page, spec):
    """The picture, as it is on the screen."""
    page.evaluate(DRAW, [VEGA, spec])
    svg = page.locator("#place svg.marks")
    svg.wait_for()
    return svg


def test_a_narrow_page_cuts_nothing(page):
    page.set_viewport_size({"width": 800, "height": 900})
    notebook = Notebook.reopened(page, "drawn.ipynb")
    notebook.finish(0)
    charts = notebook.outputs(0).filter(has=page.locator("svg.marks"))
    charts.nth(2).wait_for()
    for wide, room in charts.evaluate_all("list => list.map(e => [e.scrollWidth, e.clientWidth])"):
        assert wide <= room < 500
    page.set_viewport_size({"width": 1000, "height": 1400})


def test_every_chart_is_drawn(page, specs, out):
    assert len(specs) > 40
    for name, spec in specs.items():
        svg = drawn(page, spec)
        if not name.endswith(("-none", "-empty", "-failed", "-alone")):
            assert_drawn(svg, spec)
        assert 'fill="url(' not in svg.evaluate("e => e.outerHTML"), f"{name} has colours that go when the page's address changes"
        svg.screenshot(path=out / "specifications" / f"{name}.png")
        complaints = [line for line in page.said if line.startswith("warning: WARN")]
        assert complaints == [], f"Vega complains about {name}"
    assert uncaught(page) == []


# What the pointer finds over a mark of a chart, of this kind and index.
POINTED = {
    "matrix-half": ("mark-rect", 0, ["Zyxin", "29", "selector", "3", "probability"]),
    "curves-run": ("mark-symbol", 400, ["epoch", "step", "class"]),
    "feature-two": ("mark-rect", 0, ["class A", "rows", "from", "to"]),
    "comparison-eight": ("mark-symbol", 0, ["fsnet", "mean", "0.95"]),
    "stability-forty": ("mark-rect", 0, ["X95735_at", "30", "32", "certain"]),
    "tuning-six": ("mark-symbol", 0, ["k=5 lambda=0", "0.78"]),
}


@pytest.mark.parametrize("stem", POINTED)
def test_a_mark_says_what_it_is(page, specs, stem):
    kind, index, words = POINTED[stem]
    drawn(page, specs[stem])
    box = page.locator(f"#place svg.marks g.{kind} path").nth(index).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("words => words.every(w => document.getElementById('vg-tooltip-element')?.textContent.includes(w))", arg=words)


def test_the_wheel_zooms_with_ctrl_and_scrolls_without(page, specs):
    svg = drawn(page, specs["convergence-fifty"])
    ticks = "e => [...e.querySelectorAll('g.role-axis-label text')].map(t => t.textContent).join(' ')"
    page.set_viewport_size({"width": 1000, "height": 600})
    before, box = svg.evaluate(ticks), svg.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 300)
    page.mouse.wheel(0, 100)
    page.wait_for_function("document.getElementById('place').scrollTop === 100")
    assert svg.evaluate(ticks) == before
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    page.wait_for_function(f"([e, before]) => ({ticks})(e) !== before", arg=[svg.element_handle(), before])
    assert page.evaluate("document.getElementById('place').scrollTop") == 100
    page.set_viewport_size({"width": 1000, "height": 1400})


# How many lines are faint.
FAINT = "e => [...e.querySelectorAll('g.mark-line path')].filter(p => parseFloat(p.getAttribute('stroke-opacity') || 1) < 0.2).length"


def test_a_lane_shows_its_gene_alone(page, specs):
    svg = drawn(page, specs["convergence-ten"])
    assert svg.evaluate(FAINT) == 0
    svg.locator('g.mark-rect path[fill="#e69f00"]').last.click()
    page.wait_for_function(f"e => ({FAINT})(e) >= 9", arg=svg.element_handle())
    svg.dblclick(position={"x": 5, "y": 5})
    page.wait_for_function(f"e => ({FAINT})(e) === 0", arg=svg.element_handle())


def test_the_legend_switches_series(page, specs):
    svg = drawn(page, specs["curves-run"])
    assert svg.evaluate(FAINT) == 0
    svg.locator("g.role-legend-label text", has_text="total").first.click()
    page.wait_for_function(f"e => ({FAINT})(e) >= 2", arg=svg.element_handle())
