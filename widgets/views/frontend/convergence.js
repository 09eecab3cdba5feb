// How the selection forms: a lane for each selector over the epochs, in the colour of the feature that leads it, the stronger the more
// probable, those that settled first at the top; below, on the same epochs, its largest probability in P. The kernel says which colour a
// feature has; one without is grey. A small dot is another leader, a large one where the selector settled. Names stand at the right end of
// lane and line. The pointer, or the arrow keys, name selector, feature and epoch; a click, or Enter, picks the feature. The legend names who leads now, and an entry that is
// pointed at or has the focus leaves only its selectors' lines in full strength, so that as many as there are can be told apart.
const lines = 200; // pixels of the chart without its lanes
const least = 30; // of those, for the axis and the edge
const strengths = 8; // of a lane, as package chart has them

class Courses extends EpochChart {
  constructor(shared, pick) {
    super(shared, lines);
    this.pick = pick;
    this.selector = null; // the selector that is pointed at
    this.entry = { hover: null, focus: null }; // features of the legend
    this.first = null; // the feature of the entry that Tab goes to
    this.root.className = "fsnet-convergence";
    this.place.classList.add("fsnet-courses");
    this.legend = fsnet.element("div", { class: "fsnet-leaders", role: "toolbar", "aria-label": "Leaders: the arrow keys move from one to the next and bring out its lines, Enter shows the feature" });
    this.place.after(this.legend);
    fsnet.ours(this.place, this.legend);
    this.place.addEventListener("blur", () => this.choose(null));
    this.legend.addEventListener("keydown", (event) => this.along(event));
  }

  draw(tracks, frame) {
    const { looks, formed } = tracks.main;
    const known = Boolean(looks && looks.steps.length);
    this.root.style.display = known ? "" : "none";
    if (!known) return this.close();
    this.looks = looks;
    this.count = this.leadersNow.length;
    this.leading = new Set(this.leadersNow);
    this.formed = formed;
    this.full = formed.full; // the probability of full strength
    this.magnified = this.full < 1;
    this.since = formed.settled.map((look) => (look < looks.steps.length ? look : -1)); // less where the past is shown
    this.order = formed.order;
    this.changes = this.changed(tracks);
    this.band = this.changes.length ? 18 : 0; // of the words of the changes
    this.pitch = Math.min(13, Math.max(4, Math.floor(220 / this.count))); // of lanes
    const above = this.band + this.pitch * this.count + 8;
    this.high = lines + above;
    const ticks = this.magnified ? [0, Number((this.full / 2).toPrecision(1)), Number(this.full.toPrecision(2))] : [0, 0.2, 0.4, 0.6, 0.8, 1];
    const top = ((this.magnified ? 1.08 * this.full : 1.02) * (lines - least + above)) / (lines - least);
    const courses = Array.from({ length: this.count }, (_, k) => looks.values.map((row) => row[k]));
    const unseen = { paths: () => null, points: { show: false } }; // paint draws them
    this.show([looks.steps.map((step) => step / tracks.main.perEpoch), ...courses], frame, [this.count, ticks, frame.width < 560],
      () => ({ lines: courses.map(() => unseen), right: frame.width < 560 ? 70 : 120, scale: { range: [0, top] }, upright: { splits: () => ticks, values: (u, at) => at.map(fsnet.number) } }));
    this.name();
    this.says();
  }

  // leadersNow are the features that lead each selector at the last look.
  get leadersNow() {
    return this.looks.leaders[this.looks.leaders.length - 1];
  }

  // name says whose colour is whose, and which selectors share a leader. Beyond ten, where colours come again, an entry that is pointed at
  // says it.
  name() {
    const now = this.leadersNow;
    const said = JSON.stringify([now, now.map((j) => this.colour(j))]);
    if (said === this.named) return this.mark();
    this.named = said;
    const had = this.legend.contains(document.activeElement) ? this.entry.focus ?? this.first : null;
    this.entries = new Map([...this.leading].map((j) => [j, this.entryOf(j)]));
    if (!this.leading.has(this.first)) this.first = this.entries.keys().next().value;
    if (!this.leading.has(this.entry.hover)) this.entry.hover = null;
    this.legend.replaceChildren(fsnet.element("span", { class: "fsnet-faint" }, this.leading.size > fsnet.palette.length ? `${this.leading.size} leaders` : "leaders"), ...this.entries.values());
    if (had !== null) { // who was in it stays there
      const lit = this.entry.focus !== null;
      this.focus(this.leading.has(had) ? had : this.first);
      if (!lit) this.entry.focus = null;
    }
    this.mark();
  }

  // entryOf is the legend's entry of a feature that leads.
  entryOf(j) {
    const name = this.feature(j), led = this.led(j);
    const words = (name.length > 20 ? name.slice(0, 19) + "…" : name) + (led.length > 1 ? ` (${selectors(led)})` : "");
    const point = (which, feature) => {
      this.entry[which] = feature;
      this.emphasise();
    };
    const key = fsnet.element("button", {
      type: "button", class: "fsnet-key fsnet-leader", title: name, "aria-label": `${name}, leads ${selectors(led)}`,
      onclick: () => this.pick(j), onpointerenter: () => point("hover", j), onpointerleave: () => point("hover", null), onblur: () => this.entries.get(j) === key && point("focus", null), // not where another takes its place
      onfocus: () => {
        this.first = j;
        point("focus", j);
        this.reading.textContent = this.leads(j);
      },
    }, words);
    key.style.setProperty("--line", this.colour(j));
    return key;
  }

  feature(j) {
    return this.formed.features[j]?.name ?? `#${j}`;
  }

  // led are the selectors that a feature leads now.
  led(j) {
    return this.leadersNow.flatMap((leader, k) => (leader === j ? [k] : []));
  }

  leads(j) {
    const now = this.looks.values[this.looks.values.length - 1], led = this.led(j).map((k) => `${k} (${fsnet.number(now[k])})`);
    return `${this.feature(j)} leads ${selectors(led)}`;
  }

  // chosen is the feature whose entry is pointed at, or else has the focus.
  get chosen() {
    return this.entry.hover ?? this.entry.focus;
  }

  // looked is the feature that is looked at: the leader of the selector that is pointed at, or the chosen one.
  get looked() {
    return this.selector === null ? this.chosen : this.looks.leaders[this.look()][this.selector];
  }

  // lit is whether a selector's line is in full strength: the one that is read, or those of the entry, or all.
  lit(k) {
    if (this.selector !== null) return this.selector === k;
    return this.chosen === null || this.leadersNow[k] === this.chosen;
  }

  emphasise() {
    if (!this.uplot) return;
    this.mark();
    this.says();
    this.uplot.redraw(false);
  }

  // mark shows in the legend which leader is looked at, and lets Tab go to one entry alone.
  mark() {
    const looked = this.looked;
    this.entries?.forEach((key, j) => {
      key.classList.toggle("fsnet-lit", j === looked);
      key.classList.toggle("fsnet-unlit", looked !== null && j !== looked);
      key.tabIndex = j === this.first ? 0 : -1;
    });
  }

  focus(j) {
    this.entries.get(j)?.focus();
  }

  // along moves between the legend's entries; Escape shows all lines again.
  along(event) {
    const list = [...this.entries.keys()], at = list.indexOf(this.first);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: list.length - 1 }[event.key];
    if (to === undefined && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== undefined) return this.focus(list[(to + list.length) % list.length]);
    this.entry = { hover: null, focus: null };
    this.emphasise();
  }

  // colour is that of a feature at a look, the last where none is said.
  colour(feature, look = this.looks.steps.length - 1) {
    const { colour, from } = this.formed.features[feature] || {};
    return colour && this.looks.steps[look] >= from ? this.shade(colour) : this.theme.faint;
  }

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
    this.open();
  }

  paint(u) {
    const { ctx } = u, { leaders, values } = this.looks, scale = devicePixelRatio || 1;
    const x = (i) => u.valToPos(u.data[0][i], "x", true), y = (i, k) => u.valToPos(values[i][k], "y", true);
    this.annotate(u, { worded: true });
    if (!this.magnified) this.level(u, fsnet.settledFrom);
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    this.lanes(u, x, scale);
    ctx.lineJoin = "round";
    const some = this.selector !== null || this.chosen !== null; // lines stand out
    const all = [...Array(this.count).keys()], order = all.filter((k) => !this.lit(k)).concat(all.filter((k) => this.lit(k)));
    for (const k of order) {
      ctx.globalAlpha = this.lit(k) ? 1 : this.count > 15 ? 0.12 : 0.25;
      for (let from = 0; from < leaders.length - 1;) {
        const at = (i) => this.colour(leaders[i][k], i), colour = at(from + 1);
        let to = from + 1;
        while (to + 1 < leaders.length && at(to + 1) === colour) to++;
        ctx.strokeStyle = colour;
        ctx.lineWidth = scale * (some && this.lit(k) ? 2.5 : colour === this.theme.faint ? 1 : 1.5);
        ctx.beginPath();
        for (let i = from; i <= to; i++) (i === from ? ctx.moveTo(x(i), y(i, k)) : ctx.lineTo(x(i), y(i, k)));
        ctx.stroke();
        from = to;
      }
      const dot = (i, radius) => {
        ctx.fillStyle = this.colour(leaders[i][k], i);
        ctx.beginPath();
        ctx.arc(x(i), y(i, k), radius * scale, 0, 2 * Math.PI);
        ctx.fill();
      };
      for (let i = 1; i < leaders.length; i++) if (leaders[i][k] !== leaders[i - 1][k]) dot(i, 1.7);
      if (this.since[k] >= 0) dot(this.since[k], 4);
      else if (leaders.length === 1) dot(0, 1.7);
    }
    ctx.restore();
    this.names(u, scale);
  }

  // names stand at the right end of lanes and lines, of whom leads there, each line's as near to its end as those of others leave room;
  // the selectors' numbers at the left of lanes.
  names(u, scale) {
    const { ctx, bbox } = u, { leaders, values } = this.looks, end = Math.max(0, u.data[0].findLastIndex((epoch) => epoch <= this.range[1] + 1e-9));
    const now = leaders[end], left = bbox.left + bbox.width + 6 * scale, room = u.width * scale - left;
    const text = (j, y, k) => {
      ctx.globalAlpha = k === undefined || this.lit(k) ? 1 : 0.3;
      ctx.fillStyle = this.colour(j, end);
      ctx.fillText(fit(ctx, this.feature(j), room), left, y);
    };
    ctx.save();
    ctx.font = `${10 * scale}px ${this.theme.font}`;
    ctx.textBaseline = "middle";
    if (this.pitch >= 10) {
      const place = (lane) => bbox.top + (this.band + (lane + 0.5) * this.pitch) * scale;
      ctx.fillStyle = this.theme.faint;
      ctx.textAlign = "right";
      this.order.forEach((k, lane) => ctx.fillText(k, bbox.left - 6 * scale, place(lane)));
      ctx.textAlign = "left";
      this.order.forEach((k, lane) => text(now[k], place(lane), k));
    }
    const line = 11 * scale, low = bbox.top + bbox.height, high = bbox.top + (this.band + this.pitch * this.count + 10) * scale;
    const highest = (j) => Math.max(...now.map((leader, k) => (leader === j ? values[end][k] : 0)));
    const ends = [...new Set(now)].map((j) => ({ j, y: u.valToPos(highest(j), "y", true) })).sort((a, b) => a.y - b.y);
    if (ends.length * line <= low - high) {
      ends.forEach((end, i) => { end.y = Math.max(end.y, i ? ends[i - 1].y + line : high); });
      for (let i = ends.length - 1, most = low; i >= 0; i--, most = ends[i + 1].y - line) ends[i].y = Math.min(ends[i].y, most);
      ends.forEach(({ j, y }) => text(j, y, now.indexOf(j)));
    }
    ctx.restore();
  }

  // lanes paints them above the lines.
  lanes(u, x, scale) {
    const { ctx, bbox } = u, { leaders, values } = this.looks, last = leaders.length - 1;
    const thick = (this.pitch > 6 ? this.pitch - 2 : this.pitch - 1) * scale;
    this.order.forEach((k, lane) => {
      const y = bbox.top + (this.band + lane * this.pitch) * scale, faded = this.lit(k) ? 1 : 0.25;
      const kind = (i) => [this.colour(leaders[i][k], i), Math.min(Math.floor((values[i][k] / this.full) * strengths), strengths - 1)];
      for (let from = 0; from < Math.max(last, 1);) {
        const [colour, level] = kind(from);
        let to = from + 1;
        while (to < last && kind(to).join() === `${colour},${level}`) to++;
        const left = last ? x(from) : bbox.left, right = x(Math.min(to, last));
        ctx.globalAlpha = faded * (colour === this.theme.faint ? 0.15 : (level + 1) / strengths);
        ctx.fillStyle = colour;
        ctx.fillRect(left, y, right - left, thick);
        from = to;
      }
      ctx.globalAlpha = faded;
      ctx.fillStyle = this.theme.text;
      if (this.since[k] >= 0) {
        ctx.beginPath();
        ctx.arc(x(this.since[k]), y + thick / 2, Math.min(3 * scale, thick / 2), 0, 2 * Math.PI);
        ctx.fill();
      }
    });
  }

  // moved finds the selector whose lane the pointer is on, or else whose line is nearest.
  moved(u) {
    if (!this.hovered) return;
    const i = u.cursor.idx;
    if (i === null || i === undefined || !this.looks.values[i]) return this.choose(null);
    const lane = Math.floor((u.cursor.top - this.band) / this.pitch);
    if (lane < this.count) return this.choose(this.order[lane] ?? null);
    const far = (k) => Math.abs(u.valToPos(this.looks.values[i][k], "y") - u.cursor.top);
    const nearest = [...Array(this.count).keys()].reduce((best, k) => (far(k) < far(best) ? k : best), 0);
    this.choose(far(nearest) < 24 ? nearest : null);
  }

  choose(k) {
    const other = this.selector !== k;
    this.selector = k;
    if (!this.uplot) return;
    this.says();
    this.mark();
    if (other) this.uplot.redraw(false);
  }

  look() {
    return Math.min(this.uplot.cursor.idx ?? this.looks.steps.length - 1, this.looks.steps.length - 1);
  }

  words(k, i) {
    const { leaders, values, steps } = this.looks;
    return `selector ${k}: ${this.feature(leaders[i][k])} ${fsnet.number(values[i][k])} at epoch ${fsnet.number(this.uplot.data[0][i])}, step ${steps[i]}`;
  }

  says() {
    const summary = this.at !== null ? `as it was at step ${this.looks.steps[this.looks.steps.length - 1]}` : this.formed.summary;
    const looked = this.looked;
    const key = fsnet.element("span", {}, this.selector !== null ? this.words(this.selector, this.look()) : looked !== null ? this.leads(looked) : summary);
    if (looked !== null) {
      key.className = "fsnet-key";
      key.style.setProperty("--line", this.colour(looked, this.selector === null ? undefined : this.look()));
    }
    this.caption.replaceChildren(fsnet.element("b", {}, `Leader of each selector, and its probability${this.magnified ? ", magnified" : ""}`), key);
    const label = `Convergence: ${summary}. Arrow keys move along the epochs and between selectors, Enter shows the feature, Escape all lines alike.`;
    if (this.place.getAttribute("aria-label") !== label) this.place.setAttribute("aria-label", label);
  }

  open() {
    if (this.selector !== null) this.pick(this.looks.leaders[this.look()][this.selector]);
  }

  key(event) {
    const along = EpochChart.along[event.key];
    const across = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!this.uplot || event.target !== this.place || (along === undefined && across === undefined && !["Enter", "Escape"].includes(event.key))) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") return this.open();
    if (event.key === "Escape") return this.choose(null);
    const u = this.uplot, x = u.data[0];
    const i = Math.min(Math.max(this.look() + (along ?? 0), 0), x.length - 1);
    const ranked = [...Array(this.count).keys()].sort((a, b) => this.looks.values[i][a] - this.looks.values[i][b]); // from below
    const k = this.selector === null ? ranked[this.count - 1] : ranked[Math.min(Math.max(ranked.indexOf(this.selector) + (across ?? 0), 0), this.count - 1)];
    this.hovered = false;
    u.setCursor({ left: u.valToPos(x[i], "x"), top: u.valToPos(this.looks.values[i][k], "y") }, true, true);
    this.choose(k);
    this.reading.textContent = this.words(k, i);
  }
}

// As much of a text as there is room for.
function fit(ctx, text, room) {
  let shown = text;
  while (shown.length > 1 && ctx.measureText(shown).width > room) shown = shown.slice(0, -2) + "…";
  return shown;
}

function selectors(list) {
  return `${list.length > 1 ? "selectors" : "selector"} ${list.join(", ")}`;
}
