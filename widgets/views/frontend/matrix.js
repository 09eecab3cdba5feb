// The live selection matrix: a heat map, a slider for past steps, and a feature behind each cell.
function render({ model, el }) {
  const { element } = fsnet;
  const set = (name, value) => fsnet.set(model, { [name]: value });
  let cursor = null; // the cell under the pointer, or the keyboard's
  let values = null; // what is drawn
  let sliding = 0; // a timer, while the slider moves
  let until = Infinity; // the past step that is shown, also of the feature

  const of = element("select", { class: "fsnet-of", onchange: () => set("of", of.value) },
    element("option", { value: "probability" }, "P: probability"),
    element("option", { value: "sample" }, "M: sample"),
    element("option", { value: "soft" }, "soft: no noise"));
  // limit makes a number field for an entry. An emptied field shows the value in force again; the
  // kernel checks the number.
  const limit = (name, attributes) => {
    const field = fsnet.field({ type: "number", class: `fsnet-${name}`, ...attributes }, () => {
      if (field.value !== "") set(name, Number(field.value));
      else field.value = model.get(name);
    });
    return field;
  };
  const top = limit("top", { min: 1, max: 200, step: 1 }), least = limit("least", { min: 0, max: 1, step: "any" });
  const log = element("input", { type: "checkbox", class: "fsnet-log", onchange: () => set("log", log.checked) });
  const legend = element("span", { class: "fsnet-legend" });
  const slider = element("input", { type: "range", class: "fsnet-at", min: 0, step: 1, "aria-label": "step shown", oninput: () => {
    clearTimeout(sliding);
    sliding = setTimeout(() => {
      sliding = 0;
      set("at", Number(slider.value));
    }, 60);
  } });
  const follow = element("input", { type: "checkbox", class: "fsnet-follow",
    onchange: () => set("at", follow.checked ? -1 : model.get("status").step) });
  let arrived = () => {}; // called when the matrix of another step arrives
  const play = fsnetPlay.control((share) => {
    const step = model.get("status").step;
    set("at", share < 1 ? Math.round(share * step) : -1);
    return share < 1 && new Promise((done) => {
      arrived = done;
      setTimeout(done, 2000); // skip a step without an answer
    });
  }, () => model.get("status").step > 0);
  const when = element("div", { class: "fsnet-when" });
  const left = element("div", { class: "fsnet-left-out fsnet-faint" });
  const canvas = element("canvas", { class: "fsnet-cells", tabindex: 0, role: "application", "aria-roledescription": "heat map" });
  const tip = element("div", { class: "fsnet-tip", role: "presentation" });
  const spoken = element("div", { class: "fsnet-reading", "aria-live": "polite" });
  const life = fsnet.life(model), message = fsnet.line(model, life);
  const feature = element("div", { class: "fsnet-feature" });
  const labelled = (...parts) => element("label", {}, ...parts);
  const root = element("div", { class: "fsnet-matrix" });
  const pin = fsnetPin.control(root);
  root.append(
    element("div", { class: "fsnet-bar" }, labelled("show", of), labelled("columns at most", top), labelled("with a value from", least),
      labelled(log, "log scale"), legend, pin.button),
    element("div", { class: "fsnet-bar" }, element("span", { class: "fsnet-time" }, element("span", {}, "step"), slider), play.root,
      labelled(follow, "follow the run")),
    when, left, element("div", { class: "fsnet-heat" }, canvas, tip), spoken, message, feature);
  el.append(root);
  tip.hidden = true;
  fsnet.ours(of, log, slider, follow, canvas);

  const map = new HeatMap(root, canvas);

  // draw reads the values from the model and draws them; it returns false if there was no place to
  // draw in.
  function draw() {
    values = MatrixValues.read(model);
    return map.draw(values, { log: model.get("log"), marked: cursor });
  }

  // point moves the cursor and its tip to a cell, or hides them for null.
  function point(cell) {
    cursor = cell;
    tip.hidden = !cell;
    if (cell) {
      const { wide, x, y } = map.place(values), beside = x(cell.column + 1) + 6, leftward = beside > wide / 2;
      tip.textContent = values.words(cell);
      tip.style.left = leftward ? "auto" : `${beside}px`;
      tip.style.right = leftward ? `${wide - x(cell.column) + 6}px` : "auto";
      tip.style.top = `${y(cell.row + 1) + 4}px`;
    }
    redraw();
  }

  const pick = (cell) => set("picked", values.columns[cell.column][0]);
  const listeners = {
    pointermove: (event) => values && point(map.cellAt(event, values)),
    pointerleave: () => document.activeElement !== canvas && point(null),
    blur: () => point(null),
    click: (event) => {
      const cell = values && map.cellAt(event, values);
      if (cell) pick(cell);
    },
    keydown: (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!values || (!step && !["Enter", " ", "Escape"].includes(event.key))) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Escape") return set("picked", -1);
      const [down, right] = cursor && step ? step : [0, 0]; // the first key only shows the cursor
      const within = (n, count) => Math.min(Math.max(n, 0), count - 1);
      const to = {
        row: within((cursor?.row ?? 0) + down, values.rows.length),
        column: within((cursor?.column ?? 0) + right, values.columns.length),
      };
      point(to);
      spoken.textContent = values.words(to);
      if (!step) pick(to);
    },
  };
  for (const [name, listener] of Object.entries(listeners)) canvas.addEventListener(name, listener);

  // scale shows the colours of the scale in use.
  function scale() {
    const gradient = `linear-gradient(to right,${HeatMap.viridis.join(",")})`;
    const strip = element("span", { class: "fsnet-legend-strip", style: `background:${gradient}` });
    legend.replaceChildren(...(model.get("log") ? ["≤ 0.0001", strip, "1 (log)"] : ["0", strip, "1"]));
  }

  // update shows the state of the model: controls, caption, cells, and the feature if another step
  // is shown.
  function update() {
    const status = model.get("status"), at = model.get("at");
    of.value = model.get("of");
    log.checked = model.get("log");
    follow.checked = at < 0;
    slider.max = status.step;
    if (!sliding) slider.value = at < 0 ? status.step : at;
    scale();
    if (!draw()) redraw();
    const shown = model.get("when");
    when.textContent = [shown?.caption, shown?.act].filter(Boolean).join(". ");
    const step = at < 0 ? Infinity : shown?.step ?? Infinity;
    if (step !== until) {
      until = step;
      showFeature();
    }
    if (!values) return;
    left.textContent = shown.left;
    canvas.setAttribute("aria-label", `${shown.summary}. Arrow keys move, Enter shows the feature.`);
    if (values.has(cursor)) tip.textContent = values.words(cursor);
  }

  const redraw = fsnet.throttled(draw), refresh = fsnet.throttled(update);
  const closeFeature = () => {
    set("picked", -1);
    canvas.focus();
  };
  const showFeature = () => fsnetFeature.show(feature, model.get("feature"), closeFeature, until);
  const size = new ResizeObserver(redraw);
  size.observe(root);
  for (const [name, field] of Object.entries({ top, least })) {
    const show = () => { field.value = model.get(name); };
    life.hears(`change:${name}`, show);
    show();
  }
  life.hears("change:when", () => arrived());
  life.hears("change", refresh);
  life.hears("change:feature", showFeature);
  life.ends(() => clearTimeout(sliding), redraw.stop, refresh.stop, fsnetLastPicture.keep(model, root), fsnet.onTheme(redraw),
    () => size.disconnect(), play.stop, pin.stop);
  update();
  showFeature();
  return life.end;
}

export default { render };
