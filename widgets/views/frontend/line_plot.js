// One plot of curves over the epochs, of a kind as curves.js lists them: lines, a caption that says their values, and what was changed on the
// way as vertical lines with words.
class LinePlot extends EpochChart {
  constructor(kind, shared, tabbable) {
    super(shared, 140);
    this.kind = kind;
    this.off = new Set(); // metrics that are switched off
    this.tabbable = tabbable; // whether Tab goes to the changes
  }

  // lines are those that have points: the other tracks' first, so that the session's own lie above them. A noisy one is two, what was
  // measured and above it the average; of another track the average stands alone.
  lines(tracks) {
    const list = [];
    const quantity = tracks.quantity(), others = [...tracks.all.keys()].filter(Boolean);
    for (const [name, track] of tracks.all) {
      if (this.shared.hidden.has(name)) continue;
      for (const line of this.kind.lines) {
        const curve = track.curves[line.metric];
        if (!curve || !curve.steps.length) continue;
        const one = { ...line, label: (quantity && line.other) || line.label, name, dash: dashes[others.indexOf(name) % dashes.length], perEpoch: track.perEpoch, steps: curve.steps, values: curve.values };
        if (!curve.smooth) {
          list.push(one);
          continue;
        }
        if (!name) list.push({ ...one, measured: true });
        list.push({ ...one, smooth: true, values: curve.smooth });
      }
    }
    const depth = (line) => (line.name ? 0 : line.measured ? 1 : 2);
    return [0, 1, 2].flatMap((d) => list.filter((line) => depth(line) === d));
  }

  draw(tracks, frame) {
    const lines = this.lines(tracks);
    const tables = lines.map((line) => [line.steps.map((step) => step / line.perEpoch), this.kind.log ? line.values.map((v) => (v > 0 ? v : null)) : line.values]);
    this.smooth = tracks.smooth;
    this.changes = this.changed(tracks);
    this.show(tables.length ? uPlot.join(tables) : [[]], frame, lines.map((line) => [line.metric, line.name, line.label, line.measured, line.smooth, line.dash, this.off.has(line.metric)]), () => this.describe(lines));
    lines.forEach(({ steps }, i) => { this.series[i].steps = steps; });
    this.legend();
    this.place.setAttribute("aria-label", `${this.title()} by epoch: ${this.says()}`);
  }

  describe(lines) {
    const { log, range, whole } = this.kind;
    const wide = (u, low, high) => { // of a logarithmic axis
      if (low === null || high === null || !(high > 0)) return [0.1, 10];
      return [Math.max(low, high * 1e-6) / 1.2, high * 1.2];
    };
    this.series = lines.map((line) => ({ ...line, stroke: this.shade(fsnet.palette[line.colour]) }));
    return {
      lines: this.series.map((line) => ({
        stroke: line.stroke, width: line.name || line.measured ? 1 : line.width, alpha: line.name ? 0.4 : line.measured ? 0.35 : 1, dash: line.name ? line.dash : undefined,
        show: !this.off.has(line.metric),
        points: { show: (u, i) => !line.name && u.data[i].filter((v) => v !== undefined).length < 12, size: 5 },
      })),
      scale: log ? { distr: 3, range: wide } : { range },
      upright: {
        values: (u, splits) => splits.map(fsnet.number),
        ...(whole ? { incrs: [1, 2, 5, 10, 20, 50, 100] } : {}),
        ...(log ? { splits: (u, i, low, high) => logTicks(low, high), filter: (u, splits) => splits } : {}),
      },
      points: { size: 6 },
    };
  }

  paint(u) {
    if (this.kind.level) this.level(u, this.kind.level);
    this.annotate(u, { tabbable: this.tabbable });
  }

  // value is a series at the cursor, or its last.
  value(i) {
    const values = this.uplot.data[i + 1] || [];
    for (let j = this.uplot.cursor.idx ?? values.length - 1; j >= 0; j--) if (values[j] !== undefined && values[j] !== null) return values[j];
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

  moved() {
    if (this.uplot) this.legend(); // else it is being made
  }

  // legend says the value of each line, and switches it off and on.
  legend() {
    const own = this.own(), said = JSON.stringify([this.title(), own.map(({ line }) => [line.metric, line.label, line.stroke])]);
    if (said !== this.named) {
      this.named = said;
      this.keys = own.map(({ line }) => {
        const key = fsnet.element("button", { type: "button", class: "fsnet-key", title: `Show or hide ${line.label}`, onclick: () => this.toggle(line.metric) });
        key.style.setProperty("--line", line.stroke);
        return key;
      });
      this.note = fsnet.element("span", { class: "fsnet-faint" });
      this.caption.replaceChildren(fsnet.element("b", {}, this.title() + (this.kind.log ? " (log)" : "")), ...this.keys, this.note);
      fsnet.ours(this.caption);
    }
    own.forEach(({ line, value, average }, i) => {
      fsnet.put(this.keys[i], average ? `${line.label} ${average} (${value})` : `${line.label} ${value}`);
      fsnet.attribute(this.keys[i], { "aria-pressed": !this.off.has(line.metric) });
    });
    const measured = this.meaning(own.find(({ line }) => line.noisy)?.line);
    fsnet.put(this.note, own.some(({ line }) => line.smooth) ? `smoothed over ${fsnetSmoothing.words(this.smooth)} (${measured})` : measured);
  }

  toggle(metric) {
    if (!this.off.delete(metric)) this.off.add(metric);
    this.shared.redraw();
  }

  // meaning is what a noisy value is of that is said: a step that was made by itself, or the mean over an epoch.
  meaning(line) {
    if (!line) return "";
    const { steps, perEpoch } = line, x = this.uplot.cursor.idx, end = x === null || x === undefined ? Infinity : this.uplot.data[0][x] * perEpoch + 1e-6;
    const at = steps.findLastIndex((step) => step <= end), step = steps[at];
    if (at < 0) return "";
    if (perEpoch === 1 || (step % perEpoch && steps[at - 1] === step - 1)) return "this step";
    return step % perEpoch ? "mean of the epoch so far" : "mean of the epoch";
  }

  // key moves the pointer from point to point.
  key(event) {
    const u = this.uplot;
    if (!u || !(event.key in EpochChart.along) || event.target !== this.place) return;
    event.preventDefault();
    event.stopPropagation();
    const epochs = u.data[0];
    if (!epochs.length) return;
    const idx = Math.min(Math.max((u.cursor.idx ?? epochs.length) + EpochChart.along[event.key], 0), epochs.length - 1);
    u.setCursor({ left: u.valToPos(epochs[idx], "x"), top: u.over.clientHeight / 2 }, true, true);
    this.reading.textContent = `epoch ${fsnet.number(epochs[idx])}: ${this.says()}`;
  }
}

const dashes = [[5, 3], [2, 3], [9, 3, 2, 3], [1, 3]]; // of other tracks

// The ticks of a logarithmic axis: as many of 1, 2, 5 and the others between as have room.
function logTicks(low, high) {
  const room = 0.14 * Math.log10(high / low); // between two ticks
  for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) ticks.push(...digits.map((d) => Number(`${d}e${e}`)).filter((v) => v >= low && v <= high));
    if (ticks.length < 2) break;
    if (ticks.every((v, i) => !i || Math.log10(v / ticks[i - 1]) >= room)) return ticks;
    if (digits.length === 1) return ticks.filter((v, i) => i % Math.ceil(room) === 0);
  }
  const size = 10 ** Math.floor(Math.log10((high - low) / 2)); // less than a factor: as on a linear axis
  const step = [5, 2, 1].map((d) => d * size).find((d) => (high - low) / d >= 2) || size;
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12)));
}
