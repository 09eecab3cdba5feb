// The annealing: the schedules of temperature and sharpness, whose points ahead can be moved, and what each selector is about to choose.
const space = "http://www.w3.org/2000/svg";
const high = 230, edge = { left: 46, right: 16, top: 18, bottom: 34 };
// What can be drawn: its symbol, name, limits, schedule in the state, and colour.
const offered = {
  tau: { symbol: "τ", name: "temperature", least: 1e-6, most: 1e6, schedule: "schedule", colour: 3 },
  sharpness: { symbol: "σ", name: "sharpness", least: 1, most: 1e6, schedule: "sharpness_schedule", colour: 4 },
};

function svg(tag, attributes = {}, ...children) {
  const e = document.createElementNS(space, tag);
  put(e, attributes);
  e.append(...children); // strings become text
  return e;
}

function put(e, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
}

const titles = [
  ["selector", ""], ["leading feature", "of the largest probability in its row of P"], ["probability", "of it, in P"], ["entropy", "of its row of P, in bits"],
  ["margin", "to the second feature of its row"], ["changes", "how often the leader changed, from look to look"], ["leads since", "step"], ["settles", "step; ahead it is extrapolated from the last looks"], ["unique argmax", "which selector gets a feature that several lead to, and what the others take"],
];

function render({ model, el }) {
  const { element, ours } = fsnet, say = fsnet.put;
  let draft = null; // points ahead that are not in force yet
  let dragging = -1;
  let range = null; // of the values, while a point is dragged
  let drawn = "tau"; // which schedule is shown
  let send = 0; // of a timer
  let width = 600;

  const headline = element("div", { class: "fsnet-when" });
  const add = element("button", { class: "fsnet-button", type: "button", title: "adds a point in the widest gap ahead; a double click in the plot adds one there", onclick: () => addWidest() }, "Add point");
  const hint = element("span", { class: "fsnet-faint" }, "Drag the points ahead. A double click adds or removes one. Keys: arrows move, Delete removes.");
  const switches = Object.entries(offered).map(([name, { symbol, name: word }]) =>
    element("button", { class: "fsnet-button", type: "button", title: `show and draw the ${word}`, onclick: () => show(name) }, `${word} ${symbol}`));
  const choice = element("div", { class: "fsnet-bar", role: "group", "aria-label": "which schedule" }, ...switches);
  const grid = svg("g"), lines = svg("g", { fill: "none" }), marks = svg("g"), handles = svg("g");
  const plot = svg("svg", { class: "fsnet-schedule", height: high, role: "group" }, grid, lines, marks, handles);
  const past = svg("path", { "stroke-width": 2.5 });
  const plan = svg("path", { class: "fsnet-plan", "stroke-width": 2, "stroke-dasharray": "6 4" });
  lines.append(past, plan);
  const message = fsnet.line(model);
  const body = element("tbody");
  const table = element("table", { class: "fsnet-selectors" },
    element("thead", {}, element("tr", {}, ...titles.map(([title, hint_], i) => element("th", { scope: "col", title: hint_, class: i === 1 || i === 8 ? "fsnet-left" : "" }, title)))), body);
  const root = element("div", { class: "fsnet-anneal" },
    headline, choice, plot, element("div", { class: "fsnet-bar" }, add, hint), message, element("div", { class: "fsnet-scroll" }, table));
  el.append(root);
  ours(add);
  for (const each of switches) ours(each);

  const of = () => offered[drawn];
  const value = () => now()[drawn];
  const points_ = () => model.get("points")[drawn] || [];

  // show draws another schedule. What was drawn of the one before and is not in force yet goes out first.
  function show(name) {
    if (name === drawn || dragging >= 0) return;
    if (draft && send) dispatch();
    draft = null;
    drawn = name;
    update();
  }

  const now = () => model.get("now");
  const isAhead = ([epoch]) => (now().step === 0 ? epoch >= 0 : epoch > now().epoch);
  const ahead = () => draft || points_().filter(isAhead);

  function past_() {
    const bytes = model.get(`past_${drawn}`);
    if (!bytes || !bytes.byteLength) return [];
    const list = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]]).filter(([, v]) => v > 0);
  }

  // The curve from the present step on.
  function future() {
    const n = now(), points = ahead();
    const exact = draft || (String(n[of().schedule]).startsWith("points:") && !(n.by_epoch && drawn === "tau"));
    const rest = exact ? [...points] : (model.get("plan")[drawn] || []).filter(isAhead);
    const from = value() > 0 && !(draft && n.step === 0) ? [[n.epoch, value()]] : [];
    const all = [...from, ...rest];
    if (all.length && all[all.length - 1][0] < n.epochs) all.push([n.epochs, all[all.length - 1][1]]);
    return all;
  }

  function limits() {
    const values = [...past_(), ...future(), ...points_()].map((p) => p[1]).filter((v) => v > 0);
    return [Math.max(of().least, Math.min(...values) / 3), Math.min(of().most, Math.max(...values) * 3)];
  }

  function scales() {
    const [low, top] = range || limits(), epochs = Math.max(1, now().epochs);
    const wide = width - edge.left - edge.right, tall = high - edge.top - edge.bottom, decades = Math.log(top / low);
    return {
      low, top, epochs,
      x: (e) => edge.left + (e / epochs) * wide,
      y: (v) => edge.top + (Math.log(top / v) / decades) * tall,
      epoch: (px) => Math.min(epochs, Math.max(0, ((px - edge.left) / wide) * epochs)),
      value: (py) => Math.min(top, Math.max(low, top * Math.exp(-((py - edge.top) / tall) * decades))),
    };
  }

  const path = (points, s) => points.map(([e, v], i) => `${i ? "L" : "M"}${s.x(e).toFixed(1)},${s.y(v).toFixed(1)}`).join("");

  let framed = "";
  function frame(s) {
    const key = [drawn, s.low, s.top, s.epochs, width].join();
    if (key === framed) return;
    framed = key;
    const parts = [];
    const line = (x1, y1, x2, y2) => parts.push(svg("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.15 }));
    const words = (text, x, y, anchor) => parts.push(svg("text", { x, y, "text-anchor": anchor, class: "fsnet-axis" }, text));
    for (let d = Math.ceil(Math.log10(s.low)); d <= Math.floor(Math.log10(s.top)); d++) {
      line(edge.left, s.y(10 ** d), width - edge.right, s.y(10 ** d));
      words(d >= -3 && d <= 4 ? String(Number((10 ** d).toPrecision(1))) : `1e${d}`, edge.left - 5, s.y(10 ** d) + 4, "end");
    }
    const room = Math.min(8, (s.x(s.epochs) - edge.left) / (8 * String(s.epochs).length + 6));
    const step = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((d) => [1, 2, 2.5, 5].map((m) => m * 10 ** d)).find((t) => t % 1 === 0 && s.epochs / t <= room);
    for (let e = 0; e <= s.epochs; e += step) {
      line(s.x(e), edge.top, s.x(e), high - edge.bottom);
      words(String(e), Math.min(s.x(e), width - 4 * String(e).length), high - edge.bottom + 14, "middle");
    }
    words("epoch", (edge.left + width - edge.right) / 2, high - 4, "middle");
    words(`${of().name} ${of().symbol} (log)`, 2, 11, "start");
    grid.replaceChildren(...parts);
  }

  const here = svg("line", { stroke: fsnet.palette[0], "stroke-width": 1.5 }), dot = svg("circle", { r: 5, fill: fsnet.palette[0] }), label = svg("text", { class: "fsnet-now" });
  marks.append(here, dot, label);

  function draw() {
    const s = scales(), n = now();
    put(plot, { viewBox: `0 0 ${width} ${high}` });
    frame(s);
    const stroke = fsnet.palette[of().colour];
    put(plot, { "aria-label": `${of().name} schedule` });
    put(handles, { style: `--fsnet-drawn: ${stroke}` });
    put(past, { stroke, d: path(value() > 0 ? [...past_().filter(([e]) => e <= n.epoch), [n.epoch, value()]] : past_(), s) });
    put(plan, { stroke, d: path(future(), s) });
    const right = s.x(n.epoch) > width - 150;
    put(here, { x1: s.x(n.epoch), x2: s.x(n.epoch), y1: edge.top, y2: high - edge.bottom });
    put(dot, { cx: s.x(n.epoch), cy: s.y(Math.min(s.top, Math.max(s.low, value() || s.top))) });
    put(label, { x: s.x(n.epoch) + (right ? -8 : 8), y: high - edge.bottom - 6, "text-anchor": right ? "end" : "start" });
    say(label, `now: epoch ${fsnet.number(n.epoch)}, ${of().symbol} ${fsnet.number(value())}`);
    const points = ahead();
    while (handles.children.length > points.length) handles.lastChild.remove();
    while (handles.children.length < points.length) handles.append(handle(handles.children.length));
    points.forEach(([e, v], i) => {
      const text = `point ${i + 1} of ${points.length}: epoch ${fsnet.number(e)}, ${of().symbol} ${fsnet.number(v)}`;
      put(handles.children[i], { cx: s.x(e), cy: s.y(v), "aria-label": text, "aria-valuenow": v, "aria-valuetext": text });
      say(handles.children[i].firstChild, text);
    });
  }

  // Points keep their order and stay ahead.
  function moved(points, i, epoch, v) {
    const n = now(), least = n.epochs / 1000;
    const low = i > 0 ? points[i - 1][0] + least : n.step === 0 ? 0 : n.epoch + least;
    const top = i + 1 < points.length ? points[i + 1][0] - least : n.epochs;
    return points.map((p, j) => (j === i ? [Math.max(low, Math.min(top, epoch)), Math.min(of().most, Math.max(of().least, v))] : p));
  }

  // Sends the draft after a moment, so that a key held down is one event of the training.
  function commit(wait = 0) {
    clearTimeout(send);
    send = setTimeout(dispatch, wait);
    draw();
  }

  function dispatch() {
    clearTimeout(send);
    send = 0;
    model.send({ drawn, points: draft.map(([e, v]) => [Number(e.toPrecision(6)), Number(v.toPrecision(4))]) });
  }

  function insert(epoch, v) {
    draft = [...ahead(), [epoch, v]].sort((a, b) => a[0] - b[0]);
    commit();
    handles.children[draft.findIndex((p) => p[0] === epoch)].focus();
  }

  function remove(i) {
    draft = ahead().filter((_, j) => j !== i);
    if (!draft.length && now().step === 0) {
      draft = null;
      message.say("a schedule needs at least one point");
      return;
    }
    commit();
    if (draft.length) handles.children[Math.min(i, draft.length - 1)].focus();
    else add.focus();
  }

  function addWidest() {
    const points = future();
    let best = 0;
    for (let i = 1; i + 1 < points.length; i++) if (points[i + 1][0] - points[i][0] > points[best + 1][0] - points[best][0]) best = i;
    if (points.length < 2 || !(points[best + 1][0] > points[best][0])) {
      message.say("there are no epochs ahead");
      return;
    }
    insert((points[best][0] + points[best + 1][0]) / 2, Math.sqrt(points[best][1] * points[best + 1][1]));
  }

  function at(event) {
    const s = scales(), { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
    return [s.epoch(x), s.value(y)];
  }

  function handle(i) {
    const circle = svg("circle", { class: "fsnet-handle", r: 7, tabindex: 0, role: "slider" }, svg("title"));
    ours(circle);
    circle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      circle.focus();
      circle.setPointerCapture(event.pointerId);
      clearTimeout(send);
      send = 0;
      range = limits();
      dragging = i;
    });
    circle.addEventListener("pointermove", (event) => {
      if (dragging !== i) return;
      draft = moved(ahead(), i, ...at(event));
      draw();
    });
    const drop = () => {
      if (dragging !== i) return;
      dragging = -1;
      range = null;
      if (draft) commit();
    };
    circle.addEventListener("pointerup", drop);
    circle.addEventListener("pointercancel", drop);
    circle.addEventListener("dblclick", (event) => {
      event.stopPropagation();
      remove(i);
    });
    circle.addEventListener("keydown", (event) => {
      const factor = event.shiftKey ? 1.01 : 1.1, step = now().epochs / (event.shiftKey ? 1000 : 100);
      const [epoch, v] = ahead()[i];
      const to = { ArrowUp: [epoch, v * factor], ArrowDown: [epoch, v / factor], ArrowLeft: [epoch - step, v], ArrowRight: [epoch + step, v] }[event.key];
      if (!to && event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      event.stopPropagation();
      if (to) {
        draft = moved(ahead(), i, ...to);
        commit(250);
      } else remove(i);
    });
    return circle;
  }

  plot.addEventListener("dblclick", (event) => {
    const [epoch, v] = at(event);
    if (!isAhead([epoch])) message.say("the past cannot be changed: put points after the present step");
    else if (ahead().length >= 64) message.say("at most 64 points");
    else insert(epoch, v);
  });

  // A trend that arrives after the last step is no promise: the training ends before.
  function settles(at_, { step, steps }, p) {
    if (at_ === null || at_ === undefined) return "no trend";
    if (at_ > steps) return "not within this schedule";
    return at_ <= step && p >= 0.9 ? `✓ ${at_}` : `≈ ${at_}`;
  }

  const short = (name) => (name.length > 28 ? name.slice(0, 27) + "…" : name); // the whole is told when pointed at

  function rows() {
    const list = model.get("rows");
    while (body.rows.length > list.length) body.lastChild.remove();
    while (body.rows.length < list.length) {
      body.append(element("tr", {}, ...titles.map((_, i) => element("td", { class: i === 1 ? "fsnet-left fsnet-name" : i === 8 ? "fsnet-left fsnet-note" : "" }))));
    }
    list.forEach((r, i) => {
      const [selector, leader, p, entropy, margin, second, changes, since, at_, lost, gets, gotten] = r;
      const tr = body.rows[i], against = list.filter((other) => other[9] === selector && other[1] === leader).map((other) => other[0]);
      const note = lost !== null ? `${lost} wins; takes ${short(gets)}` : against.length ? `wins against ${against.join(", ")}` : "";
      tr.className = lost !== null ? "fsnet-duplicate" : "";
      [selector, lost !== null ? `⚠ ${leader}` : leader, null, entropy.toFixed(2), margin.toFixed(3), changes, since, settles(at_, now(), p), note].forEach((value, j) => {
        if (value !== null) say(tr.cells[j], String(value));
      });
      put(tr.cells[1], { title: lost !== null ? `${leader}, a duplicate: ${note}` : leader });
      put(tr.cells[4], { title: `second: ${second}` });
      put(tr.cells[8], { title: lost !== null ? `${lost} wins; takes ${gets}, whose probability here is ${fsnet.number(gotten)}` : note });
      if (!tr.cells[2].firstElementChild) tr.cells[2].append(element("span", { class: "fsnet-track", "aria-hidden": "true" }, element("span")), element("span"));
      const bar = tr.cells[2].firstChild.firstChild;
      bar.style.width = `${100 * Math.min(1, Math.max(0, p))}%`;
      bar.style.background = p >= 0.9 ? fsnet.palette[2] : fsnet.palette[0];
      say(tr.cells[2].lastChild, p.toFixed(3));
    });
  }

  function update() {
    const n = now();
    say(headline, `${n.session} ${n.state} · step ${n.step} of ${n.steps} · epoch ${fsnet.number(n.epoch)} of ${n.epochs} · τ ${fsnet.number(n.tau)} · σ ${fsnet.number(n.sharpness)} · ${n.settled} of ${model.get("rows").length || "…"} selectors settled · schedule ${String(n[of().schedule]).split(":")[0]}`);
    switches.forEach((button, i) => put(button, { "aria-pressed": Object.keys(offered)[i] === drawn }));
    draw();
    rows();
  }

  const refresh = fsnet.throttled(update);
  const answered = () => {
    if (dragging < 0) draft = null;
    message.told();
    refresh();
  };
  const size = new ResizeObserver(() => {
    width = Math.max(280, root.clientWidth);
    refresh();
  });
  size.observe(root);
  const unkept = fsnet.outlive(model, root);
  model.on("change", refresh);
  model.on("change:answer", answered);
  update();
  return () => {
    unkept();
    size.disconnect();
    clearTimeout(send);
    refresh.stop();
    model.off("change", refresh);
    message.stop();
    model.off("change:answer", answered);
  };
}

export default { render };
