"""Live views to be looked at: sessions of so many selectors on tables whose features have names of so many letters."""

import dataclasses
import random
import string

VIEWS = {"panel": ".fsnet-panel", "matrix": ".fsnet-matrix", "anneal": ".fsnet-anneal", "table": ".fsnet-table"}
EPOCHS = 200
ROWS, FEATURES = 60, 90
STEPS_AN_EPOCH = 5  # 34 training rows in batches of 8


@dataclasses.dataclass(frozen=True)
class Case:
    """A training on its way: changed, taken back and gone on, with points ahead. Few selectors have settled then, many have not."""

    k: int
    shortest: int
    longest: int

    @property
    def session(self):
        return f"k{self.k}"

    @property
    def cell(self):
        name = self.session
        lines = [
            f"%fsnet open {name} data={name}.csv label=label k={self.k} seed=1 batch=8 epochs={EPOCHS} stop=never test_fraction=0.3 validation_fraction=0.2 replace=true",
            f"%fsnet step {name} 300",
            f"%fsnet set {name} lambda=0.5",
            f"%fsnet step {name} 450",
            f"%fsnet rewind {name} 600",
            f"%fsnet step {name} {self.steps - 600}",
            *(f"%fsnet {view} {name}{' live=true' if view == 'matrix' else ''}" for view in VIEWS),
        ]
        return "\n".join(lines)

    @property
    def steps(self):
        """Where it stands: with three selectors at its end, with fifty before half."""
        return {3: EPOCHS * STEPS_AN_EPOCH, 10: 700, 50: 620}[self.k]

    def names(self, draw):
        names = set()
        while len(names) < FEATURES:
            length = draw.randint(self.shortest, self.longest)
            names.add("".join(draw.choices(string.ascii_uppercase + string.digits, k=length)))
        return sorted(names)

    def write(self, work):
        """As many classes as a cohort has, three or seven; the first features are those of a class."""
        draw = random.Random(self.k)
        names, classes = self.names(draw), ["control", "case", "relapse"] if self.k < 50 else [f"tumour of type {c}" for c in "ABCDEFG"]
        lines = [",".join(("label", *names))]
        for i in range(ROWS):
            c = i % len(classes)
            lines.append(",".join([classes[c], *(f"{1.5 * (j % len(classes) == c and j < 2 * self.k) + draw.gauss(0, 1):.4f}" for j in range(FEATURES))]))
        (work / f"{self.session}.csv").write_text("\n".join(lines) + "\n")


# Pairs of texts in a view that lie on one another; what is cut off where it is scrolled is not to be seen.
CROWDED = """(root) => {
  const shown = [];
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), e = walk.currentNode.parentElement;
    if (!text || e.closest('.fsnet-reading, option, datalist, title, [hidden]') || !e.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    for (const whole of range.getClientRects()) {
      const box = {left: whole.left, right: whole.right, top: whole.top, bottom: whole.bottom};
      for (let a = e; a && a !== root; a = a.parentElement) {
        if (getComputedStyle(a).overflowX === 'visible') continue;
        const edge = a.getBoundingClientRect();
        box.left = Math.max(box.left, edge.left);
        box.right = Math.min(box.right, edge.right);
        box.top = Math.max(box.top, edge.top);
        box.bottom = Math.min(box.bottom, edge.bottom);
      }
      if (box.right - box.left > 1 && box.bottom - box.top > 1) shown.push({text, box, node: walk.currentNode});
    }
  }
  const pairs = [];
  shown.forEach((a, i) => shown.slice(i + 1).forEach((b) => {
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (a.node !== b.node && across > 2 && down > 3) pairs.push([a.text, b.text]);
  }));
  return pairs;
}"""


# Edges of a drawing on which something lies, so that it is cut off.
CUT = """(root) => [...root.querySelectorAll('canvas')].filter(c => c.width && c.height).flatMap(c => {
  const ink = (x, y, w, h) => c.getContext('2d').getImageData(x, y, w, h).data.some((v, i) => i % 4 === 3 && v > 96);
  const edges = {left: [0, 0, 1, c.height], right: [c.width - 1, 0, 1, c.height], bottom: [0, c.height - 1, c.width, 1]};
  return Object.entries(edges).filter(([, edge]) => ink(...edge)).map(([name]) => name);
})"""


# A view's parts that come a moment after it: its rows, the means of its features, its curves.
ARRIVED = """([view, rows, step]) => {
  const list = view.querySelectorAll('tbody tr'), curves = view.querySelector('.fsnet-curves'), when = view.querySelector('.fsnet-when');
  if (view.querySelector('tbody') && list.length !== rows || [...view.querySelectorAll('td')].some(c => c.textContent === '…')) return false;
  return curves ? Number(curves.dataset.step) === step : new RegExp(`step ${step} `).test(when.textContent);
}"""


# A view has the width of its place, and its drawings that of the view.
FITTED = """([view, wide]) => {
  const near = (a, b, by) => Math.abs(a - b) <= by, all = name => [...view.querySelectorAll(name)];
  const page = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)').getBoundingClientRect();
  return innerWidth === wide && near(page.right, wide, 60) && all('.u-wrap').every(plot => near(plot.offsetWidth, plot.closest('figure').clientWidth, 1))
    && all('.fsnet-cells').every(map => near(parseFloat(map.style.width), view.clientWidth, 1))
    && all('svg.fsnet-schedule').every(plot => near(plot.viewBox.baseVal.width, view.clientWidth, 1));
}"""


def crowded(view):
    return view.evaluate(CROWDED)


def cut(view):
    return view.evaluate(CUT)
