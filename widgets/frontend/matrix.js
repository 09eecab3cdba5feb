// The live selection matrix: a heat map with its past behind a slider and its features behind its cells.
const floor = 1e-4; // of the log scale, as in the picture
const gutter = { left: 52, others: 44, leader: 130, names: 100 };
const slope = Math.PI / 3; // of the columns' names

// viridis by Smith, van der Walt and Firing (CC0), in equal steps.
const viridis = ["440154", "470e61", "481a6c", "482575", "472f7d", "443a83", "414487", "3d4e8a", "39568c", "35608d", "31688e", "2d708e", "2a788e", "27818e",
  "23888e", "21918d", "1f988b", "1fa088", "22a884", "2ab07f", "35b779", "43bf71", "54c568", "66cc5d", "7ad151", "8fd744", "a5db36", "bcdf27", "d2e21b", "e9e51a", "fde725"];

function colorAt(share) {
  return "#" + viridis[Math.round(Math.min(1, Math.max(0, share)) * (viridis.length - 1))];
}

// As much of a text as there is room for, in pixels.
function fitted(c, text, room) {
  if (c.measureText(text).width <= room) return text;
  let length = Math.min(text.length, 200);
  while (length && c.measureText(text.slice(0, length) + "…").width > room) length--;
  return text.slice(0, length) + "…";
}

function percent(share) {
  if (share > 0 && share < 5e-5) return "less than 0.01%";
  return `${(100 * share).toFixed(share < 0.01 && share > 0 ? 2 : 0)}%`;
}

function caption(when) {
  const at = `step ${when.step} · epoch ${fsnet.number(when.epoch)}`;
  if (when.of === "sample") return `M: sample at τ = ${fsnet.number(when.tau)}, with noise · ${at}`;
  if (when.of === "soft") return `soft: softmax at τ = ${fsnet.number(when.tau)}, no noise · ${at}`;
  return `P: probability, no temperature or noise · ${at} · τ = ${fsnet.number(when.tau)}`;
}

function render({ model, el }) {
  const { element } = fsnet;
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  let cursor = null; // {row, column} under the pointer or the keyboard's
  let data = null; // what is drawn
  let sliding = false;
  let deep = 0; // what the names of columns have needed; it only grows, so that a run does not move what is below

  const of = element("select", { class: "fsnet-of", onchange: () => set("of", of.value) },
    element("option", { value: "probability" }, "P: probability"), element("option", { value: "sample" }, "M: sample"), element("option", { value: "soft" }, "soft: no noise"));
  const field = (name, attributes, label) => {
    const take = () => {
      if (input.value !== "" && input.checkValidity()) set(name, Number(input.value));
      else input.value = model.get(name);
    };
    const input = element("input", { type: "number", class: `fsnet-${name}`, ...attributes, onchange: take, onkeydown: (event) => event.key === "Enter" && take() });
    return [input, element("label", {}, label, input)];
  };
  const [top, topLabel] = field("top", { min: 1, max: 200, step: 1 }, "columns at most");
  const [least, leastLabel] = field("least", { min: 0, max: 1, step: "any" }, "with a value from");
  const log = element("input", { type: "checkbox", class: "fsnet-log", onchange: () => set("log", log.checked) });
  const slider = element("input", { type: "range", class: "fsnet-at", min: 0, step: 1, "aria-label": "step shown" });
  const follow = element("input", { type: "checkbox", class: "fsnet-follow", onchange: () => set("at", follow.checked ? -1 : model.get("status").step) });
  const legend = element("span", { class: "fsnet-legend" });
  const when = element("div", { class: "fsnet-when" });
  const left = element("div", { class: "fsnet-left-out fsnet-faint" });
  const canvas = element("canvas", { class: "fsnet-cells", tabindex: 0, role: "application", "aria-roledescription": "heat map" });
  const tip = element("div", { class: "fsnet-tip", role: "presentation" });
  const spoken = element("div", { class: "fsnet-reading", "aria-live": "polite" });
  const message = fsnet.line(model);
  const feature = element("div", { class: "fsnet-feature" });
  const heat = element("div", { class: "fsnet-heat" }, canvas, tip);
  const root = element("div", { class: "fsnet-matrix" },
    element("div", { class: "fsnet-bar" }, element("label", {}, "show", of), topLabel, leastLabel, element("label", {}, log, "log scale"), legend),
    element("div", { class: "fsnet-bar" }, element("span", { class: "fsnet-time" }, element("span", {}, "step"), slider), element("label", {}, follow, "follow the run")),
    when, left, heat, spoken, message, feature);
  el.append(root);
  tip.hidden = true;
  fsnet.ours(of, log, slider, follow, canvas);

  let slide = 0; // of a timer
  slider.addEventListener("input", () => {
    sliding = true;
    clearTimeout(slide);
    slide = setTimeout(() => {
      sliding = false;
      set("at", Number(slider.value));
    }, 60);
  });

  function share(p) {
    return model.get("log") ? 1 - Math.log10(Math.min(Math.max(p, floor), 1)) / Math.log10(floor) : p;
  }

  function read() {
    const bytes = model.get("values"), columns = model.get("columns"), rows = model.get("rows");
    const width = columns.length + 1;
    if (!bytes || bytes.byteLength !== 4 * rows.length * width || !rows.length) return null;
    const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const leader = rows.map((_, i) => {
      const row = values.subarray(i * width, (i + 1) * width - 1);
      return row.reduce((best, p, j) => (p > row[best] ? j : best), 0);
    });
    const named = model.get("leaders") || [];
    const name = (i) => named[i] ?? columns[leader[i]][1]; // it may be the name of a column that is not shown
    const surest = new Map(); // of the rows of one leader
    leader.forEach((j, i) => {
      const best = surest.get(name(i));
      if (best === undefined || values[i * width + j] > values[best * width + leader[best]]) surest.set(name(i), i);
    });
    const again = (i) => surest.get(name(i)) !== i; // its leader leads a surer row, too
    return { columns, rows, leader, name, again, at: (i, j) => values[i * width + j], others: (i) => values[(i + 1) * width - 1] };
  }

  function place() {
    const room = Math.max(240, root.clientWidth);
    const leaderWidth = room < 560 ? 90 : gutter.leader;
    const cell = Math.min(28, Math.max(2, (room - gutter.left - gutter.others - leaderWidth) / data.columns.length));
    const line = Math.min(24, Math.max(9, 460 / data.rows.length));
    return { room, cell, line, width: cell * data.columns.length, height: line * data.rows.length, top: 16 };
  }

  // It says whether there was a place to draw in.
  function draw() {
    data = read();
    canvas.style.visibility = data ? "visible" : "hidden";
    if (!data) return true;
    if (!root.clientWidth) return false;
    const g = place(), theme = fsnet.theme(root), ratio = window.devicePixelRatio || 1;
    const red = getComputedStyle(root).getPropertyValue("--fsnet-red");
    const c = canvas.getContext("2d");
    c.font = `10px ${theme.font}`;
    if (deep < gutter.names) {
      const longest = Math.max(...data.columns.map(([, name]) => c.measureText(name).width));
      deep = Math.min(gutter.names, Math.max(deep, 14 + Math.sin(slope) * longest));
    }
    const high = Math.ceil(g.top + g.height + deep);
    const [w, h] = [Math.round(g.room * ratio), Math.round(high * ratio)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${g.room}px`;
      canvas.style.height = `${high}px`;
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, g.room, high);
    const gap = (size) => (size < 6 ? 0 : 1);
    c.textBaseline = "middle";
    const beside = gutter.left + g.width + gutter.others; // where leaders begin
    data.rows.forEach((selector, i) => {
      const y = g.top + i * g.line;
      for (let j = 0; j < data.columns.length; j++) {
        c.fillStyle = colorAt(share(data.at(i, j)));
        c.fillRect(gutter.left + j * g.cell, y, g.cell - gap(g.cell), g.line - gap(g.line));
      }
      c.font = `${Math.min(11, g.line)}px ${theme.font}`;
      c.fillStyle = theme.faint;
      c.textAlign = "right";
      c.fillText(String(selector), gutter.left - 6, y + g.line / 2);
      c.fillRect(gutter.left + g.width + 6, y + g.line * 0.25, 32 * Math.min(1, data.others(i)), g.line * 0.5);
      c.strokeStyle = theme.grid;
      c.strokeRect(gutter.left + g.width + 6, y + g.line * 0.25, 32, g.line * 0.5);
      c.fillStyle = data.again(i) ? red : theme.text;
      c.textAlign = "left";
      c.fillText(fitted(c, (data.again(i) ? "⚠ " : "") + data.name(i), g.room - beside - 2), beside, y + g.line / 2);
    });
    c.font = `10px ${theme.font}`;
    c.fillStyle = theme.faint;
    c.textAlign = "left";
    c.fillText("selector", 0, 7);
    c.fillText("others", gutter.left + g.width + 6, 7);
    c.fillText("leader", beside, 7);
    c.fillText("feature", 0, g.top + g.height + 8);
    names(c, g, theme);
    if (cursor && cursor.row < data.rows.length && cursor.column < data.columns.length) {
      c.lineWidth = 2;
      c.strokeStyle = fsnet.red;
      c.strokeRect(gutter.left + cursor.column * g.cell, g.top + cursor.row * g.line, g.cell, g.line);
      c.lineWidth = 1;
    }
    return true;
  }

  // Where there is no room for all names, leaders come first.
  function names(c, g, theme) {
    const named = [];
    const free = (j) => named.every((k) => Math.abs(j - k) * g.cell >= 10);
    for (const j of [...data.leader, ...data.columns.keys()]) if (free(j)) named.push(j);
    c.fillStyle = theme.text;
    c.textAlign = "right";
    for (const j of named) {
      const x = gutter.left + (j + 0.5) * g.cell;
      c.save();
      c.translate(x, g.top + g.height + 6);
      c.rotate(-slope);
      const room = Math.min((gutter.names - 12) / Math.sin(slope), (x - 6) / Math.cos(slope));
      c.fillText(fitted(c, data.columns[j][1], room), 0, 0);
      c.restore();
    }
  }

  function cellAt(event) {
    const box = canvas.getBoundingClientRect(), g = place();
    const column = Math.floor((event.clientX - box.left - gutter.left) / g.cell), row = Math.floor((event.clientY - box.top - g.top) / g.line);
    return row >= 0 && row < data.rows.length && column >= 0 && column < data.columns.length ? { row, column } : null;
  }

  function say(cell) {
    const [index, name] = data.columns[cell.column];
    return `selector ${data.rows[cell.row]}, ${name} (column ${index}): ${fsnet.number(data.at(cell.row, cell.column))}`;
  }

  function point(cell) {
    cursor = cell;
    tip.hidden = !cell;
    if (cell) {
      const g = place();
      tip.textContent = say(cell);
      const x = gutter.left + (cell.column + 1) * g.cell + 6;
      tip.style.left = x > g.room / 2 ? "auto" : `${x}px`;
      tip.style.right = x > g.room / 2 ? `${g.room - gutter.left - cell.column * g.cell + 6}px` : "auto";
      tip.style.top = `${g.top + (cell.row + 1) * g.line + 4}px`;
    }
    redraw();
  }

  const pick = (cell) => set("picked", data.columns[cell.column][0]);
  canvas.addEventListener("pointermove", (event) => data && point(cellAt(event)));
  canvas.addEventListener("pointerleave", () => document.activeElement !== canvas && point(null));
  canvas.addEventListener("blur", () => point(null));
  canvas.addEventListener("click", (event) => {
    const cell = data && cellAt(event);
    if (cell) pick(cell);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!data || (!step && !["Enter", " ", "Escape"].includes(event.key))) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") {
      set("picked", -1);
      return;
    }
    const from = cursor || { row: 0, column: step ? -step[1] : 0 };
    const to = step ? { row: from.row + step[0], column: from.column + step[1] } : from;
    to.row = Math.min(Math.max(cursor ? to.row : 0, 0), data.rows.length - 1);
    to.column = Math.min(Math.max(to.column, 0), data.columns.length - 1);
    point(to);
    spoken.textContent = say(to);
    if (!step) pick(to);
  });

  function scale() {
    const log_ = model.get("log");
    legend.replaceChildren("0", element("span", { class: "fsnet-legend-strip", style: `background:linear-gradient(to right,${viridis.map((v) => "#" + v).join(",")})` }), log_ ? "1 (log)" : "1");
    legend.firstChild.textContent = log_ ? "≤ 0.0001" : "0";
  }

  function update() {
    const status = model.get("status"), at = model.get("at");
    of.value = model.get("of");
    for (const [name, input] of [["top", top], ["least", least]]) if (document.activeElement !== input) input.value = model.get(name);
    log.checked = model.get("log");
    follow.checked = at < 0;
    slider.max = status.step;
    if (!sliding) slider.value = at < 0 ? status.step : at;
    scale();
    if (!draw()) redraw();
    const w = model.get("when");
    when.textContent = w ? caption(w) : "";
    if (data) {
      const masses = data.rows.map((_, i) => data.others(i));
      const mean = masses.reduce((a, b) => a + b, 0) / masses.length;
      left.textContent = `${data.columns.length} of ${fsnet.counted(w.d, "feature")} shown; the others hold ${percent(mean)} of the mass`;
      const again = data.rows.filter((_, i) => data.again(i)).length;
      const certain = data.rows.filter((_, i) => data.at(i, data.leader[i]) >= 0.9).length;
      canvas.setAttribute("aria-label", `${caption(w)}: ${fsnet.counted(data.rows.length, "row")}, in ${certain} of them one feature has at least 0.9; ${again} have the leader of a surer row. Arrow keys move, Enter shows the feature.`);
      if (cursor && cursor.row < data.rows.length && cursor.column < data.columns.length) tip.textContent = say(cursor);
    }
  }

  const redraw = fsnet.throttled(draw), refresh = fsnet.throttled(update);
  const showFeature = () => fsnetFeature.show(feature, model.get("feature"), () => { set("picked", -1); canvas.focus(); });
  const theme = fsnet.onTheme(redraw);
  const size = new ResizeObserver(redraw);
  size.observe(root);
  const unkept = fsnet.outlive(model, root);
  model.on("change", refresh);
  model.on("change:feature", showFeature);
  update();
  showFeature();
  return () => {
    clearTimeout(slide);
    message.stop();
    redraw.stop();
    refresh.stop();
    unkept();
    theme();
    size.disconnect();
    model.off("change", refresh);
    model.off("change:feature", showFeature);
  };
}

export default { render };
