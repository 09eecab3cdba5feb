"""What JupyterLab's own Vega makes of a specification."""

import pathlib
import subprocess

VEGA = "application/vnd.vegalite.v5+json"

# What the specification promises, and what of it can be seen in the drawing: rectangles that have a size, lines with their corners, all
# words. Its marks are layers; the cells of a heat map are records with lists.
MARKS = """(svg, spec) => {
  const cells = {promised: 0}, lines = {promised: []}, words = new Set();
  for (const layer of spec.layer) {
    const {type} = layer.mark || layer.layer[0].mark;
    for (const row of layer.data.values) {
      if (type === 'rect' && [].concat(row.x2)[0] - [].concat(row.x)[0] >= 1) cells.promised += Array.isArray(row.value) ? row.value.length : 1;
      if (type === 'line') lines.promised.push(row.x.length);
      if (type === 'text') words.add(row.text);
    }
  }
  const shapes = [...svg.querySelectorAll('g.mark-rect path')].filter(e => e.getBBox().width >= 1 && e.getBBox().height >= 1);
  cells.drawn = shapes.length;
  cells.colours = new Set(shapes.map(e => e.getAttribute('fill'))).size;
  lines.drawn = [...svg.querySelectorAll('g.mark-line path')].map(e => [(e.getAttribute('d').match(/[ML]/g) || []).length, e.getBBox().width]);
  const written = [...svg.querySelectorAll('text, tspan')].map(e => e.textContent.trim());
  return {cells, lines, missing: [...words].filter(w => w.trim() && !written.includes(w.trim()))};
}"""


def assert_drawn(svg, spec):
    """Every cell, every line in its whole length, and all words that the specification has are in the drawing."""
    found = svg.evaluate(MARKS, spec)
    cells, lines = found["cells"], found["lines"]
    assert cells["promised"] or lines["promised"], "the specification has neither cells nor lines"
    assert cells["drawn"] >= cells["promised"], f"{cells['drawn']} of {cells['promised']} cells are drawn"
    assert cells["promised"] < 100 or cells["colours"] >= 5, f"the cells have {cells['colours']} colours"
    assert len(lines["drawn"]) == len(lines["promised"]), f"{len(lines['drawn'])} of {len(lines['promised'])} lines are drawn"
    for (corners, wide), values in zip(lines["drawn"], lines["promised"], strict=True):
        assert corners >= values and (values < 2 or wide > 5), f"a line of {values} values has {corners} corners and is {wide} wide"
    assert not found["missing"], f"not written: {found['missing']}"


def specifications(root, directory):
    """All that the tests of the packages that draw hand over, as files."""
    directory.mkdir(parents=True, exist_ok=True)
    # What is compiled is that of the stage unit: paths would be this clone's own.
    test = ["go", "test", "-trimpath", "-ldflags=-s -w", "./widgets/chart", "./widgets/chart/samples", "./widgets/chart/trials", "-vet=off", "-run", "^TestSpecificationsStandAlone$", "-args", "-specifications", str(directory)]
    subprocess.run(test, cwd=root, check=True, capture_output=True)
    return sorted(directory.glob("*.json"))


def fonts(root):
    """The letters of the PNG, which a machine need not have: weight and file."""
    found = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", "codeberg.org/go-fonts/liberation"], cwd=root, check=True, capture_output=True, text=True)
    directory = pathlib.Path(found.stdout.strip())
    return [("400", directory / "liberationsansregular/LiberationSans-Regular.ttf"), ("700", directory / "liberationsansbold/LiberationSans-Bold.ttf")]
