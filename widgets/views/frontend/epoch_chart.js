// What the panel's charts over the epochs share: a figure with a caption, a place that takes the
// keyboard, words that are read aloud, and uPlot's chart in that place. A subclass has
// paint(uplot), which draws what is not a line, moved(uplot), for the pointer, key(event), and
// clicked(), which waits for a second click: two reset the zoom and do nothing else.
const doubleClick = 250; // milliseconds within which a second click makes a double one

class EpochChart {
  static along = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }; // keys, by points

  // shared, which the charts of a view have in common, has zoom, point, seek, move and pointing;
  // height counts pixels.
  constructor(shared, height) {
    const { element } = fsnet;
    this.shared = shared; // by the charts of a view: pointer, range and the effect of a click
    this.height = height; // pixels
    this.notes = []; // elements, one per change
    this.caption = element("figcaption");
    this.place = element("div", { class: "fsnet-plot", tabindex: "0", role: "application", "aria-roledescription": "chart" });
    this.reading = element("span", { class: "fsnet-reading", "aria-live": "polite" });
    this.root = element("figure", {}, this.caption, this.place, this.reading);
    this.place.addEventListener("keydown", (event) => this.key(event));
    this.place.addEventListener("pointerdown", ({ clientX }) => { this.pressedAt = clientX; });
    this.place.addEventListener("click", ({ clientX, target }) => {
      const still = Math.abs(clientX - this.pressedAt) < 5;
      clearTimeout(this.clicking);
      if (target.closest(".u-over") && still) this.clicking = setTimeout(() => this.uplot && this.clicked(), doubleClick);
    });
    this.place.addEventListener("dblclick", () => {
      clearTimeout(this.clicking);
      this.shared.zoom(null);
    });
  }

  // show draws data of the epochs in range, in another chart if the shape changed. describe returns
  // the lines, the vertical scale, and options of the vertical axis.
  show(data, { theme, width, range, at }, shape, describe) {
    this.range = range;
    this.at = at; // the epoch of the position, or null
    this.theme = theme;
    const now = JSON.stringify([shape, theme, this.height]);
    if (now !== this.shape || !this.uplot) {
      this.close();
      this.shape = now;
      this.place.style.height = `${this.height}px`;
      this.make(data, width, describe());
    } else {
      if (this.uplot.width !== width) this.uplot.setSize({ width, height: this.height });
      this.uplot.setData(data);
    }
  }

  // make puts a new uPlot chart into the place; show closes the one before. lines and scale are
  // uPlot's, upright are options of the vertical axis, points uPlot's cursor points, and right the
  // least room right of the plot, in pixels; without level there is no axis of epochs. Dragging
  // chooses the range, and the pointer moves the cursors of all charts of the page.
  make(data, width, { lines, scale, upright = {}, points = { show: false }, right = 0, level = true }) {
    const { faint, font, grid } = this.theme;
    const axis = { stroke: faint, font: `11px ${font}`, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 4 } };
    const epochs = (u, splits) => splits.map((epoch) => (epoch === 0 ? "epoch 0" : fsnet.number(epoch))); // the first names the axis
    const besideLast = () => Math.max(14, 4 * fsnet.number(this.range[1]).length - 2, right); // for half of the last number
    const share = (u) => {
      if (!this.shared.pointing) this.shared.point(this, u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null);
      this.moved(u);
    };
    const zoom = (u) => {
      const { left, width } = u.select;
      if (width < 5) return;
      this.shared.zoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
      u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    };
    this.uplot = new uPlot({
      width, height: this.height, padding: [6, level ? besideLast : 8, level ? 0 : 6, 0], legend: { show: false },
      scales: { x: { time: false, range: () => this.range }, y: scale },
      axes: [{ ...axis, size: 24, space: 50, values: epochs, show: level }, { ...axis, size: 52, space: 24, ...upright }],
      series: [{}, ...lines],
      cursor: { drag: { x: true, y: false, setScale: false, dist: 5 }, bind: { dblclick: () => null }, points },
      hooks: { draw: [(u) => this.paint(u), (u) => this.position(u)], setCursor: [share], setSelect: [zoom] },
    }, data, this.place);
    this.uplot.over.addEventListener("pointerenter", () => this.uplot?.syncRect(true)); // it may have been moved
  }

  // pointAt moves the cursor to the epoch under the pointer in another chart, or away.
  pointAt(epoch) {
    const u = this.uplot;
    if (u) u.setCursor(epoch === null ? { left: -10, top: -10 } : { left: u.valToPos(epoch, "x"), top: u.over.clientHeight / 2 });
  }

  // position marks the past step that is shown.
  position(u) {
    if (this.at === null) return;
    const { ctx, bbox } = u, x = u.valToPos(this.at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) return;
    ctx.save();
    ctx.fillStyle = fsnet.red;
    ctx.fillRect(x - 1, bbox.top, 2, bbox.height);
    ctx.restore();
  }

  // level draws a faint dashed line across the chart.
  level(u, value) {
    const { ctx, bbox } = u, y = u.valToPos(value, "y", true);
    ctx.save();
    ctx.strokeStyle = this.theme.faint;
    ctx.setLineDash([2, 4]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.restore();
  }

  // changesOf returns the session's own changes, at their epochs.
  changesOf(tracks) {
    return tracks.changes().map(([step, text]) => ({ step, text, epoch: step / (tracks.main.perEpoch || 1) }));
  }

  // annotate draws a line for each change, which Tab may go to. Its text is visible if worded and
  // there is room for all of it, else its number, and the text where it is pointed at.
  annotate(u, { tabbable, worded }) {
    const width = u.over.clientWidth;
    const places = this.changes.map(({ epoch }) => u.valToPos(epoch, "x"));
    this.makeNotes({ tabbable, worded });
    this.changes.forEach(({ step, text }, i) => {
      const note = this.notes[i], at = places[i];
      if (note.parentNode !== u.over) u.over.append(note);
      note.style.left = `${at}px`;
      note.style.display = at > width + 1 || at < -1 ? "none" : "";
      note.classList.toggle("fsnet-leftward", at > width / 2);
      note.dataset.step = step;
      fsnet.attribute(note, { "aria-label": `step ${step}: ${text}` });
      if (worded) this.word(note.firstChild, text, i + 1, this.roomFor(i, places, width));
    });
  }

  // makeNotes makes as many elements as there are changes, with a place for text if worded, in the
  // order of Tab if tabbable.
  makeNotes({ tabbable, worded }) {
    const { element } = fsnet;
    while (this.notes.length > this.changes.length) this.notes.pop().remove();
    while (this.notes.length < this.changes.length) {
      const words = worded ? [element("span", { "aria-hidden": "true" })] : [];
      const note = element("div", { class: "fsnet-event", role: "note" }, ...words);
      if (tabbable) note.tabIndex = 0;
      this.notes.push(note);
    }
  }

  // roomFor returns the width of a change's text, in pixels: up to the next change. The text of the
  // last change stands before it if there is little room after it; then it shares the gap with the
  // text of the change before.
  roomFor(i, places, width) {
    const last = places.length - 1, before = 8;
    const gap = (j) => Math.min(places[j + 1] ?? width, width) - places[j];
    const isLastTurned = gap(last) < 68;
    if (isLastTurned && i === last) {
      const gapBefore = places[i] - (places[i - 1] ?? 0);
      return { room: (i ? gapBefore / 2 : gapBefore) - before, leftward: true };
    }
    return { room: (isLastTurned && i === last - 1 ? gap(i) / 2 : gap(i)) - before, leftward: false };
  }

  // word puts a change's text into its room, or its number if there is too little for the whole.
  word(words, text, number, { room, leftward }) {
    fsnet.put(words, text);
    const fits = words.scrollWidth <= room;
    fsnet.put(words, fits ? text : String(number));
    words.classList.toggle("fsnet-before", leftward);
  }

  // courseColour returns a feature's colour at a look, faint before it has one.
  courseColour({ looks, formed }, feature, look) {
    const { colour, from } = formed.features[feature] || {};
    return colour && looks.steps[look] >= from ? this.shade(colour) : this.theme.faint;
  }

  // shade returns the colour, #rrggbb, of a line, lighter on dark paper.
  shade(colour) {
    if (lightness(this.theme.paper) > 127) return colour;
    const lighter = (i) => Math.round(parseInt(colour.slice(i, i + 2), 16) * 0.7 + 255 * 0.3);
    return "#" + [1, 3, 5].map((i) => lighter(i).toString(16).padStart(2, "0")).join("");
  }

  // close removes uPlot's chart and the changes; show makes another.
  close() {
    this.notes.splice(0).forEach((note) => note.remove());
    if (!this.uplot) return;
    this.uplot.destroy();
    this.uplot = null;
  }
}

// lightness returns the green, 0 to 255, of #rrggbb, #rgb or rgb(r, g, b): light or dark.
function lightness(colour) {
  const [, long, short] = colour.match(/^#(?:[\da-f]{2}([\da-f]{2})[\da-f]{2}|[\da-f]([\da-f])[\da-f])$/i) || [];
  if (long || short) return parseInt(long || short + short, 16);
  return Number((colour.match(/\d+/g) || [255, 255])[1]);
}
