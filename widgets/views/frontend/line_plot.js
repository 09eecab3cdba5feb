// A plot of curves over the epochs, of a kind that curves.js lists: lines, a caption with their
// values, and changes as vertical lines. It is small, one of a row, until a click, or its title,
// makes it large.
const heights = { small: 78, large: 200 }; // pixels
const dashes = [[5, 3], [2, 3], [9, 3, 2, 3], [1, 3]]; // of other tracks

class LinePlot extends EpochChart {
  constructor(kind, shared, tabbable) {
    super(shared, heights.small);
    this.kind = kind;
    this.root.classList.add("fsnet-multiple");
    this.off = new Set(); // metrics that are switched off
    this.tabbable = tabbable; // whether Tab goes to the changes
  }

  // lines returns the lines that have points, the other tracks' first, so that the session's own
  // lie above them. A smoothed line is two: the measured values, and above them the average; of
  // another track the average alone.
  lines(tracks) {
    const behind = [], measured = [], front = [];
    const quantity = tracks.quantity(), others = [...tracks.all.keys()].filter(Boolean);
    for (const [name, { curves, perEpoch }] of tracks.all) {
      if (this.shared.hidden.has(name)) continue;
      for (const kind of this.kind.lines) {
        const curve = curves[kind.metric];
        if (!curve?.steps.length) continue;
        const label = (quantity && kind.other) || kind.label;
        const dash = dashes[others.indexOf(name) % dashes.length];
        const line = { ...kind, label, name, dash, perEpoch, steps: curve.steps, values: curve.values };
        if (curve.smooth && !name) measured.push({ ...line, measured: true });
        (name ? behind : front).push(curve.smooth ? { ...line, smooth: true, values: curve.smooth } : line);
      }
    }
    return [...behind, ...measured, ...front];
  }

  get large() {
    return this.shared.enlarged === this.kind;
  }

  // clicked makes the plot large, or small again.
  clicked() {
    this.shared.enlarge(this.kind);
  }

  // draw shows the lines of all tracks that are not hidden, with values that a logarithmic scale
  // cannot show as gaps.
  draw(tracks, frame) {
    this.height = this.large ? heights.large : heights.small;
    this.narrow = frame.width < 560;
    this.main = tracks.main;
    const lines = this.lines(tracks);
    const drawable = (v) => (!this.kind.log || v > 0 ? v : null);
    const tables = lines.map(({ steps, values, perEpoch }) => [steps.map((step) => step / perEpoch), values.map(drawable)]);
    const shape = lines.map(({ metric, name, label, measured, smooth, dash }) =>
      [metric, name, label, measured, smooth, dash, this.off.has(metric), this.kind.courses && this.full]);
    this.smooth = tracks.smooth;
    this.changes = this.changesOf(tracks);
    this.show(tables.length ? uPlot.join(tables) : [[]], frame, shape, () => this.describe(lines));
    lines.forEach(({ steps }, i) => { this.series[i].steps = steps; });
    this.legend();
    this.place.setAttribute("aria-label", `${this.title()} by epoch: ${this.values()}`);
  }

  // describe returns what make needs for these lines, and stores them, with their colours, as
  // series.
  describe(lines) {
    const { log, range, whole } = this.kind;
    const logRange = (u, low, high) => {
      if (low === null || high === null || !(high > 0)) return [0.1, 10];
      return [Math.max(low, high * 1e-6) / 1.2, high * 1.2];
    };
    const small = (value) => (!this.large && value > 0 && value < 1e-3 ? value.toExponential() : fsnet.number(value)); // 0.0001 has no room
    const upright = { values: (u, splits) => splits.map(small), ...(this.large ? {} : { size: 40, space: 22, font: `10px ${this.theme.font}` }) };
    if (whole) upright.incrs = [1, 2, 5, 10, 20, 50, 100];
    if (log) {
      upright.splits = (u, i, low, high) => logTicks(low, high);
      upright.filter = (u, splits) => splits;
    }
    this.series = lines.map((line) => ({ ...line, stroke: this.shade(fsnet.palette[line.colour]) }));
    const scale = log ? { distr: 3, range: logRange } : { range: this.kind.courses ? [0, this.full < 1 ? 1.1 * this.full : 1] : range };
    const right = this.large ? (this.narrow ? 76 : 130) : 0;
    return { lines: this.series.map((line) => this.uplotSeries(line)), scale, upright, points: { size: 6 }, right, level: this.large };
  }

  // uplotSeries returns a line as uPlot draws it. Lines of few points have dots.
  uplotSeries({ name, measured, metric, stroke, width, dash }) {
    const few = (u, i) => u.data[i].filter((v) => v !== undefined).length < 12;
    return {
      stroke,
      width: name || measured ? 1 : width,
      alpha: name ? 0.4 : measured ? 0.35 : 1,
      dash: name ? dash : undefined,
      show: !this.off.has(metric),
      points: { show: (u, i) => !name && few(u, i), size: 5 },
    };
  }

  // full returns the probability at full strength: less than 1 where P barely moved.
  get full() {
    return this.main?.formed?.full ?? 1;
  }

  paint(u) {
    if (this.kind.level && this.full === 1) this.level(u, this.kind.level);
    if (this.kind.courses && this.large && this.main.looks) this.paintCourses(u);
    this.finalScores().forEach((value, i) => this.dot(u, value, fsnet.palette[i]));
    this.annotate(u, { tabbable: this.tabbable });
  }

  // finalScores returns the scores of the final networks, of the training and the validation rows,
  // as far as they are known and this is their plot.
  finalScores() {
    const { final } = this.shared;
    return this.kind.final && final ? [final.train, final.validation] : [];
  }

  // dot draws a value at the right edge, unless it is null.
  dot(u, value, colour) {
    if (value === null) return;
    const { ctx, bbox } = u, scale = devicePixelRatio || 1;
    ctx.beginPath();
    ctx.arc(bbox.left + bbox.width - 4 * scale, u.valToPos(value, "y", true), 4 * scale, 0, 2 * Math.PI);
    ctx.fillStyle = this.shade(colour);
    ctx.fill();
    ctx.strokeStyle = this.theme.paper;
    ctx.lineWidth = scale;
    ctx.stroke();
  }

  // paintCourses draws the largest probability of each selector, in the colour of its leader.
  paintCourses(u) {
    const { ctx, bbox } = u, { looks, perEpoch } = this.main, scale = devicePixelRatio || 1;
    const x = (i) => u.valToPos(looks.steps[i] / perEpoch, "x", true), y = (i, k) => u.valToPos(looks.values[i][k], "y", true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.25 * scale;
    for (const k of looks.leaders[0].keys()) {
      const colourAt = (i) => this.courseColour(this.main, looks.leaders[i][k], i);
      for (let from = 0; from < looks.steps.length - 1;) {
        const colour = ctx.strokeStyle = colourAt(from + 1);
        ctx.beginPath();
        ctx.moveTo(x(from), y(from, k));
        do {
          from++;
          ctx.lineTo(x(from), y(from, k));
        } while (from + 1 < looks.steps.length && colourAt(from + 1) === colour);
        ctx.stroke();
      }
    }
    ctx.restore();
  }

  // value returns the value of series i at the cursor or the last before it, without a cursor the
  // last of all; null without any.
  value(i) {
    const values = this.uplot.data[i + 1] || [];
    for (let j = this.uplot.cursor.idx ?? values.length - 1; j >= 0; j--) {
      if (values[j] !== undefined && values[j] !== null) return values[j];
    }
    return null;
  }

  // title returns the kind's title, or its other one where R² replaces the accuracy.
  title() {
    return this.series.some((line) => line.metric.startsWith("r2_")) ? this.kind.other : this.kind.title;
  }

  // own returns the session's lines with their values at the cursor, of smoothed lines the
  // averages. A quiet kind has values only at the cursor, because the line of state has them.
  own() {
    const isQuiet = this.kind.quiet && (this.uplot.cursor.idx ?? null) === null;
    return this.series.flatMap((line, i) => (line.name || line.measured ? [] : [{ line, value: isQuiet ? "" : fsnet.number(this.value(i)) }]));
  }

  // values lists the values at the cursor.
  values() {
    return this.own().map(({ line, value }) => `${line.label} ${value}`).join(", ") || "no values yet";
  }

  moved() {
    if (this.uplot) this.legend(); // it is null while it is being made
  }

  // legend shows the value of each line, with a button that hides it.
  legend() {
    const own = this.own();
    const now = JSON.stringify([this.title(), this.large, own.map(({ line }) => [line.metric, line.label, line.stroke])]);
    if (now !== this.listed) {
      this.listed = now;
      this.makeLegend(own.map(({ line }) => line));
    }
    own.forEach(({ line, value }, i) => {
      fsnet.put(this.keys[i], `${this.large ? line.label : line.short ?? line.label} ${value}`);
      if (this.large) fsnet.attribute(this.keys[i], { "aria-pressed": !this.off.has(line.metric) });
    });
    const meaning = this.kind.means ? this.meaning(own[0]?.line) : "";
    const isSmooth = own.some(({ line }) => line.smooth);
    const note = isSmooth ? `averaged over ${fsnetSmoothing.words(this.smooth)}` : meaning;
    const scores = this.finalScores().filter((value) => value !== null).map(fsnet.number);
    fsnet.put(this.final, scores.length ? `● final networks ${scores.join(", ")}` : "");
    fsnet.put(this.note, this.large ? note : "");
    fsnet.attribute(this.caption, { title: note });
  }

  // makeLegend makes the caption: the title, which makes the plot large and small again, a key for
  // each line, which hides it where the plot is large, and the place of the note.
  makeLegend(lines) {
    const { element } = fsnet, focused = this.caption.contains(document.activeElement);
    this.keys = lines.map(({ metric, label, stroke }) => {
      const switches = { type: "button", title: `Show or hide ${label}`, onclick: () => this.toggle(metric) };
      const key = element(this.large ? "button" : "span", { class: "fsnet-key", ...(this.large ? switches : {}) });
      key.style.setProperty("--line", stroke);
      return key;
    });
    this.note = element("span", { class: "fsnet-faint" });
    this.final = element("span", { title: "on the training and the validation rows; the curves are of the trained network" });
    const title = element("button", { type: "button", class: "fsnet-title", "aria-expanded": this.large,
      title: this.large ? "Make it small again" : "Make it large", onclick: () => this.clicked() }, this.title() + (this.kind.log && this.large ? " (log)" : ""));
    this.caption.replaceChildren(title, ...this.keys, this.final, this.note);
    if (focused) title.focus();
    this.root.classList.toggle("fsnet-large", this.large);
    fsnet.ours(this.caption);
  }

  // toggle shows or hides the lines of a metric, and draws the view again.
  toggle(metric) {
    if (!this.off.delete(metric)) this.off.add(metric);
    this.shared.redraw();
  }

  // meaning describes a training value at the cursor: a single step, or a mean over an epoch.
  meaning(line) {
    if (!line) return "";
    const { steps, perEpoch } = line, { data, cursor: { idx } } = this.uplot;
    const end = (idx ?? null) === null ? Infinity : data[0][idx] * perEpoch + 1e-6;
    const at = steps.findLastIndex((step) => step <= end), step = steps[at];
    if (at < 0) return "";
    const isSingle = step % perEpoch && steps[at - 1] === step - 1;
    if (perEpoch === 1 || isSingle) return "this step";
    return step % perEpoch ? "mean of the epoch so far" : "mean of the epoch";
  }

  // key moves the cursor from point to point.
  key(event) {
    const u = this.uplot;
    if (!u || event.target !== this.place || !(event.key in EpochChart.along || event.key === "Enter")) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") return this.clicked();
    const epochs = u.data[0];
    if (!epochs.length) return;
    const next = (u.cursor.idx ?? epochs.length) + EpochChart.along[event.key];
    const idx = Math.min(Math.max(next, 0), epochs.length - 1);
    u.setCursor({ left: u.valToPos(epochs[idx], "x"), top: u.over.clientHeight / 2 }, true, true);
    this.reading.textContent = `epoch ${fsnet.number(epochs[idx])}: ${this.values()}`;
  }
}

// logTicks returns multiples of powers of ten from low to high, neighbours at least 14 % of the axis
// apart: as many digits as fit. If fewer than two lie inside, the ticks are linear.
function logTicks(low, high) {
  const room = 0.14 * Math.log10(high / low); // between two ticks
  const inside = (v) => v >= low && v <= high;
  for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
      ticks.push(...digits.map((d) => Number(`${d}e${e}`)).filter(inside));
    }
    if (ticks.length < 2) break;
    if (ticks.every((v, i) => !i || Math.log10(v / ticks[i - 1]) >= room)) return ticks;
    if (digits.length === 1) return ticks.filter((v, i) => i % Math.ceil(room) === 0);
  }
  return linearTicks(low, high);
}

// linearTicks returns ticks of a logarithmic axis that spans less than a factor of two.
function linearTicks(low, high) {
  const size = 10 ** Math.floor(Math.log10((high - low) / 2));
  const step = [5, 2, 1].map((d) => d * size).find((d) => (high - low) / d >= 2) || size;
  const first = Math.ceil(low / step), count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
