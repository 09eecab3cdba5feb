"""The quickstart as a person sees it: opened in JupyterLab, run from the menu."""

import json
import re

import pytest
from lab import Notebook

# Colours that are in a picture; a chart that was not drawn has one at most.
COLOURS = """canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] << 24) | (pixels[i + 1] << 16) | (pixels[i + 2] << 8) | pixels[i + 3]);
  return seen.size;
}"""


def cells_by_tag(path):
    code = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    return {tag: i for i, c in enumerate(code) for tag in c["metadata"].get("tags", [])}


def assert_drawn(notebook, index):
    chart = notebook.code.nth(index).locator(".vega-embed")
    chart.first.wait_for()
    chart.first.locator("svg, canvas").first.wait_for()
    canvas = chart.first.locator("canvas")
    if canvas.count():
        assert canvas.first.evaluate(COLOURS) > 3
    else:
        assert chart.first.locator("svg path, svg rect").count() > 3


@pytest.mark.parametrize("name", ["quickstart.ipynb"])
def test_quickstart_in_the_browser(server, work, page, foreign, out, name):
    tags = cells_by_tag(work / name)
    notebook = Notebook(page, server, name)
    count = notebook.code.count()
    assert count == len([c for c in json.loads((work / name).read_text())["cells"] if c["cell_type"] == "code"])

    notebook.run_all()
    for index in range(count):
        notebook.wait_until_run(index, timeout=300_000)
    notebook.wait_until_idle()
    for index in (tags[t] for t in ("matrix-before", "matrix-middle", "curves", "matrix-after", "go-matrix", "paper")):
        assert_drawn(notebook, index)
    notebook.screenshot(out / f"{name}.png")

    errors = page.locator('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]')
    assert errors.all_inner_texts() == []
    rows = notebook.code.nth(tags["selection"]).locator(".jp-OutputArea-output table tr:has(td)")
    names = [row.locator("td").nth(1).inner_text().strip() for row in rows.all()]
    assert len(names) == 10 == len(set(names)), names
    assert all(re.search(r"[A-Za-z]", name) for name in names), names
    assert "accuracy" in notebook.text(tags["evaluate"])
    assert foreign(page) == []
    uncaught = [line for line in page.said if line.startswith("uncaught")]
    assert uncaught == []
