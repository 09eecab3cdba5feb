"""Every chart as JupyterLab's own Vega draws it, compared with a picture of it. The pictures are in golden; FSNET_UPDATE=1 writes them
again: look at them."""

import base64
import json
import os
import pathlib

import pytest
from desk import explain, new_page
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
    page.set_viewport_size({"width": 1000, "height": 1300})
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


# What is taken out of a specification: each must be seen.
WITHOUT = {
    "a legend": ("matrix-half", lambda s: s["hconcat"][0]["encoding"]["color"].update(legend=None)),
    "the names of the columns": ("matrix-half", lambda s: s["hconcat"][0]["encoding"]["x"].update(axis=None)),
    "a name": ("matrix-half", lambda s: s["hconcat"][0]["encoding"]["x"]["axis"]["values"].pop(3)),
    "the mass in others": ("matrix-half", lambda s: s["hconcat"][1]["layer"].pop()),
    "a caption": ("matrix-half", lambda s: s["title"].update(subtitle=["", ""])),
    "a word of a legend": ("curves-run", lambda s: words(s).pop("class")["mark"].update(text="")),
    "a line of a legend": ("curves-run", lambda s: s["vconcat"][1]["layer"].remove(next(l for l in s["vconcat"][1]["layer"] if "x2" in l["encoding"]))),
    "a curve": ("curves-run", lambda s: s["vconcat"][1]["layer"].pop(2)),
    "the level of what has settled": ("curves-run", lambda s: s["vconcat"][4]["layer"].pop(0)),
    "an event": ("curves-run", lambda s: [l["data"]["values"].pop(0) for l in s["vconcat"][1]["layer"] if l["mark"].get("strokeDash")]),
    "a tick": ("curves-run", lambda s: s["vconcat"][2]["layer"][0]["encoding"]["y"]["axis"]["values"].pop(1)),
    "a class": ("feature-two", lambda s: s["vconcat"][0]["layer"].pop(1)),
    "an interval": ("comparison-eight", lambda s: s["vconcat"][0]["hconcat"][0]["layer"][0].update(data={"values": s["vconcat"][0]["hconcat"][0]["data"]["values"][:-1]})),
}


def words(spec):
    return {layer["mark"]["text"]: layer for view in spec["vconcat"] for layer in view["layer"] if "text" in layer.get("mark", {})}


def test_what_is_missing_is_seen(page, root, out):
    unseen = []
    for name, (stem, take) in WITHOUT.items():
        spec = json.loads((out / "specifications" / f"{stem}.json").read_text())
        take(spec)
        if not unlike(page, (GOLDEN / f"{stem}.png").read_bytes(), drawn(page, spec)):
            unseen.append(name)
    assert not unseen, f"nobody sees that {unseen} are missing"
