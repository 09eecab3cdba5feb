// The training panel: status, buttons, live hyperparameters, curves, and past steps.
const icons = { // paths of 14 × 14
  play: "M3 1v12l10-6z",
  pause: "M2 1h4v12H2zM8 1h4v12H8z",
  back: "M2 1h2.5v12H2zM12 1v12L4.5 7z",
  first: "M1 1h2v12H1zM8 1v12L3 7zM13 1v12L8 7z",
  fork: "M4 1a2 2 0 0 1 .8 3.8c.1 1.2.8 1.5 2.2 1.7 1.2-.2 2.1-.5 2.2-1.7A2 2 0 1 1 10.6 4.9c-.1 2.1-1.4 2.7-2.9 2.9v1.4" +
    "a2 2 0 1 1-1.4 0V7.8C4.8 7.6 3.5 7 3.4 4.9A2 2 0 0 1 4 1z",
};

function icon(name) {
  return fsnet.svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, fsnet.svg("path", { d: icons[name] }));
}

function button(text, title, picture, onclick) {
  return fsnet.element("button", { type: "button", title, onclick }, ...(picture ? [icon(picture)] : []), text);
}

function row(name, ...controls) {
  return fsnet.element("div", { class: `fsnet-row ${name}` }, ...controls);
}

// numberField returns a field that calls take with the number that was typed, and empty when it was
// emptied.
function numberField(attributes, take, empty) {
  const field = fsnet.field({ type: "number", ...attributes }, () => (field.value === "" ? empty() : take(Number(field.value))));
  return field;
}

// knob makes the control of one live key: its root, and show, which displays the value in force. A
// slider takes effect when it is released, a field with Enter or when it is left.
function knob(model, { key, kind, label, hint, low, high, step, words, auto }) {
  const { element, ours } = fsnet;
  const common = { title: hint, "aria-label": label };
  const value = () => model.get(key), change = (to) => fsnet.set(model, { [key]: to });
  let parts, show;
  if (kind === "choice" || kind === "word") {
    const options = words.map((word) => element("option", { value: word }, kind === "choice" ? word : ""));
    const id = `fsnet-${Math.random()}`, take = () => change(input.value);
    const input = kind === "choice" ? element("select", { ...common, onchange: take }, ...options)
      : fsnet.field({ type: "text", list: id, ...common }, take);
    parts = kind === "choice" ? [input] : [input, element("datalist", { id }, ...options)];
    if (kind === "choice") ours(input);
    show = () => { input.value = value(); };
  } else {
    const isPower = kind === "power", hasSlider = kind !== "count";
    const exactly = hasSlider ? { title: `${hint}, exactly`, "aria-label": `${label}, exactly` } : {};
    const take = (x) => (x === value() ? show() : change(x));
    const empty = () => (auto ? change("auto") : show());
    const field = numberField({ step: hasSlider ? "any" : step, ...common, ...exactly }, take, empty);
    const slide = () => {
      const position = Number(slider.value);
      change(Number((isPower ? 10 ** position : position).toPrecision(3)));
    };
    const slider = element("input", { type: "range", min: low, max: high, step: isPower ? 0.05 : step, ...common, onchange: slide });
    ours(slider);
    parts = hasSlider ? [slider, field] : [field];
    show = () => {
      const x = value();
      if (typeof x !== "number") return; // auto, until the kernel answers with a number
      field.value = x;
      slider.value = isPower ? (x > 0 ? Math.log10(x) : low) : x;
      slider.setAttribute("aria-valuetext", fsnet.number(x));
    };
  }
  show();
  return { show, root: row(`fsnet-knob fsnet-${key}`, element("span", { title: hint }, label), ...parts) };
}

// The Standing is the upper part of the panel: one line of state, the data, and the progress. roots
// are its elements, from the top.
class Standing {
  constructor(model) {
    const { element } = fsnet, span = (name) => element("span", { class: name });
    this.model = model;
    Object.assign(this, { name: element("b", { class: "fsnet-name" }), state: span("fsnet-state"), reason: element("span"),
      facts: span("fsnet-facts"), data: element("div", { class: "fsnet-data" }), warning: element("div", { class: "fsnet-warning" }) });
    this.head = element("div", { class: "fsnet-head" }, element("span", { "aria-hidden": "true" }, "●"), " ", this.name, " ", this.state,
      this.reason, this.facts, this.data, this.warning);
    this.bar = element("div", { class: "fsnet-progress", role: "progressbar", "aria-label": "annealing", "aria-valuemin": 0,
      "aria-valuemax": 100 }, element("span"));
    this.roots = [this.head, this.bar];
  }

  // show shows the state of the model: name, state, facts, data and progress.
  show() {
    const { put } = fsnet, head = this.model.get("head");
    this.head.dataset.state = this.bar.dataset.state = head.state;
    put(this.name, head.session);
    this.name.title = head.directory ? `its checkpoints are in ${head.directory}` : "";
    put(this.state, head.state);
    put(this.reason, head.reason ? ` (${head.reason})` : "");
    put(this.data, [head.data, head.method, head.read_only ? "read-only: you can look at it and fork it" : ""].filter(Boolean).join(" · "));
    this.data.title = head.method ?? "";
    put(this.warning, head.warning);
    const step = this.model.get("step"), steps = this.model.get("steps");
    const percent = steps > 0 ? 100 * Math.min(Math.max(step / steps, 0), 1) : 0;
    this.bar.firstChild.style.width = `${percent}%`;
    this.bar.setAttribute("aria-valuenow", Math.round(percent));
    this.showFacts(this.model.get("facts"));
  }

  // showFacts shows the facts that are known, each as name, title, text and hint. An element stays
  // while the facts before it stay, so that a selection stays.
  showFacts(facts) {
    const { element, sized, put, attribute } = fsnet;
    sized(this.facts, facts.length, () => element("span", { class: "fsnet-fact" }, element("span"), element("span")));
    facts.forEach(([name, title, text, hint], i) => {
      const [label, value] = this.facts.children[i].children;
      put(label, title ? `${title} ` : "");
      value.className = `fsnet-${name}`;
      put(value, text);
      attribute(this.facts.children[i], { title: hint ?? "" });
    });
  }
}

// The Past is the session's position in its past, which all its views show, and the handle that
// moves it, on the axis of the lanes. It stops at the looks at P, so that all views show the same.
class Past {
  constructor(model) {
    this.model = model;
    this.curves = null; // follow the handle, once they are made
    this.sliding = 0; // a timer, while the slider moves
    this.plot = null; // where the lanes are, see placed
    const title = "Show a past step in all views of the session; the training stays where it is until you press Rewind or Fork";
    this.slider = fsnet.element("input", { type: "range", class: "fsnet-at", min: 0, step: 1, title, "aria-label": "past step",
      onchange: () => this.choose(this.chosen), oninput: () => this.slide(this.chosen), onkeydown: (event) => this.key(event) });
    this.field = numberField({ min: 0, step: 1, title, "aria-label": "past step, exactly" }, (step) => this.choose(step), () => this.show(true));
    this.field.addEventListener("blur", () => this.show());
    this.present = button("Now", "Show the present step again", "", () => this.choose(Infinity));
    this.play = fsnetPlay.control((share) => this.playTo(share), () => this.step > 0);
    fsnet.ours(this.slider);
    this.strip = fsnet.element("div", { class: "fsnet-scrubber" }, this.slider);
  }

  get step() {
    return this.model.get("step");
  }

  get chosen() {
    return Number(this.slider.value);
  }

  // stops returns the steps at which the handle stops: 0 and the looks at P before the present.
  get stops() {
    return [0, ...this.curves.stops().filter((step) => step < this.step)];
  }

  // past returns the step as the kernel has it, the last stop up to a step: below 0 is the present.
  past(step = this.chosen) {
    if (step >= this.step) return -1;
    return this.curves.stops().length ? this.stops.findLast((stop) => stop <= step) : step;
  }

  // choose shows a step in all views of the session; a step that is not past is the present.
  choose(step) {
    this.hold();
    fsnet.set(this.model, { past: this.past(step) });
    this.show(true);
  }

  // move shows the step so many looks later, or earlier where looks is below 0.
  move(looks) {
    const list = [...this.stops, Infinity], at = this.model.get("past");
    const now = at < 0 ? list.length - 1 : list.findLastIndex((stop) => stop <= at);
    this.choose(list[Math.min(Math.max(now + looks, 0), list.length - 1)]);
  }

  // key moves the handle by looks.
  key(event) {
    const looks = { ...EpochChart.along, ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (looks === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(looks);
  }

  // slide shows a step here at once, and a moment later in the session's other views.
  slide(step) {
    const at = this.past(step);
    this.field.value = at < 0 ? this.step : at;
    this.slider.value = at < 0 ? (this.plot?.block ? this.slider.max : this.step) : at;
    this.curves.show(at);
    this.sliding ||= setTimeout(() => {
      this.sliding = 0;
      fsnet.set(this.model, { past: this.past() });
    }, 150);
  }

  // playTo shows the past up to a share of the steps; 1 is the present.
  playTo(share) {
    if (share < 1) this.slide(Math.round(share * this.step));
    else this.choose(Infinity);
  }

  // placed puts the handle below the plot of the lanes, from left, so many pixels wide, where it
  // shows the steps from low to high. Without lanes it shows all steps.
  placed(plot) {
    this.plot = plot;
    const half = 8, { style } = this.slider; // of the handle's width
    style.marginLeft = plot ? `${plot.left - half}px` : "";
    style.width = plot ? `${plot.width + plot.block + 2 * half}px` : "100%";
    this.show();
  }

  // show moves the handle and the curves to the step in the model, unless the handle is being moved.
  // A run moves the present many times a second, so the field stays while somebody is in it, until a
  // step is chosen.
  show(chosen = false) {
    if (this.sliding) return;
    const at = this.model.get("past");
    this.slider.min = this.plot ? Math.ceil(this.plot.low) : 0;
    this.slider.max = Math.max(this.plot ? Math.floor(this.plot.high) : this.step, 1);
    const { low, high, width, block } = this.plot ?? {}, isOver = block > 0;
    if (isOver) this.slider.max = Math.round(high + ((high - low) * block) / width); // its last stop is below the contest
    this.slider.value = at < 0 || at > this.step ? (isOver ? this.slider.max : this.step) : at;
    fsnet.put(this.present, isOver ? "Result" : "Now");
    if (chosen || !this.field.matches(":focus")) this.field.value = at < 0 ? this.step : at;
    fsnet.attribute(this.slider, { "aria-valuetext": at < 0 ? `${isOver ? "result" : "now"}, step ${this.step}` : `step ${at}` });
    this.present.disabled = at < 0;
    this.curves?.show(at);
  }

  // hold keeps a slide from reaching the other views.
  hold() {
    clearTimeout(this.sliding);
    this.sliding = 0;
  }

  stop() {
    this.hold();
    this.play.stop();
  }
}

// The Knobs are the controls of all live keys. The first that has an effect is always visible, the
// others are folded; a key without effect is a line with the reason.
class Knobs {
  constructor(model) {
    const { element } = fsnet;
    this.model = model;
    this.all = new Map(model.get("knobs").map((key) => [key.key, knob(model, key)]));
    this.first = element("div", { class: "fsnet-first" });
    this.others = element("div", { class: "fsnet-knobs" });
    this.idle = element("div", { class: "fsnet-idle fsnet-faint" });
    const summary = element("summary", {}, "Hyperparameters");
    fsnet.ours(summary);
    this.folded = element("details", {}, summary, this.others, this.idle);
  }

  // sort makes the first key with an effect visible, folds the others, and lists the keys without
  // one with their reasons.
  sort() {
    const why = this.model.get("idle"), keys = [...this.all.keys()];
    const acting = keys.filter((key) => !why[key]), idle = keys.filter((key) => why[key]);
    idle.forEach((key) => this.all.get(key).root.remove());
    this.lineUp(this.first, acting.slice(0, 1));
    this.lineUp(this.others, acting.slice(1));
    this.idle.replaceChildren(...idle.map((key) => fsnet.element("div", {}, `${key} = ${this.model.get(key)}: ${why[key]}`)));
  }

  // lineUp puts controls in order. A control that stays in its place keeps the focus.
  lineUp(place, keys) {
    keys.forEach((key, i) => {
      const { root } = this.all.get(key);
      if (place.children[i] !== root) place.insertBefore(root, place.children[i] ?? null);
    });
  }
}

// render shows the panel in el, and returns what ends it.
function render({ model, el }) {
  const { element } = fsnet;
  const root = element("div", { class: "fsnet-panel", role: "region" });
  const press = (verb, more = {}) => model.send({ do: verb, ...more });
  const life = fsnet.life(model);
  const on = (names, show) => names.forEach((name) => life.hears(`change:${name}`, show));

  const standing = new Standing(model);
  const steps = [1, 10, 100, 1000].map((n) => button(`Step ${n}`, `Make ${fsnet.counted(n, "step")}`, "", () => press("step", { n })));
  const run = button("Run", "Run to the end of the annealing, or until it is settled", "play", () => press("run", { pace: pace.value }));
  const pace = element("select", { "aria-label": "pace of Run",
    title: "watch: the whole annealing lasts at least 15 s, so that you see the selectors converge" },
  element("option", { value: "" }, "full speed"), element("option", { value: "watch" }, "watch"));
  fsnet.ours(pace);
  const pause = button("Pause", "Pause the run; nothing is lost", "pause", () => press("pause"));
  const message = fsnet.line(model, life);
  const past = new Past(model);
  const feature = element("div", { class: "fsnet-feature" });
  const showFeature = () => fsnetFeature.show(feature, model.get("feature"), () => press("feature", { column: -1 }));

  const rewind = button("Rewind here", "Take the session back to exactly the past step; what came later is forgotten, and drawn faded", "back",
    () => press("rewind", { step: model.get("past") }));
  const reset = button("Reset", "Take the session back to step 0", "first", () => press("reset"));
  const showSure = () => reset.classList.toggle("fsnet-sure", model.get("sure"));
  const fork = button("Fork here", "Start another session with the same past up to the past step; both can continue", "fork",
    () => press("fork", { as: forkName.value, step: past.past() }));
  const forkName = fsnet.field({ type: "text", title: "The name of the fork", "aria-label": "the name of the fork" },
    () => fsnet.set(model, { fork: forkName.value }));
  const showForkName = () => { forkName.value = model.get("fork"); };
  const apart = button("Close the fork's panel", "The fork goes on", "", () => press("apart"));
  const below = element("div");
  const handle = element("div", { class: "fsnet-past" }, past.strip, row("", past.play.root, past.field, past.present, rewind, fork,
    element("span", { class: "fsnet-fork-name" }, forkName), reset, apart), below);
  const curves = past.curves = fsnetCurves(model, {
    handle,
    placed: (plot) => past.placed(plot),
    ask: () => press("curves"),
    pick: (column) => press("feature", { column }),
    seek: (step) => past.choose(step),
    move: (looks) => past.move(looks),
    undo: (event) => press("without", { event }),
  });

  // The panel of the last fork stands beside this one where there is room, else below.
  const beside = element("div");
  const pair = element("div", {}, root, beside);
  // showFork shows the panel of the last fork, once the widget manager has made it; without a fork
  // it clears the place.
  const showFork = async () => {
    const id = model.get("beside");
    pair.style.cssText = id ? "display: flex; flex-wrap: wrap; align-items: flex-start; gap: 12px" : "";
    root.style.flex = beside.style.flex = "1 1 400px";
    apart.style.display = id ? "" : "none";
    if (!id) return beside.replaceChildren();
    try {
      const manager = model.widget_manager, view = await manager.create_view(await manager.get_model(id));
      if (model.get("beside") === id) beside.replaceChildren(view.el);
    } catch (error) { // a front end that shows no widget in another: the message says how to see the fork
      console.debug("fsnet: the fork's panel is not shown", error);
    }
  };

  const knobs = new Knobs(model);
  const show = () => {
    standing.show();
    const changing = [...steps, run, pause, rewind, reset, ...root.querySelectorAll(".fsnet-knob :is(input, select), .fsnet-undo")];
    changing.forEach((control) => { control.disabled = Boolean(model.get("head").read_only); });
    pause.disabled ||= model.get("head").state !== "running";
    root.setAttribute("aria-label", `panel of ${model.get("head").session}`);
  };
  const refresh = fsnet.throttled(show);
  const sort = () => {
    knobs.sort();
    refresh();
  };
  const pin = fsnetPin.control(root);
  const above = element("div", { class: "fsnet-spot" }, message);
  root.append(...standing.roots, row("", ...steps, run, pace, pause, pin.button), above, curves.root, feature, knobs.first, knobs.folded);
  el.append(pair);
  const moveMessage = ({ target }) => { // to where it was pressed: the lanes are high
    const place = target.closest(".fsnet-past, .fsnet-chips") ? below : above;
    if (message.parentNode !== place) place.append(message);
  };
  for (const event of ["click", "change", "keydown"]) root.addEventListener(event, moveMessage, true);

  knobs.all.forEach(({ show }, key) => on([key], show));
  on(["idle", ...knobs.all.keys()], sort);
  on(["head", "facts", "step", "steps"], refresh);
  const showPast = () => past.show();
  on(["step", "past"], showPast);
  on(["feature"], showFeature);
  on(["sure"], showSure);
  on(["fork"], showForkName);
  on(["beside"], showFork);
  [sort, show, showPast, showSure, showForkName, showFork, showFeature].forEach((draw) => draw());
  life.ends(fsnetLastPicture.keep(model, root), () => past.stop(), pin.stop, refresh.stop, curves.close);
  return life.end;
}

export default { render };
