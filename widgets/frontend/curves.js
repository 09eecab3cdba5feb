// The live curves of a training: losses, accuracies, temperature and the largest probability over the epochs, what was changed on the way
// as vertical lines, and the session's other pasts and forks, faded. Messages from the kernel:
//   {kind: "all", number, tracks: [track, …]}   everything, in the place of what is here
//   {kind: "add", number, tracks: [track]}      of each curve the points from a step on, of the events those from an index on
// A track is {name, per_epoch, from, curves: {metric: {steps, values, means}}, events_from, events: [{step, text}]}; the session's own has the
// name "" and selectors: {steps, leaders: [[column, …], …], values: [[probability, …], …], names: {column: name}, settle}. A noisy curve
// that was thinned has the means of what its values are left of. The page asks for everything when it begins, when it has missed a number,
// and when a curve has grown long.
const mostPoints = 1500; // of a curve; the kernel sends everything with far fewer
const mostEvents = 100; // drawn; the last
const interval = 100; // milliseconds between two drawings, at the least

const plots = [
  { title: "Loss", log: true, lines: [
    { metric: "loss", label: "total", color: 0, width: 2, noisy: true },
    { metric: "loss_class", label: "class", other: "quantity", color: 1, width: 1.25, noisy: true },
    { metric: "loss_reconstruction", label: "reconstruction", color: 2, width: 1.25, noisy: true },
  ] },
  { title: "Accuracy", other: "R²", range: (u, low) => [Math.min(low ?? 0, 0), 1], lines: [
    { metric: "accuracy_train", label: "training batches", color: 0, width: 1.5, noisy: true },
    { metric: "accuracy_validation", label: "validation rows", color: 1, width: 1.5 },
    { metric: "r2_train", label: "training batches", color: 0, width: 1.5, noisy: true }, // instead, where the label is a quantity
    { metric: "r2_validation", label: "validation rows", color: 1, width: 1.5 },
  ] },
  { title: "Temperature and sharpness", log: true, lines: [
    { metric: "tau", label: "τ", color: 3, width: 1.75 },
    { metric: "sharpness", label: "σ", color: 4, width: 1.25 },
  ] },
  { title: "Largest probability", range: [0, 1], level: 0.9, lines: [{ metric: "max_probability", label: "mean over selectors", color: 2, width: 1.75 }] },
];

// What stands below the courses of the selectors.
const forming = [
  { title: "Entropy of P, bits", range: (u, low, high) => [0, 1.05 * high || 1], lines: [{ metric: "entropy", label: "mean over selectors", color: 6, width: 1.75 }] },
  { title: "Different leaders", range: (u, low, high) => [0, 1.08 * high || 1], whole: true, lines: [{ metric: "unique_rows", label: "features that lead a selector", color: 8, width: 1.75 }] },
];

// The colours of the lines, lighter on dark paper.
function shade(color, theme) {
  const channels = (theme.paper.match(/^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i) || []).slice(1).map((c) => parseInt(c, 16));
  const sharp = theme.paper.match(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i);
  const light = sharp ? parseInt(sharp[2], 16) * 17 : channels.length ? channels[1] : Number((theme.paper.match(/\d+/g) || [255, 255])[1]);
  if (light > 127) return color;
  return "#" + [1, 3, 5].map((i) => Math.round(parseInt(color.slice(i, i + 2), 16) * 0.7 + 255 * 0.3).toString(16).padStart(2, "0")).join("");
}

// The marks of a logarithmic axis: as many of 1, 2, 5 and the others between as have room.
function logMarks(low, high) {
  const room = 0.14 * Math.log10(high / low); // between two marks
  for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const marks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) marks.push(...digits.map((d) => Number(`${d}e${e}`)).filter((v) => v >= low && v <= high));
    if (marks.length < 2) break;
    if (marks.every((v, i) => !i || Math.log10(v / marks[i - 1]) >= room)) return marks;
    if (digits.length === 1) return marks.filter((v, i) => i % Math.ceil(room) === 0);
  }
  const size = 10 ** Math.floor(Math.log10((high - low) / 2)); // less than a factor: as on a linear axis
  const step = [5, 2, 1].map((d) => d * size).find((d) => (high - low) / d >= 2) || size;
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12)));
}

// What is known of the training, whoever draws it.
class Tracks {
  constructor() {
    this.all = new Map([["", { perEpoch: 1, curves: {}, events: [] }]]);
  }

  take(piece) {
    const old = this.all.get(piece.name) || { curves: {}, events: [] };
    const curves = {};
    for (const metric of new Set([...Object.keys(old.curves), ...Object.keys(piece.curves || {})])) {
      const before = old.curves[metric] || { steps: [], values: [] };
      const after = (piece.curves || {})[metric] || { steps: [], values: [] };
      let keep = before.steps.findIndex((step) => step >= piece.from);
      if (keep < 0) keep = before.steps.length;
      const joined = (of) => of(before).slice(0, keep).concat(of(after));
      curves[metric] = { steps: joined((c) => c.steps), values: joined((c) => c.values) };
      if (before.means || after.means) curves[metric].means = joined((c) => c.means || c.values);
    }
    const selectors = this.looks(old.selectors, piece.selectors, piece.from);
    this.all.set(piece.name, { perEpoch: piece.per_epoch || 1, curves, selectors, events: old.events.slice(0, piece.events_from).concat(piece.events || []) });
  }

  // looks puts later looks at P behind those before a step.
  looks(old, more, from) {
    if (!old || !more) return more || old;
    let keep = old.steps.findIndex((step) => step >= from);
    if (keep < 0) keep = old.steps.length;
    const joined = (name) => old[name].slice(0, keep).concat(more[name]);
    return { steps: joined("steps"), leaders: joined("leaders"), values: joined("values"), names: { ...old.names, ...more.names }, settle: more.settle };
  }

  replace(pieces) {
    this.all = new Map([["", { perEpoch: 1, curves: {}, events: [] }]]);
    pieces.forEach((piece) => this.take({ ...piece, from: 0, events_from: 0 }));
  }

  get main() {
    return this.all.get("");
  }

  longest() {
    return Math.max(0, ...[...this.all.values()].flatMap((track) => Object.values(track.curves).map((curve) => curve.steps.length)));
  }

  // The last epoch that has a point.
  last() {
    const last = [...this.all.values()].flatMap((track) => Object.values(track.curves).map((curve) => (curve.steps.length ? curve.steps[curve.steps.length - 1] / track.perEpoch : 0)));
    return Math.max(0, ...last) || 1;
  }

  // Whether the label is a quantity, of which there is R² instead of an accuracy.
  quantity() {
    return [...this.all.values()].some((track) => (track.curves.r2_train || { steps: [] }).steps.length > 0);
  }

  // Step → words, of what was changed on the session's own way.
  marks() {
    const marks = new Map();
    for (const event of this.main.events) if (event.text) marks.set(event.step, (marks.has(event.step) ? marks.get(event.step) + "; " : "") + event.text);
    return [...marks].slice(-mostEvents);
  }
}

// The words below an axis of epochs, whose first one names it.
function epochs(u, splits) {
  return splits.map((v) => (v === 0 ? "epoch 0" : fsnet.number(v)));
}

// The room for the right half of the last mark.
function besideLast(epoch) {
  return Math.max(14, 4 * fsnet.number(epoch).length - 2);
}

// One plot.
class Plot {
  constructor(kind, sync, tabbable) {
    this.kind = kind;
    this.sync = sync;
    this.tabbable = tabbable;
    this.caption = fsnet.element("figcaption");
    this.place = fsnet.element("div", { class: "fsnet-plot", tabindex: "0", role: "application", "aria-roledescription": "chart" });
    this.reading = fsnet.element("span", { class: "fsnet-reading", "aria-live": "polite" });
    this.root = fsnet.element("figure", {}, this.caption, this.place, this.reading);
    this.place.addEventListener("keydown", (event) => this.key(event));
    this.marks = [];
  }

  // lines are those that have points: the other tracks' first, so that the session's own lie above them. A noisy one is two, what was
  // measured and above it the average over so many epochs; of another track the average stands alone.
  lines(tracks, smooth) {
    const list = [];
    const quantity = tracks.quantity();
    for (const [name, track] of tracks.all) {
      for (const line of this.kind.lines) {
        const curve = track.curves[line.metric];
        if (!curve || !curve.steps.length) continue;
        const one = { ...line, label: (quantity && line.other) || line.label, name, perEpoch: track.perEpoch, steps: curve.steps, values: curve.values };
        if (!line.noisy || !smooth || curve.steps.length < fsnetSmoothing.least) {
          list.push(one);
          continue;
        }
        if (!name) list.push({ ...one, measured: true });
        list.push({ ...one, smooth: true, values: fsnetSmoothing.average(curve, smooth * track.perEpoch, track.events.filter((e) => e.anew).map((e) => e.step)) });
      }
    }
    const depth = (line) => (line.name ? 0 : line.measured ? 1 : 2);
    return [0, 1, 2].flatMap((d) => list.filter((line) => depth(line) === d));
  }

  draw(tracks, theme, width, last, smooth) {
    this.last = last;
    this.smooth = smooth;
    const lines = this.lines(tracks, smooth);
    const tables = lines.map((line) => [line.steps.map((step) => step / line.perEpoch), this.kind.log ? line.values.map((v) => (v > 0 ? v : null)) : line.values]);
    const data = tables.length ? uPlot.join(tables) : [[], ...lines.map(() => [])];
    this.events = tracks.marks().map(([step, text]) => ({ step, text, at: step / (tracks.main.perEpoch || 1) }));
    const shape = JSON.stringify([lines.map((line) => [line.metric, line.name, line.label, line.measured, line.smooth]), theme]);
    if (shape !== this.shape) {
      this.close();
      this.shape = shape;
      this.make(lines, data, theme, width);
    } else {
      if (this.chart.width !== width) this.chart.setSize({ width, height: 140 });
      this.chart.setData(data);
    }
    this.legend();
    this.place.setAttribute("aria-label", `${this.title()} by epoch: ${this.says()}`);
  }

  make(lines, data, theme, width) {
    const axis = { stroke: theme.faint, font: `11px ${theme.font}`, grid: { stroke: theme.grid, width: 1 }, ticks: { stroke: theme.grid, width: 1, size: 4 } };
    const kind = this.kind;
    const range = (u, low, high) => {
      if (low === null || high === null || !(high > 0)) return kind.log ? [0.1, 10] : [0, 1];
      return [Math.max(low, high * 1e-6) / 1.2, high * 1.2];
    };
    this.series = lines.map((line) => ({ ...line, stroke: shade(fsnet.palette[line.color], theme) }));
    this.chart = new uPlot({
      width, height: 140, padding: [6, () => besideLast(this.last), 0, 0], legend: { show: false },
      scales: { x: { time: false, range: () => [0, this.last] }, y: kind.log ? { distr: 3, range } : { range: kind.range } },
      axes: [
        { ...axis, size: 24, space: 50, values: epochs },
        { ...axis, size: 52, space: 24, values: (u, splits) => splits.map(fsnet.number), ...(kind.whole ? { incrs: [1, 2, 5, 10, 20, 50, 100] } : {}),
          ...(kind.log ? { splits: (u, i, low, high) => logMarks(low, high), filter: (u, splits) => splits } : {}) },
      ],
      series: [{}, ...this.series.map((line) => ({
        stroke: line.stroke, width: line.name || line.measured ? 1 : line.width, alpha: line.name ? 0.4 : line.measured ? 0.35 : 1, dash: line.name ? [5, 3] : undefined,
        points: { show: (u, i) => !line.name && u.data[i].filter((v) => v !== undefined).length < 12, size: 5 },
      }))],
      cursor: { sync: { key: this.sync.key }, drag: { x: false, y: false, setScale: false }, points: { size: 6 } },
      hooks: {
        draw: [(u) => { this.level(u, theme); this.mark(u); }],
        setCursor: [() => this.legend()],
      },
    }, data, this.place);
  }

  // level is the probability from which a selector counts as settled.
  level(u, theme) {
    if (!this.kind.level) return;
    const { ctx, bbox } = u, y = u.valToPos(this.kind.level, "y", true);
    ctx.save();
    ctx.strokeStyle = theme.faint;
    ctx.setLineDash([2, 4]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  // mark puts the events in their places.
  mark(u) {
    const events = this.events || [];
    while (this.marks.length > events.length) this.marks.pop().remove();
    while (this.marks.length < events.length) {
      const mark = fsnet.element("div", { class: "fsnet-event", role: "note" });
      if (this.tabbable) mark.tabIndex = 0;
      this.marks.push(mark);
    }
    const width = u.over.clientWidth;
    events.forEach((event, i) => {
      const mark = this.marks[i], at = u.valToPos(event.at, "x");
      if (mark.parentNode !== u.over) u.over.append(mark);
      mark.style.left = `${at}px`;
      mark.style.display = at > width + 1 ? "none" : "";
      mark.classList.toggle("fsnet-leftward", at > width / 2);
      mark.dataset.step = event.step;
      const text = `step ${event.step}: ${event.text}`;
      if (mark.getAttribute("aria-label") !== text) mark.setAttribute("aria-label", text);
    });
  }

  // value is a series at the cursor, or its last.
  value(i) {
    const values = this.chart.data[i + 1] || [];
    for (let j = this.chart.cursor.idx ?? values.length - 1; j >= 0; j--) if (values[j] !== undefined && values[j] !== null) return values[j];
    return null;
  }

  title() {
    return this.series.some((line) => line.metric.startsWith("r2_")) ? this.kind.other : this.kind.title;
  }

  // own are the session's lines, each once: its value at the cursor, and where it is smoothed the average.
  own() {
    const number = (i) => fsnet.number(this.value(i));
    return this.series.flatMap((line, i) => {
      if (line.name || line.measured) return [];
      if (!line.smooth) return [{ line, value: number(i) }];
      return [{ line, value: number(this.series.findIndex((other) => other.measured && other.metric === line.metric)), average: number(i) }];
    });
  }

  says() {
    return this.own().map(({ line, value, average }) => `${line.label} ${value}${average ? `, smoothed ${average}` : ""}`).join(", ") || "no values yet";
  }

  legend() {
    if (!this.chart) return;
    const keys = [fsnet.element("b", {}, this.title() + (this.kind.log ? " (log)" : ""))];
    const own = this.own();
    own.forEach(({ line, value, average }) => {
      const key = fsnet.element("span", { class: "fsnet-key" }, average ? `${line.label} ${average} (${value})` : `${line.label} ${value}`);
      key.style.setProperty("--line", line.stroke);
      keys.push(key);
    });
    if (own.some(({ line }) => line.smooth)) keys.push(fsnet.element("span", { class: "fsnet-faint" }, `smoothed over ${fsnetSmoothing.words(this.smooth)} (raw)`));
    this.caption.replaceChildren(...keys);
  }

  // The arrow keys move the cursor from point to point.
  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
    const u = this.chart;
    if (!u || !(event.key in steps) || event.target !== this.place) return;
    event.preventDefault();
    event.stopPropagation();
    const x = u.data[0];
    if (!x.length) return;
    const idx = Math.min(Math.max((u.cursor.idx ?? x.length) + steps[event.key], 0), x.length - 1);
    u.setCursor({ left: u.valToPos(x[idx], "x"), top: u.over.clientHeight / 2 }, true, true);
    this.reading.textContent = `epoch ${fsnet.number(x[idx])}: ${this.says()}`;
  }

  close() {
    if (!this.chart) return;
    this.marks.splice(0).forEach((mark) => mark.remove());
    this.chart.destroy();
    this.chart = null;
  }
}

// The chart of what the model is told; ask asks the kernel for everything, pick for a feature by its column.
function fsnetCurves(model, ask, pick) {
  const tracks = new Tracks();
  const sync = uPlot.sync(`fsnet-${Math.random()}`);
  const plot = (kind, i) => new Plot(kind, sync, i === 0);
  const all = [...plots.map(plot), new Courses(sync, pick), ...forming.map((kind) => plot(kind))];
  const others = fsnet.element("div", { class: "fsnet-others" });
  const smoothing = fsnetSmoothing.control(model, () => draw());
  const root = fsnet.element("div", { class: "fsnet-curves" }, others, smoothing.root, ...all.map((plot) => plot.root));
  let number = null, asked = 0, last = 0, waiting = null;

  const paint = fsnet.throttled(() => {
    const width = Math.floor(all[0].root.clientWidth);
    if (!root.isConnected || width < 50) return false;
    last = performance.now();
    const theme = fsnet.theme(root); // there is none before the view is in the page
    const end = tracks.last();
    const whole = Math.floor(root.clientWidth); // the courses take a row of their own
    const smooth = smoothing.fit(end);
    all.forEach((plot) => plot.draw(tracks, theme, plot instanceof Courses ? whole : width, end, smooth));
    others.replaceChildren(...[...tracks.all.keys()].filter(Boolean).map((name) => fsnet.element("span", { class: "fsnet-key fsnet-faded", "data-track": name }, name)));
    const loss = tracks.main.curves.loss;
    root.dataset.points = loss ? loss.steps.length : 0;
    root.dataset.step = loss && loss.steps.length ? loss.steps[loss.steps.length - 1] : 0;
    root.dataset.drawn = 1 + Number(root.dataset.drawn || 0);
  });
  const draw = () => {
    if (waiting !== null) return;
    waiting = setTimeout(() => {
      waiting = null;
      paint();
    }, Math.max(0, last + interval - performance.now()));
  };
  const everything = () => {
    if (performance.now() - asked < 1000 && asked) return;
    asked = performance.now();
    ask();
  };
  const heard = (message) => {
    if (message.kind === "all") tracks.replace(message.tracks);
    else if (message.kind === "add") {
      if (number === null || message.number !== number + 1) return everything();
      message.tracks.forEach((piece) => tracks.take(piece));
      if (tracks.longest() > mostPoints) everything();
    } else return;
    number = message.number;
    draw();
  };
  const look = new ResizeObserver(draw);
  const unthemed = fsnet.onTheme(draw);
  model.on("msg:custom", heard);
  look.observe(root);
  try {
    tracks.replace(JSON.parse(model.get("saved")).tracks); // what a notebook without a kernel has
  } catch {
    // nothing is saved yet
  }
  draw();
  everything();
  const close = () => {
    clearTimeout(waiting);
    paint.stop();
    model.off("msg:custom", heard);
    look.disconnect();
    unthemed();
    smoothing.stop();
    all.forEach((plot) => plot.close());
  };
  return { root, close };
}
