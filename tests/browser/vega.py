"""What JupyterLab's own Vega makes of a specification."""

import subprocess

VEGA = "application/vnd.vegalite.v5+json"

# The words that the specification promises - titles, names on axes and texts - as far as they are not in the drawing, and how many marks that has.
DRAWN = r"""(svg, spec) => {
  const words = new Set();
  const gather = value => {
    if (Array.isArray(value)) value.forEach(gather);
    else if (value && typeof value === 'object') {
      for (const word of [].concat(value.subtitle || [], value.title && value.title.text || value.title || [])) words.add(word);
      const {encoding, data} = value;
      for (const axis of encoding ? [encoding.x, encoding.y] : []) {
        if (axis && axis.axis && axis.type === 'nominal' && axis.scale.domain.length < 40) axis.scale.domain.forEach(word => words.add(word));
      }
      for (const row of data && data.values || []) if (typeof row.text === 'string') words.add(row.text);
      for (const [key, inner] of Object.entries(value)) if (key !== 'data' && key !== 'tooltip') gather(inner);
    }
  };
  gather(spec);
  const written = [...svg.querySelectorAll('text, tspan')].map(e => e.textContent.trim());
  const cells = spec => JSON.stringify(spec).match(/"flatten":\["y","value"\]/) ? 3 : 0;
  const marks = [...svg.querySelectorAll('g.mark-rect path, g.mark-line path, g.mark-symbol path, g.mark-rule line')];
  return {marks: marks.length, cells: svg.querySelectorAll("g.mark-rect path").length >= cells(spec), missing: [...words].filter(w => typeof w === 'string' && w.trim() && !written.includes(w.trim()))};
}"""


def assert_drawn(svg, spec):
    """There are marks, and all words that the specification has are in the drawing."""
    found = svg.evaluate(DRAWN, spec)
    assert found["marks"] and found["cells"], f"of marks, or of cells, too few are drawn: {found}"
    assert not found["missing"], f"not written: {found['missing']}"


def write_charts(root, kind, directory):
    """Writes every chart of Go's tests into a directory: kind is specifications, or gallery for PNG and SVG."""
    directory.mkdir(parents=True, exist_ok=True)
    # What is compiled is that of the stage unit: paths would be this clone's own.
    test = ["go", "test", "-trimpath", "-ldflags=-s -w", "./widgets/chart", "-vet=off", "-run", "^TestCharts_Conform$", "-args", f"-{kind}", str(directory)]
    subprocess.run(test, cwd=root, check=True, capture_output=True)
