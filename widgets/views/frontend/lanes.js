// How the selection forms. Each selector has a lane over the epochs, in the colour of its leading
// feature, stronger the more probable that feature is. Lanes stand in the order in which selectors
// settled. The kernel chooses the colours; a feature without one is grey. A dot marks the look from
// which the selector is settled. The pointer names selector, feature and epoch; the arrow keys move
// between selectors and from look to look; a click, or Enter, picks the feature. Only the strip of
// the axis moves the session's position.
const strengths = 8; // of a lane, as in package chart
const mostNamed = 10; // lanes that are named if lanes are thin: those whose leader changed last
const namePitch = 11; // pixels between names

class Lanes extends EpochChart {
  // shared is the state of the view's charts, as for EpochChart; pick shows a feature by its
  // column; placed is told where the plot lies after each drawing.
  constructor(shared, { pick, placed }) {
    super(shared, 0);
    this.pick = pick;
    this.placed = placed;
    this.selector = null; // under the pointer, or the keyboard's
    this.root.className = "fsnet-lanes";
    this.place.classList.add("fsnet-courses");
    fsnet.ours(this.place);
    this.place.addEventListener("blur", () => this.choose(null));
  }

  // draw shows the looks of the session's own track, or hides the chart while it has none.
  draw(tracks, frame) {
    const { looks, formed } = tracks.main;
    const known = Boolean(looks && looks.steps.length);
    this.root.style.display = known ? "" : "none";
    this.looks = known ? looks : null;
    if (!known) {
      this.placed(null);
      return this.close();
    }
    this.formed = formed;
    this.perEpoch = tracks.main.perEpoch;
    this.past = [...tracks.all.values()].filter((track) => track !== tracks.main && track.looks?.steps.length && track.formed).at(-1);
    this.count = looks.leaders.at(-1).length;
    this.settledAt = formed.settled.map((look) => (look < looks.steps.length ? look : -1)); // not yet, if the past is shown
    this.order = formed.order;
    this.changes = this.changesOf(tracks);
    this.contest = formed.contest && formed.contest.step <= looks.steps.at(-1) ? formed.contest : null;
    this.band = this.changes.length || this.contest ? 18 : 0; // for the text of the changes, and the head of the contest
    this.pitch = Math.max(this.count > 50 ? 3 : 8, Math.min(14, Math.floor(400 / this.count)));
    this.height = 6 + this.band + this.pitch * this.count + 4 + 24;
    const narrow = frame.width < 560, isExchanged = Object.keys(this.contest?.replaced ?? {}).length > 0;
    this.block = this.contest ? (narrow ? 44 : 70) : 0; // pixels of the contest, right of the lanes
    const epochs = looks.steps.map((step) => step / this.perEpoch);
    this.show([epochs, epochs.map(() => 0)], frame, [this.count, narrow, this.block, isExchanged], () => ({
      lines: [{ paths: () => null, points: { show: false } }], // paint draws them
      right: this.block + (narrow ? 76 : isExchanged ? 200 : 130),
      scale: { range: [0, 1] },
      upright: { splits: () => [], size: narrow ? 30 : 52 },
    }));
    this.writeCaption();
  }

  feature(j) {
    return this.formed.features[j]?.name ?? `#${j}`;
  }

  // colour returns a feature's colour at a look, by default the last.
  colour(feature, look = this.looks.steps.length - 1) {
    return this.courseColour({ looks: this.looks, formed: this.formed }, feature, look);
  }

  // isLit returns whether a lane is in full strength: the one under the pointer, or all.
  isLit(k) {
    return this.selector === null || this.selector === k;
  }

  // make also notices when the pointer enters and leaves the plot, and lets the strip of the axis
  // move the position.
  make(...chart) {
    super.make(...chart);
    const { over, root } = this.uplot;
    over.addEventListener("pointerenter", () => { this.hovered = true; });
    over.addEventListener("pointerleave", () => {
      this.hovered = false;
      this.choose(null);
    });
    const strip = root.querySelector(".u-axis");
    strip.classList.add("fsnet-strip");
    strip.title = "Show the training as it was at this step";
    strip.addEventListener("click", ({ clientX }) => {
      this.shared.seek(this.uplot.posToVal(clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  // clicked picks the feature of the lane under the pointer.
  clicked() {
    this.pickLeader();
  }

  // paint draws the changes, the lanes and their names, and places the handle below them.
  paint(u) {
    const { ctx, bbox } = u, scale = devicePixelRatio || 1;
    this.annotate(u, { worded: true });
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.order.forEach((k, lane) => {
      this.paintLane(u, k, lane, scale);
      if (this.past) this.paintGhost(u, k, lane, scale);
    });
    ctx.restore();
    if (this.contest) this.paintContest(u, scale);
    this.paintNames(u, scale);
    const [low, high] = this.range.map((epoch) => epoch * this.perEpoch);
    this.placed({ left: bbox.left / scale, width: bbox.width / scale, low, high, block: this.block });
  }

  // paintLane draws a lane in pieces of one colour and strength. A look tells of the piece before
  // it, so that the last look is seen, and its leader's name has the colour of the lane's end.
  paintLane(u, k, lane, scale) {
    const { ctx, bbox } = u, last = this.looks.leaders.length - 1;
    const thickness = (this.pitch > 6 ? this.pitch - 2 : this.pitch - 1) * scale;
    const x = (i) => (i < 0 ? u.valToPos(0, "x", true) : u.valToPos(u.data[0][i], "x", true));
    const y = bbox.top + (this.band + lane * this.pitch) * scale, alpha = this.isLit(k) ? 1 : 0.3;
    const colourAt = (i) => this.colour(this.leaderAt(k, i), i);
    const strengthAt = (i) => Math.min(Math.floor((this.valueAt(k, i) / this.formed.full) * strengths), strengths - 1);
    for (let from = 0; from <= last;) {
      const colour = colourAt(from), strength = strengthAt(from);
      let to = from;
      while (to < last && colourAt(to + 1) === colour && strengthAt(to + 1) === strength) to++;
      ctx.globalAlpha = alpha * (colour === this.theme.faint ? 0.15 : (strength + 1) / strengths);
      ctx.fillStyle = colour;
      ctx.fillRect(x(from - 1), y, x(to) - x(from - 1), thickness);
      from = to + 1;
    }
    const settled = this.settledAt[k];
    if (settled < 0) return;
    ctx.globalAlpha = alpha;
    ctx.fillStyle = "#000"; // on a colour, in every theme
    ctx.beginPath();
    ctx.arc(x(settled), y + thickness / 2, Math.min(3 * scale, thickness / 2), 0, 2 * Math.PI);
    ctx.fill();
  }

  // paintGhost draws what the last rewind took back of a lane, in its lower half.
  paintGhost(u, k, lane, scale) {
    const { ctx, bbox } = u, { looks, perEpoch } = this.past, thickness = (this.pitch > 6 ? this.pitch - 2 : this.pitch - 1) * scale;
    const x = (i) => u.valToPos(looks.steps[i] / perEpoch, "x", true);
    const y = bbox.top + (this.band + lane * this.pitch) * scale + thickness / 2, last = looks.steps.length - 1;
    ctx.globalAlpha = 1;
    ctx.fillStyle = this.theme.paper;
    ctx.fillRect(x(0), y, x(last) - x(0), thickness / 2);
    for (let i = 1; i <= last; i++) {
      const colour = this.courseColour(this.past, looks.leaders[i][k], i);
      ctx.globalAlpha = (this.isLit(k) ? 0.6 : 0.2) * (colour === this.theme.faint ? 0.25 : Math.max(looks.values[i][k], 0.3));
      ctx.fillStyle = colour;
      ctx.fillRect(x(i - 1), y, x(i) - x(i - 1), thickness / 2);
    }
  }

  // replacedAt returns the gene that a lane has at the look of the contest, or nothing.
  replacedAt(k, i) {
    return this.looks.steps[i] === this.contest?.step ? this.contest.replaced[k] : undefined;
  }

  // leaderAt and valueAt return the leader that a lane has at a look, and its probability: at the
  // contest, those before it.
  leaderAt(k, i) {
    return this.replacedAt(k, i)?.column ?? this.looks.leaders[i][k];
  }

  valueAt(k, i) {
    return this.replacedAt(k, i)?.probability ?? this.looks.values[i][k];
  }

  // paintContest draws the last act, right of a double rule: each lane in the colour of its final
  // gene, and a bracket that joins a pair.
  paintContest(u, scale) {
    const { ctx, bbox } = u, leaders = this.looks.leaders.at(-1), right = bbox.left + bbox.width;
    const top = bbox.top + this.band * scale, left = right + 7 * scale, width = (this.block - 14) * scale;
    const thickness = (this.pitch > 6 ? this.pitch - 2 : this.pitch - 1) * scale;
    const middle = (lane) => top + lane * this.pitch * scale + thickness / 2;
    ctx.save();
    ctx.fillStyle = this.theme.faint;
    for (const x of [1, 4]) ctx.fillRect(right + x * scale, bbox.top, scale, bbox.height);
    ctx.font = `${10 * scale}px ${this.theme.font}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    ctx.fillText("contest", left, bbox.top + 8 * scale);
    this.order.forEach((k, lane) => {
      ctx.globalAlpha = this.isLit(k) ? 1 : 0.3;
      ctx.fillStyle = this.colour(leaders[k]);
      ctx.fillRect(left, top + lane * this.pitch * scale, width, thickness);
    });
    const pair = this.order.flatMap((k, lane) => (this.contest.replaced[k]?.pair ? [lane] : []));
    if (pair.length > 1) {
      ctx.globalAlpha = 1;
      ctx.fillStyle = this.theme.text;
      const x = left + width + 2 * scale, [first, last] = [middle(pair[0]), middle(pair.at(-1))];
      ctx.fillRect(x, first, scale, last - first);
      for (const lane of pair) ctx.fillRect(x - 2 * scale, middle(lane), 3 * scale, scale);
    }
    ctx.restore();
  }

  // paintNames writes the selectors' numbers left of the lanes and the leaders' names right of
  // them, as many as there is room for.
  paintNames(u, scale) {
    const { ctx, bbox } = u;
    const end = Math.max(0, u.data[0].findLastIndex((epoch) => epoch <= this.range[1] + 1e-9)); // the last look in range
    const leaders = this.looks.leaders[end];
    const left = bbox.left + bbox.width + (6 + this.block) * scale, room = u.width * scale - left;
    const middle = (lane) => bbox.top + (this.band + (lane + 0.5) * this.pitch - 1) * scale;
    ctx.save();
    ctx.font = `${10 * scale}px ${this.theme.font}`;
    ctx.textBaseline = "middle";
    if (this.pitch >= 10) {
      ctx.fillStyle = this.theme.faint;
      ctx.textAlign = "right";
      this.order.forEach((k, lane) => ctx.fillText(String(k), bbox.left - 6 * scale, middle(lane)));
    }
    ctx.textAlign = "left";
    const names = this.namedLanes(end).map((lane) => ({ k: this.order[lane], y: middle(lane) }));
    const bottom = bbox.top + bbox.height;
    names.forEach((name, i) => { name.y = Math.max(name.y, i ? names[i - 1].y + namePitch * scale : 0); });
    let most = bottom;
    for (const name of [...names].reverse()) { // back from the bottom
      name.y = Math.min(name.y, most);
      most = name.y - namePitch * scale;
    }
    for (const { k, y } of names) {
      ctx.globalAlpha = this.isLit(k) ? 1 : 0.3;
      ctx.fillStyle = this.colour(leaders[k], end);
      const replaced = this.contest?.replaced[k], name = fsnet.fitted(ctx, this.feature(leaders[k]), replaced ? room / 2 - 4 * scale : room);
      ctx.fillText(name, left, y);
      if (!replaced) continue;
      const from = left + ctx.measureText(name).width + 6 * scale, before = fsnet.fitted(ctx, this.feature(replaced.column), u.width * scale - from);
      ctx.fillStyle = this.theme.faint;
      ctx.fillText(before, from, y);
      ctx.fillRect(from, y, ctx.measureText(before).width, scale);
    }
    ctx.restore();
  }

  // namedLanes returns the lanes that are named: all, or of thin lanes the one under the pointer
  // and those whose leader changed last before look end.
  namedLanes(end) {
    const all = this.order.map((_, lane) => lane);
    if (this.pitch >= namePitch) return all;
    const { leaders } = this.looks;
    const changed = (k) => {
      let i = end;
      while (i > 0 && leaders[i - 1][k] === leaders[end][k]) i--;
      return i;
    };
    const latest = [...all].sort((a, b) => changed(this.order[b]) - changed(this.order[a])).slice(0, mostNamed);
    return all.filter((lane) => latest.includes(lane) || this.order[lane] === this.selector);
  }

  // moved finds the selector whose lane is under the pointer.
  moved(u) {
    if (!this.hovered) return;
    const lane = Math.floor((u.cursor.top - this.band) / this.pitch);
    this.choose(u.cursor.idx === null ? null : this.order[lane] ?? null);
  }

  // choose makes selector k the one under the pointer, or none if k is null: its lane stands out,
  // and the caption names its leader.
  choose(k) {
    const changed = this.selector !== k;
    this.selector = k;
    if (!this.uplot) return;
    this.writeCaption();
    if (changed) this.uplot.redraw(false);
  }

  // look returns the look whose piece of the lanes is under the pointer, or the last.
  look() {
    const last = this.looks.steps.length - 1, { left } = this.uplot.cursor;
    if (!this.hovered || !(left >= 0)) return last;
    const epoch = this.uplot.posToVal(left, "x"), at = this.uplot.data[0].findIndex((e) => e >= epoch);
    return at < 0 ? last : at;
  }

  // pointWords describes a selector at a look.
  pointWords(k, i) {
    const { leaders, values, steps } = this.looks, epoch = fsnet.number(this.uplot.data[0][i]);
    const replaced = this.contest?.replaced[k];
    if (replaced && steps[i] === this.contest.step) {
      return `selector ${k}: ${this.feature(leaders[i][k])} took its place from ${this.feature(replaced.column)} in the contest, after step ${steps[i]}`;
    }
    return `selector ${k}: ${this.feature(leaders[i][k])} ${fsnet.number(values[i][k])} at epoch ${epoch}, step ${steps[i]}`;
  }

  // writeCaption describes the lane under the pointer, or the selection.
  writeCaption() {
    const { selector } = this;
    const summary = this.at !== null ? `as it was at step ${this.looks.steps.at(-1)}` : this.formed.summary;
    const words = fsnet.element("span", {}, selector === null ? summary : this.pointWords(selector, this.look()));
    if (selector !== null) {
      words.className = "fsnet-key";
      words.style.setProperty("--line", this.colour(this.looks.leaders[this.look()][selector], this.look()));
    }
    const title = `Selectors${this.formed.full < 1 ? ", magnified" : ""}`;
    this.caption.replaceChildren(fsnet.element("b", {}, title), " ", words);
    fsnet.attribute(this.place, { "aria-label": `Lanes of the selectors: ${summary}. ` +
      "Left and right move the position from look to look, up and down go between selectors, Enter shows the feature, Escape all lanes alike." });
  }

  // pickLeader shows the feature of the piece under the pointer.
  pickLeader() {
    if (this.selector !== null) this.pick(this.looks.leaders[this.look()][this.selector]);
  }

  // key moves the position along the looks and the choice between lanes; Enter picks the feature,
  // Escape shows all lanes alike.
  key(event) {
    const along = EpochChart.along[event.key], across = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const known = along !== undefined || across !== undefined || ["Enter", "Escape"].includes(event.key);
    if (!this.uplot || event.target !== this.place || !known) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") return this.pickLeader();
    if (event.key === "Escape") return this.choose(null);
    this.hovered = false;
    if (along !== undefined) this.shared.move(along);
    const lane = this.selector === null ? 0 : this.order.indexOf(this.selector) + (across ?? 0);
    this.choose(this.order[Math.min(Math.max(lane, 0), this.count - 1)]);
    this.reading.textContent = this.pointWords(this.selector, this.look());
  }
}
