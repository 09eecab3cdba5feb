// How the selection forms. Each selector has a lane over the epochs, in the colour of its leading
// feature, stronger the more probable that feature is, in the order in which selectors settled; and
// below, a line: its largest probability in P. The kernel chooses the colours; a feature without
// one is grey. A small dot marks another leader, a large one the look from which the selector is
// settled. The pointer, or the arrow keys, name selector, feature and epoch; a click, or Enter,
// picks the feature. A legend entry under the pointer or with the focus brings out its selectors'
// lines.
const linesHeight = 200; // pixels of the chart without its lanes
const edges = 30; // of those, for the axis and the edge
const strengths = 8; // of a lane, as in package chart

class Courses extends EpochChart {
  // shared is the state of the view's charts, as for EpochChart; pick shows a feature by its
  // column.
  constructor(shared, pick) {
    super(shared, linesHeight);
    this.pick = pick;
    this.selector = null; // under the pointer
    this.entry = { hover: null, focus: null }; // features of the legend
    this.first = null; // the feature of the entry that Tab goes to
    this.root.className = "fsnet-convergence";
    this.place.classList.add("fsnet-courses");
    this.legend = fsnet.element("div", { class: "fsnet-leaders", role: "toolbar",
      "aria-label": "Leaders: the arrow keys move from one to the next and bring out its lines, Enter shows the feature" });
    this.place.after(this.legend);
    fsnet.ours(this.place, this.legend);
    this.place.addEventListener("blur", () => this.choose(null));
    this.legend.addEventListener("keydown", (event) => this.moveInLegend(event));
  }

  // draw shows the looks of the session's own track, or hides the chart while it has none.
  draw(tracks, frame) {
    const { looks, formed } = tracks.main;
    const known = Boolean(looks && looks.steps.length);
    this.root.style.display = known ? "" : "none";
    if (!known) return this.close();
    this.looks = looks;
    this.formed = formed;
    this.count = this.leaders.length;
    this.leading = new Set(this.leaders);
    this.full = formed.full; // the probability at full strength
    this.magnified = this.full < 1;
    this.settledAt = formed.settled.map((look) => (look < looks.steps.length ? look : -1)); // not yet, if the past is shown
    this.order = formed.order;
    this.changes = this.changesOf(tracks);
    this.band = this.changes.length ? 18 : 0; // for the text of the changes
    this.pitch = Math.min(13, Math.max(4, Math.floor(220 / this.count))); // of lanes
    const lanesHeight = this.band + this.pitch * this.count + 8;
    this.height = linesHeight + lanesHeight;
    const ticks = this.magnified
      ? [0, Number((this.full / 2).toPrecision(1)), Number(this.full.toPrecision(2))]
      : [0, 0.2, 0.4, 0.6, 0.8, 1];
    const inside = linesHeight - edges;
    const top = ((this.magnified ? 1.08 * this.full : 1.02) * (inside + lanesHeight)) / inside;
    const courses = Array.from({ length: this.count }, (_, k) => looks.values.map((row) => row[k]));
    const epochs = looks.steps.map((step) => step / tracks.main.perEpoch);
    const narrow = frame.width < 560;
    this.show([epochs, ...courses], frame, [this.count, ticks, narrow], () => ({
      lines: courses.map(() => ({ paths: () => null, points: { show: false } })), // paint draws them
      right: narrow ? 70 : 120,
      scale: { range: [0, top] },
      upright: { splits: () => ticks, values: (u, at) => at.map(fsnet.number) },
    }));
    this.listLeaders();
    this.writeCaption();
  }

  // leaders returns the leader of each selector at the last look.
  get leaders() {
    return this.looks.leaders.at(-1);
  }

  // listLeaders fills the legend: an entry for each leader, with the selectors that share it.
  // Beyond ten leaders, colours repeat, and the pointer identifies an entry's lines.
  listLeaders() {
    const now = JSON.stringify([this.leaders, this.leaders.map((j) => this.colour(j))]);
    if (now === this.listed) return this.mark();
    this.listed = now;
    const focused = this.legend.contains(document.activeElement) ? this.entry.focus ?? this.first : null;
    this.entries = new Map([...this.leading].map((j) => [j, this.makeEntry(j)]));
    if (!this.leading.has(this.first)) this.first = this.entries.keys().next().value;
    if (!this.leading.has(this.entry.hover)) this.entry.hover = null;
    const title = this.leading.size > fsnet.palette.length ? `${this.leading.size} leaders` : "leaders";
    this.legend.replaceChildren(fsnet.element("span", { class: "fsnet-faint" }, title), ...this.entries.values());
    if (focused !== null) { // the focus stays in the legend
      const lit = this.entry.focus !== null;
      this.focus(this.leading.has(focused) ? focused : this.first);
      if (!lit) this.entry.focus = null;
    }
    this.mark();
  }

  // makeEntry returns the button of a leader in the legend. The pointer or the focus brings out its
  // selectors' lines; a click picks the feature.
  makeEntry(j) {
    const name = this.feature(j), led = this.selectorsOf(j);
    const text = fsnet.shorten(name, 20) + (led.length > 1 ? ` (${selectorWords(led)})` : "");
    const light = (how, feature) => {
      this.entry[how] = feature;
      this.emphasise();
    };
    const entry = fsnet.element("button", {
      type: "button", class: "fsnet-key fsnet-leader", title: name, "aria-label": `${name}, leads ${selectorWords(led)}`,
      onclick: () => this.pick(j),
      onpointerenter: () => light("hover", j),
      onpointerleave: () => light("hover", null),
      onblur: () => this.entries.get(j) === entry && light("focus", null), // unless another entry replaced it
      onfocus: () => {
        this.first = j;
        light("focus", j);
        this.reading.textContent = this.leaderWords(j);
      },
    }, text);
    entry.style.setProperty("--line", this.colour(j));
    return entry;
  }

  feature(j) {
    return this.formed.features[j]?.name ?? `#${j}`;
  }

  // selectorsOf returns the selectors that a feature leads now.
  selectorsOf(j) {
    return this.leaders.flatMap((leader, k) => (leader === j ? [k] : []));
  }

  // leaderWords lists the selectors that a feature leads now, with their probabilities.
  leaderWords(j) {
    const now = this.looks.values.at(-1);
    return `${this.feature(j)} leads ${selectorWords(this.selectorsOf(j).map((k) => `${k} (${fsnet.number(now[k])})`))}`;
  }

  // chosen returns the feature of the entry under the pointer, or with the focus.
  get chosen() {
    return this.entry.hover ?? this.entry.focus;
  }

  // inspected returns the leader of the selector under the pointer at the cursor, or else the
  // chosen feature; null for none.
  get inspected() {
    return this.selector === null ? this.chosen : this.looks.leaders[this.look()][this.selector];
  }

  // isLit returns whether a selector's line is in full strength: the line under the pointer, the
  // chosen feature's lines, or all.
  isLit(k) {
    if (this.selector !== null) return this.selector === k;
    return this.chosen === null || this.leaders[k] === this.chosen;
  }

  // emphasise shows which lines are in full strength now.
  emphasise() {
    if (!this.uplot) return;
    this.mark();
    this.writeCaption();
    this.uplot.redraw(false);
  }

  // mark highlights the inspected leader in the legend, and lets Tab go to one entry alone.
  mark() {
    const { inspected } = this;
    this.entries?.forEach((entry, j) => {
      entry.classList.toggle("fsnet-lit", j === inspected);
      entry.classList.toggle("fsnet-unlit", inspected !== null && j !== inspected);
      entry.tabIndex = j === this.first ? 0 : -1;
    });
  }

  focus(j) {
    this.entries.get(j)?.focus();
  }

  // moveInLegend moves the focus between entries; Escape shows all lines again.
  moveInLegend(event) {
    const list = [...this.entries.keys()], at = list.indexOf(this.first);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== undefined) return this.focus(list[(to + list.length) % list.length]);
    this.entry = { hover: null, focus: null };
    this.emphasise();
  }

  // colour returns a feature's colour at a look, by default the last.
  colour(feature, look = this.looks.steps.length - 1) {
    const { colour, from } = this.formed.features[feature] || {};
    return colour && this.looks.steps[look] >= from ? this.shade(colour) : this.theme.faint;
  }

  // make also notices when the pointer enters and leaves the plot.
  make(...chart) {
    super.make(...chart);
    const { over } = this.uplot;
    over.addEventListener("pointerenter", () => { this.hovered = true; });
    over.addEventListener("pointerleave", () => {
      this.hovered = false;
      this.choose(null);
    });
  }

  clicked() {
    super.clicked();
    this.pickLeader();
  }

  // paint draws the changes, lanes, lines and names. Lines in full strength lie above the others.
  paint(u) {
    const { ctx, bbox } = u, scale = devicePixelRatio || 1;
    this.annotate(u, { worded: true });
    if (!this.magnified) this.level(u, fsnet.settledFrom);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineJoin = "round";
    this.paintLanes(u, scale);
    const selectors = [...Array(this.count).keys()];
    for (const k of selectors.filter((k) => !this.isLit(k))) this.paintLine(u, k, scale);
    for (const k of selectors.filter((k) => this.isLit(k))) this.paintLine(u, k, scale);
    ctx.restore();
    this.paintNames(u, scale);
  }

  // paintLine draws a selector's line in pieces of one colour, then its dots.
  paintLine(u, k, scale) {
    const { ctx } = u, { leaders, values } = this.looks;
    const x = (i) => u.valToPos(u.data[0][i], "x", true), y = (i) => u.valToPos(values[i][k], "y", true);
    const colourAt = (i) => this.colour(leaders[i][k], i);
    const isLit = this.isLit(k), isEmphasised = isLit && (this.selector !== null || this.chosen !== null);
    ctx.globalAlpha = isLit ? 1 : this.count > 15 ? 0.12 : 0.25;
    for (let from = 0; from < leaders.length - 1;) {
      const colour = colourAt(from + 1);
      let to = from + 1;
      while (to + 1 < leaders.length && colourAt(to + 1) === colour) to++;
      ctx.strokeStyle = colour;
      ctx.lineWidth = scale * (isEmphasised ? 2.5 : colour === this.theme.faint ? 1 : 1.5);
      ctx.beginPath();
      ctx.moveTo(x(from), y(from));
      for (let i = from + 1; i <= to; i++) ctx.lineTo(x(i), y(i));
      ctx.stroke();
      from = to;
    }
    const dot = (i, radius) => {
      ctx.fillStyle = colourAt(i);
      ctx.beginPath();
      ctx.arc(x(i), y(i), radius * scale, 0, 2 * Math.PI);
      ctx.fill();
    };
    for (let i = 1; i < leaders.length; i++) {
      if (leaders[i][k] !== leaders[i - 1][k]) dot(i, 1.7);
    }
    if (this.settledAt[k] >= 0) dot(this.settledAt[k], 4);
    else if (leaders.length === 1) dot(0, 1.7);
  }

  // paintLanes draws the lanes in pieces of one colour and strength.
  paintLanes(u, scale) {
    const { ctx, bbox } = u, { leaders, values } = this.looks, last = leaders.length - 1;
    const x = (i) => u.valToPos(u.data[0][i], "x", true);
    const thickness = (this.pitch > 6 ? this.pitch - 2 : this.pitch - 1) * scale;
    this.order.forEach((k, lane) => {
      const y = bbox.top + (this.band + lane * this.pitch) * scale, alpha = this.isLit(k) ? 1 : 0.25;
      const colourAt = (i) => this.colour(leaders[i][k], i);
      const strengthAt = (i) => Math.min(Math.floor((values[i][k] / this.full) * strengths), strengths - 1);
      for (let from = 0; from < Math.max(last, 1);) {
        const colour = colourAt(from), strength = strengthAt(from);
        let to = from + 1;
        while (to < last && colourAt(to) === colour && strengthAt(to) === strength) to++;
        const left = last ? x(from) : bbox.left, right = x(Math.min(to, last));
        ctx.globalAlpha = alpha * (colour === this.theme.faint ? 0.15 : (strength + 1) / strengths);
        ctx.fillStyle = colour;
        ctx.fillRect(left, y, right - left, thickness);
        from = to;
      }
      ctx.globalAlpha = alpha;
      ctx.fillStyle = this.theme.text;
      if (this.settledAt[k] >= 0) {
        ctx.beginPath();
        ctx.arc(x(this.settledAt[k]), y + thickness / 2, Math.min(3 * scale, thickness / 2), 0, 2 * Math.PI);
        ctx.fill();
      }
    });
  }

  // paintNames writes the leaders' names at the right ends of lanes and lines, and the selectors'
  // numbers left of the lanes.
  paintNames(u, scale) {
    const { ctx, bbox } = u;
    const end = Math.max(0, u.data[0].findLastIndex((epoch) => epoch <= this.range[1] + 1e-9)); // the last look in range
    const leaders = this.looks.leaders[end];
    const left = bbox.left + bbox.width + 6 * scale, room = u.width * scale - left;
    const write = (j, y, k) => {
      ctx.globalAlpha = this.isLit(k) ? 1 : 0.3;
      ctx.fillStyle = this.colour(j, end);
      ctx.fillText(fsnet.fitted(ctx, this.feature(j), room), left, y);
    };
    ctx.save();
    ctx.font = `${10 * scale}px ${this.theme.font}`;
    ctx.textBaseline = "middle";
    if (this.pitch >= 10) {
      const middle = (lane) => bbox.top + (this.band + (lane + 0.5) * this.pitch) * scale;
      ctx.fillStyle = this.theme.faint;
      ctx.textAlign = "right";
      this.order.forEach((k, lane) => ctx.fillText(k, bbox.left - 6 * scale, middle(lane)));
      ctx.textAlign = "left";
      this.order.forEach((k, lane) => write(leaders[k], middle(lane), k));
    }
    for (const { j, y } of this.lineEnds(u, end, scale)) write(j, y, leaders.indexOf(j));
    ctx.restore();
  }

  // lineEnds returns the leaders at look end with the heights of their lines' ends, moved apart; an
  // empty list if they do not fit. scale is device pixels per pixel.
  lineEnds(u, end, scale) {
    const { bbox } = u, leaders = this.looks.leaders[end], values = this.looks.values[end];
    const pitch = 11 * scale, bottom = bbox.top + bbox.height, top = bbox.top + (this.band + this.pitch * this.count + 10) * scale;
    const highest = (j) => Math.max(...leaders.map((leader, k) => (leader === j ? values[k] : 0)));
    const ends = [...new Set(leaders)].map((j) => ({ j, y: u.valToPos(highest(j), "y", true) })).sort((a, b) => a.y - b.y);
    if (ends.length * pitch > bottom - top) return [];
    ends.forEach((line, i) => { line.y = Math.max(line.y, i ? ends[i - 1].y + pitch : top); });
    let most = bottom;
    for (const line of [...ends].reverse()) { // back from the bottom
      line.y = Math.min(line.y, most);
      most = line.y - pitch;
    }
    return ends;
  }

  // moved finds the selector whose lane is under the pointer, or whose line is nearest.
  moved(u) {
    if (!this.hovered) return;
    const { idx, top } = u.cursor, values = this.looks.values[idx];
    if (!values) return this.choose(null);
    const lane = Math.floor((top - this.band) / this.pitch);
    if (lane < this.count) return this.choose(this.order[lane] ?? null);
    const distances = values.map((p) => Math.abs(u.valToPos(p, "y") - top));
    const nearest = distances.indexOf(Math.min(...distances));
    this.choose(distances[nearest] < 24 ? nearest : null);
  }

  // choose makes selector k the one under the pointer, or none if k is null: its line stands out,
  // and caption and legend name its leader.
  choose(k) {
    const changed = this.selector !== k;
    this.selector = k;
    if (!this.uplot) return;
    this.writeCaption();
    this.mark();
    if (changed) this.uplot.redraw(false);
  }

  // look returns the look at the cursor, or the last.
  look() {
    const last = this.looks.steps.length - 1;
    return Math.min(this.uplot.cursor.idx ?? last, last);
  }

  // pointWords describes a selector at a look.
  pointWords(k, i) {
    const { leaders, values, steps } = this.looks, epoch = fsnet.number(this.uplot.data[0][i]);
    return `selector ${k}: ${this.feature(leaders[i][k])} ${fsnet.number(values[i][k])} at epoch ${epoch}, step ${steps[i]}`;
  }

  // writeCaption describes the point under the pointer, the chosen feature, or the selection.
  writeCaption() {
    const { inspected, selector } = this;
    const summary = this.at !== null ? `as it was at step ${this.looks.steps.at(-1)}` : this.formed.summary;
    let text = summary;
    if (selector !== null) text = this.pointWords(selector, this.look());
    else if (inspected !== null) text = this.leaderWords(inspected);
    const words = fsnet.element("span", {}, text);
    if (inspected !== null) {
      words.className = "fsnet-key";
      words.style.setProperty("--line", this.colour(inspected, selector === null ? undefined : this.look()));
    }
    const title = `Leader of each selector, and its probability${this.magnified ? ", magnified" : ""}`;
    this.caption.replaceChildren(fsnet.element("b", {}, title), words);
    fsnet.attribute(this.place, { "aria-label": `Convergence: ${summary}. ` +
      "Arrow keys move along the epochs and between selectors, Enter shows the feature, Escape all lines alike." });
  }

  // pickLeader shows the feature of the point under the pointer.
  pickLeader() {
    if (this.selector !== null) this.pick(this.looks.leaders[this.look()][this.selector]);
  }

  // key moves the cursor along the looks and, by height, between selectors; Enter picks the
  // feature, Escape shows all lines alike.
  key(event) {
    const along = EpochChart.along[event.key], across = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const known = along !== undefined || across !== undefined || ["Enter", "Escape"].includes(event.key);
    if (!this.uplot || event.target !== this.place || !known) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") return this.pickLeader();
    if (event.key === "Escape") return this.choose(null);
    const u = this.uplot, epochs = u.data[0];
    const i = Math.min(Math.max(this.look() + (along ?? 0), 0), epochs.length - 1);
    const values = this.looks.values[i];
    const ranked = [...Array(this.count).keys()].sort((a, b) => values[a] - values[b]); // from below
    const rank = this.selector === null ? this.count - 1 : ranked.indexOf(this.selector) + (across ?? 0);
    const k = ranked[Math.min(Math.max(rank, 0), this.count - 1)];
    this.hovered = false;
    u.setCursor({ left: u.valToPos(epochs[i], "x"), top: u.valToPos(values[k], "y") }, true, true);
    this.choose(k);
    this.reading.textContent = this.pointWords(k, i);
  }
}

function selectorWords(list) {
  return `${list.length > 1 ? "selectors" : "selector"} ${list.join(", ")}`;
}
