// One plot of curves over the epochs, of a kind as curves.js lists them: lines, a caption that says their values, and what was changed on the
// way as vertical lines with words.
class LinePlot extends EpochChart {
  constructor(kind, sync, tabbable) {
    super(sync, 140);
    this.kind = kind;
    this.tabbable = tabbable; // whether Tab goes to the changes
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

  draw(tracks, frame) {
    const lines = this.lines(tracks, frame.smooth);
    const tables = lines.map((line) => [line.steps.map((step) => step / line.perEpoch), this.kind.log ? line.values.map((v) => (v > 0 ? v : null)) : line.values]);
    this.smooth = frame.smooth;
    this.changes = this.changed(tracks);
    this.show(tables.length ? uPlot.join(tables) : [[]], frame, lines.map((line) => [line.metric, line.name, line.label, line.measured, line.smooth]), () => this.describe(lines));
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
        stroke: line.stroke, width: line.name || line.measured ? 1 : line.width, alpha: line.name ? 0.4 : line.measured ? 0.35 : 1, dash: line.name ? [5, 3] : undefined,
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

  legend() {
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
