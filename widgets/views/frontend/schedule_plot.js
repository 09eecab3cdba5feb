// The plot of a schedule over the epochs, on a logarithmic scale: the values in force so far, the
// plan, the present step, and a handle for each point ahead.
class SchedulePlot {
  static high = 230;
  static edge = { left: 46, right: 16, top: 18, bottom: 34 };

  constructor(schedule, handle) {
    const { svg } = fsnet;
    this.schedule = schedule;
    this.handle = handle; // makes the handle of a point, by its number
    this.wide = 600;
    this.range = null; // of the values, while it is fixed
    this.framed = ""; // what the grid shows
    this.grid = svg("g");
    this.past = svg("path", { "stroke-width": 2.5 });
    this.plan = svg("path", { class: "fsnet-plan", "stroke-width": 2, "stroke-dasharray": "6 4" });
    this.here = svg("line", { stroke: fsnet.palette[0], "stroke-width": 2, "shape-rendering": "crispEdges" });
    this.dot = svg("circle", { r: 5, fill: fsnet.palette[0] });
    this.label = svg("text", { class: "fsnet-now" });
    this.handles = svg("g");
    this.root = svg("svg", { class: "fsnet-schedule", height: SchedulePlot.high, role: "group" },
      this.grid, svg("g", { fill: "none" }, this.past, this.plan), svg("g", {}, this.here, this.dot, this.label), this.handles);
  }

  // scales returns functions from epochs and values to pixels, and back.
  scales() {
    const { high, edge } = SchedulePlot;
    const [low, top] = this.range || this.schedule.limits(), epochs = Math.max(1, this.schedule.now.epochs);
    const wide = this.wide - edge.left - edge.right, tall = high - edge.top - edge.bottom, decades = Math.log(top / low);
    return {
      low, top, epochs,
      x: (e) => edge.left + (e / epochs) * wide,
      y: (v) => edge.top + (Math.log(top / v) / decades) * tall,
      epoch: (px) => Math.min(epochs, Math.max(0, ((px - edge.left) / wide) * epochs)),
      value: (py) => Math.min(top, Math.max(low, top * Math.exp(-((py - edge.top) / tall) * decades))),
    };
  }

  // at returns the epoch and the value under a pointer.
  at(event) {
    const s = this.scales(), { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.root.getScreenCTM().inverse());
    return [s.epoch(x), s.value(y)];
  }

  // frame draws the grid, its numbers, and the names of the axes, unless they stay the same.
  frame(s) {
    const { high, edge } = SchedulePlot, { wide } = this, { name, symbol } = this.schedule.kind;
    const key = [name, s.low, s.top, s.epochs, wide].join();
    if (key === this.framed) return;
    this.framed = key;
    const parts = [];
    const line = (x1, y1, x2, y2) => parts.push(fsnet.svg("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.15 }));
    const words = (text, x, y, anchor) => parts.push(fsnet.svg("text", { x, y, "text-anchor": anchor, class: "fsnet-axis" }, text));
    for (let d = Math.ceil(Math.log10(s.low)); d <= Math.floor(Math.log10(s.top)); d++) {
      const y = s.y(10 ** d), text = d >= -3 && d <= 4 ? String(Number((10 ** d).toPrecision(1))) : `1e${d}`;
      line(edge.left, y, wide - edge.right, y);
      words(text, edge.left - 5, y + 4, "end");
    }
    const most = Math.min(8, (s.x(s.epochs) - edge.left) / (8 * String(s.epochs).length + 6)); // numbers that fit
    const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((d) => [1, 2, 2.5, 5].map((m) => m * 10 ** d));
    const step = steps.find((t) => t % 1 === 0 && s.epochs / t <= most);
    for (let e = 0; e <= s.epochs; e += step) {
      line(s.x(e), edge.top, s.x(e), high - edge.bottom);
      words(String(e), Math.min(s.x(e), wide - 4 * String(e).length), high - edge.bottom + 14, "middle");
    }
    words("epoch", (edge.left + wide - edge.right) / 2, high - 4, "middle");
    words(`${name} ${symbol} (log)`, 2, 11, "start");
    this.grid.replaceChildren(...parts);
  }

  // draw shows the schedule as it is now, with a handle for each point ahead.
  draw() {
    const { attribute, put, number } = fsnet, { high, edge } = SchedulePlot;
    const { schedule, wide } = this, { now, value, kind, ahead } = schedule, s = this.scales();
    const stroke = fsnet.palette[kind.colour];
    const path = (points) => points.map(([e, v], i) => `${i ? "L" : "M"}${s.x(e).toFixed(1)},${s.y(v).toFixed(1)}`).join("");
    this.frame(s);
    attribute(this.root, { viewBox: `0 0 ${wide} ${high}`, "aria-label": `${kind.name} schedule` });
    const past = schedule.past(), whole = [...past.filter(([e]) => e <= now.epoch), [now.epoch, value]];
    attribute(this.past, { stroke, d: path(value > 0 ? whole : past) });
    attribute(this.plan, { stroke, d: path(schedule.future()) });
    const x = s.x(now.epoch), right = x > wide - 150;
    attribute(this.here, { x1: x, x2: x, y1: edge.top, y2: high - edge.bottom });
    attribute(this.dot, { cx: x, cy: s.y(Math.min(s.top, Math.max(s.low, value || s.top))) });
    attribute(this.label, { x: x + (right ? -8 : 8), y: high - edge.bottom - 6, "text-anchor": right ? "end" : "start" });
    put(this.label, `now: epoch ${number(now.epoch)}, ${kind.symbol} ${number(value)}`);
    attribute(this.handles, { style: `--fsnet-drawn: ${stroke}` });
    fsnet.sized(this.handles, ahead.length, this.handle);
    ahead.forEach(([e, v], i) => {
      const handle = this.handles.children[i], text = `point ${i + 1} of ${ahead.length}: epoch ${number(e)}, ${kind.symbol} ${number(v)}`;
      attribute(handle, { cx: s.x(e), cy: s.y(v), "aria-label": text, "aria-valuenow": v, "aria-valuetext": text });
      put(handle.firstChild, text);
    });
  }

  // focus moves the focus to the handle of a point.
  focus(i) {
    this.handles.children[i].focus();
  }
}
