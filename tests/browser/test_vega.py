"""Every chart as JupyterLab's own Vega draws it, compared with a picture of it. The pictures are in golden; FSNET_UPDATE=1 writes them
again: look at them."""

import base64
import json
import os
import pathlib

import pytest
from desk import new_page
from lab import Notebook
from painted import unlike
from vega import VEGA, fonts, specifications
from views import uncaught, write

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"

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

FONT = """async ([weight, data]) => {
  const font = new FontFace('Liberation Sans', `url(data:font/ttf;base64,${data})`, {weight});
  document.fonts.add(await font.load());
}"""


@pytest.fixture(scope="module")
def page(browser, server, work, root, out, request):
    write(work, "drawn.ipynb", ["%fsnet version"])
    page = new_page(browser)
    Notebook(page, server, "drawn.ipynb")
    for weight, file in fonts(root):
        page.evaluate(FONT, [weight, base64.b64encode(file.read_bytes()).decode()])
    yield page
    page.context.close()


def drawn(page, spec):
    """The picture, as it is on the screen."""
    page.evaluate(DRAW, [VEGA, spec])
    return page.locator("#place svg.marks").screenshot()


def test_every_chart_looks_as_it_should(page, root, out, request):
    page.set_viewport_size({"width": 1000, "height": 1400})
    found, update = {}, os.environ.get("FSNET_UPDATE")
    for path in specifications(root, out / "specifications"):
        picture, golden = drawn(page, json.loads(path.read_text())), GOLDEN / f"{path.stem}.png"
        if update:
            GOLDEN.mkdir(exist_ok=True)
            golden.write_bytes(picture)
        (out / "specifications" / f"{path.stem}.png").write_bytes(picture)
        blocks = unlike(page, golden.read_bytes(), picture)
        if blocks:
            found[path.stem] = blocks[:5]
    assert {path.stem for path in GOLDEN.glob("*.png")} == {path.stem for path in (out / "specifications").glob("*.json")}
    assert not found, f"other pictures, from x, y on, so many pixels: {found}; they are in {out / 'specifications'}"
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
def test_a_mark_says_what_it_is(page, out, stem):
    kind, index, words = POINTED[stem]
    drawn(page, json.loads((out / "specifications" / f"{stem}.json").read_text()))
    box = page.locator(f"#place svg.marks g.{kind} path").nth(index).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("words => words.every(w => document.getElementById('vg-tooltip-element')?.textContent.includes(w))", arg=words)


# How wide words are in some fonts.
WIDE = """families => {
  const context = document.createElement('canvas').getContext('2d');
  return families.map(family => {
    context.font = `10px ${family}`;
    return context.measureText('reconstruction, without λ (all smoothed over 5 epochs, raw faint)').width;
  });
}"""


def test_words_fit_where_there_are_other_fonts(page, root, out):
    """Legends stand where the letters of the PNG leave room; many a Linux has only DejaVu's, a sixth wider, and these narrower ones."""
    spec = json.loads(specifications(root, out / "specifications")[0].read_text())
    own, *others = spec["config"]["font"].split(", ")
    there, none, width, wanted = page.evaluate(WIDE, ["DejaVu Sans Condensed, monospace", "monospace", ", ".join(others), own])
    if there == none:
        pytest.skip("no DejaVu Sans Condensed on this machine")
    assert width < 1.06 * wanted, f"{width:.0f} pixels instead of {wanted:.0f}"
