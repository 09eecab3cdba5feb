"""Every chart as JupyterLab's own Vega draws it: all words are there, marks say what they are, the wheel zooms, the legend switches series."""

import json

import pytest
from desk import new_page
from lab import Notebook
from vega import VEGA, assert_drawn, specifications
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
    write(work, "drawn.ipynb", ["%fsnet version"])
    page = new_page(browser)
    Notebook(page, server, "drawn.ipynb")
    page.set_viewport_size({"width": 1000, "height": 1400})
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def specs(root, out):
    """The specifications by name."""
    return {path.stem: json.loads(path.read_text()) for path in specifications(root, out / "specifications")}


def drawn(page, spec):
    """The picture, as it is on the screen."""
    page.evaluate(DRAW, [VEGA, spec])
    svg = page.locator("#place svg.marks")
    svg.wait_for()
    return svg


def test_every_chart_is_drawn(page, specs, out):
    assert len(specs) > 40
    for name, spec in specs.items():
        svg = drawn(page, spec)
        if not name.endswith(("-none", "-empty", "-failed")):
            assert_drawn(svg, spec)
        svg.screenshot(path=out / "specifications" / f"{name}.png")
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


def test_the_wheel_zooms(page, specs):
    svg = drawn(page, specs["curves-run"])
    ticks = "e => [...e.querySelectorAll('g.role-axis-label text')].map(t => t.textContent).join(' ')"
    before, box = svg.evaluate(ticks), svg.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 100)
    page.mouse.wheel(0, -300)
    page.wait_for_function("([e, before]) => [...e.querySelectorAll('g.role-axis-label text')].map(t => t.textContent).join(' ') !== before", arg=[svg.element_handle(), before])


def test_the_legend_switches_series(page, specs):
    svg = drawn(page, specs["curves-run"])
    faint = "e => [...e.querySelectorAll('g.mark-line path')].filter(p => parseFloat(p.getAttribute('stroke-opacity') || 1) < 0.2).length"
    assert svg.evaluate(faint) == 0
    svg.locator("g.role-legend-label text", has_text="total").first.click()
    page.wait_for_function(f"e => ({faint})(e) >= 2", arg=svg.element_handle())
