"""The quickstart as a person sees it: opened in JupyterLab, run from the menu."""

import json

import pytest
from lab import Notebook
from playwright.sync_api import expect
from vega import VEGA, assert_drawn
from views import uncaught


def cells_by_tag(path):
    code = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    return {tag: i for i, c in enumerate(code) for tag in c["metadata"].get("tags", [])}


# The specification that a cell shows.
SPECIFICATION = """([cell, mime]) => {
  const outputs = jupyterapp.shell.currentWidget.content.widgets.filter(w => w.model.type === 'code')[cell].model.outputs;
  return Array.from({length: outputs.length}, (_, i) => outputs.get(i).data[mime]).find(Boolean);
}"""


def test_quickstart_in_the_browser(server, work, page, foreign, out):
    name = "quickstart.ipynb"
    text = (work / name).read_text()  # what whole trainings come to is looked at where notebooks are executed
    assert text.count(" pace=watch") == 2 and text.count(".Step(2000)") == 1
    (work / name).write_text(text.replace(" pace=watch", "").replace(".Step(2000)", ".Step(200)"))
    tags = cells_by_tag(work / name)
    notebook = Notebook(page, server, name)
    count = notebook.code.count()
    assert count == len([c for c in json.loads((work / name).read_text())["cells"] if c["cell_type"] == "code"])

    notebook.run_all()
    for index in range(count):
        notebook.wait_until_run(index, timeout=300_000)
    notebook.wait_until_idle()
    for index in (tags[t] for t in ("matrix-middle", "curves", "matrix-after", "paper")):
        svg = notebook.code.nth(index).locator(".vega-embed svg.marks").first
        svg.wait_for()
        specification = page.evaluate(SPECIFICATION, [index, VEGA])
        assert_drawn(svg, specification)
        if index == tags["matrix-middle"]:  # an empty chart is none
            with pytest.raises(AssertionError):
                svg.evaluate("e => e.querySelectorAll('g.mark-rect path').forEach(path => path.remove())")
                assert_drawn(svg, specification)
    notebook.screenshot(out / f"{name}.png")

    errors = page.locator('[data-mime-type="application/vnd.jupyter.error"], [data-mime-type="application/vnd.jupyter.stderr"]')
    expect(errors).to_have_text([], use_inner_text=True)
    assert foreign(page) == []
    assert uncaught(page) == []
