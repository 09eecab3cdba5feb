// What the panel's charts over the epochs have in common: a figure with a caption, a place that takes the keyboard, words that are read
// aloud, and uPlot's chart in that place. A class that extends it has paint(uplot), which draws into the chart what is no line, moved(uplot),
// for the pointer, and key(event).
class EpochChart {
  static along = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity }; // keys, by points

  constructor(shared, high) {
    this.shared = shared; // what the charts of a view have in common: pointer, range and what a click does
    this.high = high; // pixels
    this.notes = []; // elements, one a change of a hyperparameter on the way
    this.caption = fsnet.element("figcaption");
    this.place = fsnet.element("div", { class: "fsnet-plot", tabindex: "0", role: "application", "aria-roledescription": "chart" });
    this.reading = fsnet.element("span", { class: "fsnet-reading", "aria-live": "polite" });
    this.root = fsnet.element("figure", {}, this.caption, this.place, this.reading);
    this.place.addEventListener("keydown", (event) => this.key(event));
    this.place.addEventListener("pointerdown", ({ clientX }) => { this.pressed = clientX; });
    this.place.addEventListener("click", ({ clientX, target }) => target.closest(".u-over") && Math.abs(clientX - this.pressed) < 5 && this.clicked());
    this.place.addEventListener("dblclick", () => this.shared.zoom(null));
  }

  // clicked puts the session's position where the pointer is.
  clicked() {
    const { left } = this.uplot.cursor;
    if (left >= 0) this.shared.seek(this.uplot.posToVal(left, "x"));
  }

  // show draws data of the epochs that are shown. The chart is made anew where its shape is another: what is drawn, in which colours.
  // describe gives the lines and, of the axis upright, the scale and more than all have.
  show(data, { theme, width, range, at }, shape, describe) {
    this.range = range;
    this.at = at; // the epoch of the position, or null
    this.theme = theme;
    const said = JSON.stringify([shape, theme, this.high]);
    if (said !== this.shape || !this.uplot) {
      this.close();
      this.shape = said;
      this.place.style.height = `${this.high}px`;
      this.make(data, width, describe());
    } else {
      if (this.uplot.width !== width) this.uplot.setSize({ width, height: this.high });
      this.uplot.setData(data);
    }
  }

  make(data, width, { lines, scale, upright = {}, points = { show: false }, right = 0 }) {
    const { theme } = this;
    const axis = { stroke: theme.faint, font: `11px ${theme.font}`, grid: { stroke: theme.grid, width: 1 }, ticks: { stroke: theme.grid, width: 1, size: 4 } };
    const epochs = (u, splits) => splits.map((epoch) => (epoch === 0 ? "epoch 0" : fsnet.number(epoch))); // the first one names the axis
    const besideLast = () => Math.max(14, 4 * fsnet.number(this.range[1]).length - 2, right); // room for the right half of the last number
    this.uplot = new uPlot({
      width, height: this.high, padding: [6, besideLast, 0, 0], legend: { show: false },
      scales: { x: { time: false, range: () => this.range }, y: scale },
      axes: [{ ...axis, size: 24, space: 50, values: epochs }, { ...axis, size: 52, space: 24, ...upright }],
      series: [{}, ...lines],
      cursor: { drag: { x: true, y: false, setScale: false, dist: 5 }, bind: { dblclick: () => null }, points },
      hooks: {
        draw: [(u) => { this.paint(u); this.position(u); }],
        setCursor: [(u) => {
          if (!this.shared.pointing) this.shared.point(this, u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") : null);
          this.moved(u);
        }],
        setSelect: [(u) => {
          const { left, width } = u.select;
          if (width < 5) return;
          this.shared.zoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        }],
      },
    }, data, this.place);
  }

  // pointed lets the pointer stand at an epoch that another chart of the page points at, or nowhere.
  pointed(epoch) {
    const u = this.uplot;
    if (u) u.setCursor(epoch === null ? { left: -10, top: -10 } : { left: u.valToPos(epoch, "x"), top: u.over.clientHeight / 2 });
  }

  // position draws where the session is looked at, where that is a past step.
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

  // changed are the changes of the session's own way, at their epochs.
  changed(tracks) {
    return tracks.changes().map(([step, text]) => ({ step, text, epoch: step / (tracks.main.perEpoch || 1) }));
  }

  // annotate puts the changes in their places: a line each, which Tab may go to, and its words, always or where it is pointed at.
  annotate(u, { tabbable, worded }) {
    while (this.notes.length > this.changes.length) this.notes.pop().remove();
    while (this.notes.length < this.changes.length) {
      const note = fsnet.element("div", { class: "fsnet-event", role: "note" }, ...(worded ? [fsnet.element("span", { "aria-hidden": "true" })] : []));
      if (tabbable) note.tabIndex = 0;
      this.notes.push(note);
    }
    const width = u.over.clientWidth, places = this.changes.map(({ epoch }) => u.valToPos(epoch, "x")), last = places.length - 1;
    const until = (i) => Math.min(places[i + 1] ?? width, width), turned = last >= 0 && until(last) - places[last] < 68; // the last one's words stand before it
    this.changes.forEach(({ step, text }, i) => {
      const note = this.notes[i], at = places[i], leftward = turned && i === last, gap = until(i) - at;
      const room = (turned && i === last - 1 ? gap / 2 : gap) - 8;
      if (note.parentNode !== u.over) u.over.append(note);
      note.style.left = `${at}px`;
      note.style.display = at > width + 1 || at < -1 ? "none" : "";
      note.classList.toggle("fsnet-leftward", at > width / 2);
      note.dataset.step = step;
      fsnet.attribute(note, { "aria-label": `step ${step}: ${text}` });
      if (!worded) return;
      const words = note.firstChild, wide = leftward ? (at - (places[i - 1] ?? 0)) / (i ? 2 : 1) - 8 : room;
      fsnet.put(words, text);
      words.classList.toggle("fsnet-before", leftward);
      words.style.maxWidth = `${Math.max(wide, 0)}px`;
      words.style.display = wide < 30 ? "none" : "";
    });
  }

  // shade is the colour of a line, lighter on dark paper.
  shade(colour) {
    if (lightness(this.theme.paper) > 127) return colour;
    return "#" + [1, 3, 5].map((i) => Math.round(parseInt(colour.slice(i, i + 2), 16) * 0.7 + 255 * 0.3).toString(16).padStart(2, "0")).join("");
  }

  close() {
    this.notes.splice(0).forEach((note) => note.remove());
    if (!this.uplot) return;
    this.uplot.destroy();
    this.uplot = null;
  }
}

// The green of a colour, from 0 to 255, as #rrggbb, #rgb or rgb(r, g, b) has it: enough to tell light from dark.
function lightness(colour) {
  const [, long, short] = colour.match(/^#(?:[\da-f]{2}([\da-f]{2})[\da-f]{2}|[\da-f]([\da-f])[\da-f])$/i) || [];
  if (long || short) return parseInt(long || short + short, 16);
  return Number((colour.match(/\d+/g) || [255, 255])[1]);
}
