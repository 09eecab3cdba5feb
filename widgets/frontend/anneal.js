// The annealing: a temperature schedule whose points ahead can be moved, and what each selector is about to choose.
const space = "http://www.w3.org/2000/svg";
const high = 230, edge = { left: 46, right: 16, top: 18, bottom: 34 };
const leastTau = 1e-6, mostTau = 1e6;

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
  ["margin", "to the second feature of its row"], ["changes", "how often the leader changed, from look to look"], ["leads since", "step"], ["settles", "step; extrapolated from the last looks"], ["unique argmax", "which selector gets a feature that several lead to, and what the others take"],
];

function render({ model, el }) {
  const { element, ours } = fsnet, say = fsnet.put;
  let draft = null; // points ahead that are not in force yet
  let dragging = -1;
  let range = null; // of τ, while it is dragged
  let send = 0; // of a timer
  let width = 600;

  const headline = element("div", { class: "fsnet-when" });
  const add = element("button", { class: "fsnet-button", type: "button", title: "a point in the widest gap ahead; a double click into the plot puts one there", onclick: () => addWidest() }, "Add point");
  const hint = element("span", { class: "fsnet-faint" }, "Drag the points ahead. Double click adds or removes one. Keys: arrows move, Delete removes.");
  const grid = svg("g"), lines = svg("g", { fill: "none" }), marks = svg("g"), handles = svg("g");
  const plot = svg("svg", { class: "fsnet-schedule", height: high, role: "group", "aria-label": "temperature schedule" }, grid, lines, marks, handles);
  const past = svg("path", { stroke: fsnet.palette[3], "stroke-width": 2.5 });
  const plan = svg("path", { class: "fsnet-plan", stroke: fsnet.palette[3], "stroke-width": 2, "stroke-dasharray": "6 4" });
  lines.append(past, plan);
  const message = fsnet.line(model);
  const body = element("tbody");
  const table = element("table", { class: "fsnet-selectors" },
    element("thead", {}, element("tr", {}, ...titles.map(([title, hint_], i) => element("th", { scope: "col", title: hint_, class: i === 1 || i === 8 ? "fsnet-left" : "" }, title)))), body);
  const root = element("div", { class: "fsnet-anneal" },
    headline, plot, element("div", { class: "fsnet-bar" }, add, hint), message, element("div", { class: "fsnet-scroll" }, table));
  el.append(root);
  ours(add);

  const now = () => model.get("now");
  const isAhead = ([epoch]) => (now().step === 0 ? epoch >= 0 : epoch > now().epoch);
  const ahead = () => draft || model.get("points").filter(isAhead);

  function past_() {
    const bytes = model.get("past");
    if (!bytes || !bytes.byteLength) return [];
    const list = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]]).filter(([, tau]) => tau > 0);
  }

  // The curve from the present step on.
  function future() {
    const n = now(), points = ahead();
    const exact = draft || (String(n.schedule).startsWith("points:") && !n.by_epoch);
    const rest = exact ? [...points] : model.get("plan").filter(isAhead);
    const from = n.tau > 0 && !(draft && n.step === 0) ? [[n.epoch, n.tau]] : [];
    const all = [...from, ...rest];
    if (all.length && all[all.length - 1][0] < n.epochs) all.push([n.epochs, all[all.length - 1][1]]);
    return all;
  }

  function limits() {
    const taus = [...past_(), ...future(), ...model.get("points")].map((p) => p[1]).filter((t) => t > 0);
    return [Math.max(leastTau, Math.min(...taus) / 3), Math.min(mostTau, Math.max(...taus) * 3)];
  }

  function scales() {
    const [low, top] = range || limits(), epochs = Math.max(1, now().epochs);
    const wide = width - edge.left - edge.right, tall = high - edge.top - edge.bottom, decades = Math.log(top / low);
    return {
      low, top, epochs,
      x: (e) => edge.left + (e / epochs) * wide,
      y: (tau) => edge.top + (Math.log(top / tau) / decades) * tall,
      epoch: (px) => Math.min(epochs, Math.max(0, ((px - edge.left) / wide) * epochs)),
      tau: (py) => Math.min(top, Math.max(low, top * Math.exp(-((py - edge.top) / tall) * decades))),
    };
  }

  const path = (points, s) => points.map(([e, tau], i) => `${i ? "L" : "M"}${s.x(e).toFixed(1)},${s.y(tau).toFixed(1)}`).join("");

  let drawn = "";
  function frame(s) {
    const key = [s.low, s.top, s.epochs, width].join();
    if (key === drawn) return;
    drawn = key;
    const parts = [];
    const line = (x1, y1, x2, y2) => parts.push(svg("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.15 }));
    const words = (text, x, y, anchor) => parts.push(svg("text", { x, y, "text-anchor": anchor, class: "fsnet-axis" }, text));
    for (let d = Math.ceil(Math.log10(s.low)); d <= Math.floor(Math.log10(s.top)); d++) {
      line(edge.left, s.y(10 ** d), width - edge.right, s.y(10 ** d));
      words(d >= -3 && d <= 4 ? String(Number((10 ** d).toPrecision(1))) : `1e${d}`, edge.left - 5, s.y(10 ** d) + 4, "end");
    }
    const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000].find((t) => s.epochs / t <= 8) || s.epochs / 5;
    for (let e = 0; e <= s.epochs; e += step) {
      line(s.x(e), edge.top, s.x(e), high - edge.bottom);
      words(String(Math.round(e)), s.x(e), high - edge.bottom + 14, "middle");
    }
    words("epoch", (edge.left + width - edge.right) / 2, high - 4, "middle");
    words("temperature τ (log)", 2, 11, "start");
    grid.replaceChildren(...parts);
  }

  const here = svg("line", { stroke: fsnet.palette[0], "stroke-width": 1.5 }), dot = svg("circle", { r: 5, fill: fsnet.palette[0] }), label = svg("text", { class: "fsnet-now" });
  marks.append(here, dot, label);

  function draw() {
    const s = scales(), n = now();
    put(plot, { viewBox: `0 0 ${width} ${high}` });
    frame(s);
    put(past, { d: path(n.tau > 0 ? [...past_().filter(([e]) => e <= n.epoch), [n.epoch, n.tau]] : past_(), s) });
    put(plan, { d: path(future(), s) });
    const right = s.x(n.epoch) > width - 150;
    put(here, { x1: s.x(n.epoch), x2: s.x(n.epoch), y1: edge.top, y2: high - edge.bottom });
    put(dot, { cx: s.x(n.epoch), cy: s.y(Math.min(s.top, Math.max(s.low, n.tau || s.top))) });
    put(label, { x: s.x(n.epoch) + (right ? -8 : 8), y: high - edge.bottom - 6, "text-anchor": right ? "end" : "start" });
    say(label, `now: epoch ${fsnet.number(n.epoch)}, τ ${fsnet.number(n.tau)}`);
    const points = ahead();
    while (handles.children.length > points.length) handles.lastChild.remove();
    while (handles.children.length < points.length) handles.append(handle(handles.children.length));
    points.forEach(([e, tau], i) => {
      const text = `point ${i + 1} of ${points.length}: epoch ${fsnet.number(e)}, τ ${fsnet.number(tau)}`;
      put(handles.children[i], { cx: s.x(e), cy: s.y(tau), "aria-label": text, "aria-valuenow": tau, "aria-valuetext": text });
      say(handles.children[i].firstChild, text);
    });
  }

  // Points keep their order and stay ahead.
  function moved(points, i, epoch, tau) {
    const n = now(), least = n.epochs / 1000;
    const low = i > 0 ? points[i - 1][0] + least : n.step === 0 ? 0 : n.epoch + least;
    const top = i + 1 < points.length ? points[i + 1][0] - least : n.epochs;
    return points.map((p, j) => (j === i ? [Math.max(low, Math.min(top, epoch)), Math.min(mostTau, Math.max(leastTau, tau))] : p));
  }

  // Sends the draft after a moment, so that a key held down is one event of the training.
  function commit(wait = 0) {
    clearTimeout(send);
    send = setTimeout(() => model.send({ points: draft.map(([e, tau]) => [Number(e.toPrecision(6)), Number(tau.toPrecision(4))]) }), wait);
    draw();
  }

  function insert(epoch, tau) {
    draft = [...ahead(), [epoch, tau]].sort((a, b) => a[0] - b[0]);
    commit();
    handles.children[draft.findIndex((p) => p[0] === epoch)].focus();
  }

  function remove(i) {
    draft = ahead().filter((_, j) => j !== i);
    if (!draft.length && now().step === 0) {
      draft = null;
      message.say("a schedule needs a point");
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
    return [s.epoch(x), s.tau(y)];
  }

  function handle(i) {
    const circle = svg("circle", { class: "fsnet-handle", r: 7, tabindex: 0, role: "slider" }, svg("title"));
    ours(circle);
    circle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      circle.focus();
      circle.setPointerCapture(event.pointerId);
      clearTimeout(send);
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
      const [epoch, tau] = ahead()[i];
      const to = { ArrowUp: [epoch, tau * factor], ArrowDown: [epoch, tau / factor], ArrowLeft: [epoch - step, tau], ArrowRight: [epoch + step, tau] }[event.key];
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
    const [epoch, tau] = at(event);
    if (!isAhead([epoch])) message.say("what lies behind the present step stays as it was");
    else if (ahead().length >= 64) message.say("64 points are the most");
    else insert(epoch, tau);
  });

  function settles(at_, step, p) {
    if (at_ === null || at_ === undefined) return "no trend";
    return at_ <= step && p >= 0.9 ? `✓ ${at_}` : `≈ ${at_}`;
  }

  function rows() {
    const list = model.get("rows"), step = now().step;
    while (body.rows.length > list.length) body.lastChild.remove();
    while (body.rows.length < list.length) {
      body.append(element("tr", {}, ...titles.map((_, i) => element("td", { class: i === 1 ? "fsnet-left fsnet-name" : i === 8 ? "fsnet-left fsnet-note" : "" }))));
    }
    list.forEach((r, i) => {
      const [selector, leader, p, entropy, margin, second, changes, since, at_, lost, gets, gotten] = r;
      const tr = body.rows[i], against = list.filter((other) => other[9] === selector && other[1] === leader).map((other) => other[0]);
      const note = lost !== null ? `${lost} wins; takes ${gets}` : against.length ? `wins against ${against.join(", ")}` : "";
      tr.className = lost !== null ? "fsnet-duplicate" : "";
      [selector, lost !== null ? `⚠ ${leader}` : leader, null, entropy.toFixed(2), margin.toFixed(3), changes, since, settles(at_, step, p), note].forEach((value, j) => {
        if (value !== null) say(tr.cells[j], String(value));
      });
      put(tr.cells[1], { title: lost !== null ? `${leader}, a duplicate: ${note}` : leader });
      put(tr.cells[4], { title: `second: ${second}` });
      put(tr.cells[8], { title: lost !== null ? `${note}, whose probability here is ${fsnet.number(gotten)}` : note });
      if (!tr.cells[2].firstElementChild) tr.cells[2].append(element("span", { class: "fsnet-track", "aria-hidden": "true" }, element("span")), element("span"));
      const bar = tr.cells[2].firstChild.firstChild;
      bar.style.width = `${100 * Math.min(1, Math.max(0, p))}%`;
      bar.style.background = p >= 0.9 ? fsnet.palette[2] : fsnet.palette[0];
      say(tr.cells[2].lastChild, p.toFixed(3));
    });
  }

  function update() {
    const n = now();
    say(headline, `${n.session} ${n.state} · step ${n.step} of ${n.steps} · epoch ${fsnet.number(n.epoch)} of ${n.epochs} · τ ${fsnet.number(n.tau)} · ${n.settled} of ${model.get("rows").length} selectors settled · schedule ${String(n.schedule).split(":")[0]}`);
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
