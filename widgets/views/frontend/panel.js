// The training panel: where the training stands, its buttons, its live hyperparameters, its curves, and the way back.
const icons = { // paths of 14 × 14
  play: "M3 1v12l10-6z", pause: "M2 1h4v12H2zM8 1h4v12H8z", back: "M2 1h2.5v12H2zM12 1v12L4.5 7z", first: "M1 1h2v12H1zM8 1v12L3 7zM13 1v12L8 7z",
  fork: "M4 1a2 2 0 0 1 .8 3.8c.1 1.2.8 1.5 2.2 1.7 1.2-.2 2.1-.5 2.2-1.7A2 2 0 1 1 10.6 4.9c-.1 2.1-1.4 2.7-2.9 2.9v1.4a2 2 0 1 1-1.4 0V7.8C4.8 7.6 3.5 7 3.4 4.9A2 2 0 0 1 4 1z",
};

function icon(name) {
  return fsnet.svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, fsnet.svg("path", { d: icons[name] }));
}

function render({ model, el }) {
  const { element, put, ours } = fsnet;
  const root = element("div", { class: "fsnet-panel" });
  const stops = [];
  const on = (names, show) => names.forEach((name) => {
    model.on(`change:${name}`, show);
    stops.push(() => model.off(`change:${name}`, show));
  });
  const set = (name, value) => fsnet.set(model, { [name]: value });
  const press = (verb, more = {}) => model.send({ do: verb, ...more });
  const button = (text, title, picture, onclick) => element("button", { type: "button", title, onclick }, ...(picture ? [icon(picture)] : []), text);
  const row = (name, ...controls) => element("div", { class: `fsnet-row ${name}` }, ...controls);
  const limited = (x, least, most) => Math.min(Math.max(x, least), most);

  // A field for a number gives what was typed, and shows what is in force where it is left empty.
  function numberField(attributes, take, show) {
    const number = fsnet.field({ type: "number", ...attributes }, () => (number.value === "" ? show() : take(Number(number.value))));
    return number;
  }

  // The control of one live key. A slider counts where it is let go, a field with Enter.
  function knob({ key, kind, label, hint, low, high, step, words }) {
    const common = { title: hint, "aria-label": label };
    const change = (value) => set(key, value);
    const round = (x) => Number(x.toPrecision(3)); // as a person would write it
    let parts, show;
    if (kind === "word" || kind === "choice") {
      const options = words.map((word) => element("option", { value: word }, kind === "choice" ? word : ""));
      const id = `fsnet-${Math.random()}`;
      const take = () => change(field.value);
      const field = kind === "choice" ? element("select", { ...common, onchange: take }, ...options) : fsnet.field({ type: "text", list: id, ...common }, take);
      if (kind === "choice") ours(field);
      parts = kind === "choice" ? [field] : [field, element("datalist", { id }, ...options)];
      show = () => { field.value = model.get(key); };
    } else {
      const power = kind === "power";
      show = () => {
        const x = model.get(key);
        field.value = x;
        slider.value = power ? (x > 0 ? Math.log10(x) : low) : x;
        slider.setAttribute("aria-valuetext", fsnet.number(x));
      };
      const beside = kind === "count" ? {} : { title: `${hint}, exactly`, "aria-label": `${label}, exactly` };
      const field = numberField({ step: kind === "count" ? step : "any", ...common, ...beside }, (x) => (x === model.get(key) ? show() : change(x)), () => show());
      const slider = element("input", { type: "range", min: low, max: high, step: power ? 0.05 : step, ...common,
        onchange: () => change(round(power ? 10 ** Number(slider.value) : Number(slider.value))) });
      ours(slider);
      parts = kind === "count" ? [field] : [slider, field];
    }
    on([key], show);
    show();
    return row(`fsnet-knob fsnet-${key}`, element("span", { title: hint }, label), ...parts);
  }

  // Where it stands.
  const dot = element("span", { "aria-hidden": "true" }, "●"), name = element("b", { class: "fsnet-name" }), state = element("span", { class: "fsnet-state" });
  const reason = element("span"), data = element("span", { class: "fsnet-data" }), method = element("span", { class: "fsnet-data" }), readOnly = element("span", { class: "fsnet-read-only" });
  const warning = element("div", { class: "fsnet-warning" });
  const head = element("div", { class: "fsnet-head" }, dot, " ", name, " ", state, reason, data, method, readOnly, warning);
  const bar = element("div", { class: "fsnet-progress", role: "progressbar", "aria-label": "annealing", "aria-valuemin": 0, "aria-valuemax": 100 }, element("span"));
  const facts = element("div", { class: "fsnet-facts" }), meaning = element("div", { class: "fsnet-meaning fsnet-faint" });
  const stand = () => {
    const h = model.get("head"), share = model.get("steps") > 0 ? limited(model.get("step") / model.get("steps"), 0, 1) : 0;
    head.dataset.state = bar.dataset.state = h.state;
    put(name, h.session);
    name.title = h.directory ? `its checkpoints are in ${h.directory}` : "";
    put(state, h.state);
    put(reason, h.reason ? ` (${h.reason})` : "");
    put(data, h.data);
    put(method, h.method);
    put(readOnly, h.read_only ? " · read-only: you can look at it and fork it" : "");
    put(warning, h.warning);
    const changing = [...steps, run, pause, rewind, reset, ...root.querySelectorAll(".fsnet-knob :is(input, select), .fsnet-undo")];
    changing.forEach((e) => { e.disabled = Boolean(h.read_only); });
    bar.firstChild.style.width = `${100 * share}%`;
    bar.setAttribute("aria-valuenow", Math.round(100 * share));
    put(meaning, model.get("meaning") || "");
    model.get("facts").forEach(([class_, title, text], i) => {
      if (!facts.children[i]) facts.append(element("div", {}, element("div", {}, title), element("div", { class: `fsnet-${class_}` })));
      put(facts.children[i].lastChild, text);
    });
  };
  const refresh = fsnet.throttled(stand);
  on(["head", "facts", "meaning", "step", "steps"], refresh);

  // What it does.
  const steps = [1, 10, 100, 1000].map((n) => button(`Step ${n}`, `Make ${fsnet.counted(n, "step")}`, "", () => press("step", { n })));
  const run = button("Run", "Run to the end of the annealing, or until it is settled", "play", () => press("run", { pace: pace.value }));
  const pace = element("select", { title: "watch: the whole annealing lasts 15 s at the least, so that you see the selectors converge", "aria-label": "pace of Run" },
    element("option", { value: "" }, "full speed"), element("option", { value: "watch" }, "watch"));
  ours(pace);
  const pause = button("Pause", "Pause the run; nothing is lost", "pause", () => press("pause"));
  const message = fsnet.line(model);
  const curves = fsnetCurves(model, { ask: () => press("curves"), pick: (column) => press("feature", { column }), seek: (step) => choose(step), without: (event) => press("without", { event }) });
  const feature = element("div", { class: "fsnet-feature" });
  const showFeature = () => fsnetFeature.show(feature, model.get("feature"), () => press("feature", { column: -1 }));
  on(["feature"], showFeature);

  // The way back: the session's position in its past, which all of its views show, and the buttons that take the session there.
  const hint = "Show a past step in all views of the session; the training stays where it is until you press Rewind or Fork";
  let sliding = 0; // a timer, while the slider moves
  const chosen = () => Number(slider.value), past = (step) => (step < model.get("step") ? step : -1);
  const choose = (step) => {
    clearTimeout(sliding);
    sliding = 0;
    set("past", past(step));
    travel();
  };
  const slider = element("input", { type: "range", min: 0, step: 1, title: hint, "aria-label": "past step", onchange: () => choose(chosen()), oninput: () => slide(chosen()) });
  const slide = (step) => { // here at once, in the session's other views a moment later
    field.value = slider.value = step;
    curves.show(past(step));
    sliding ||= setTimeout(() => {
      sliding = 0;
      set("past", past(chosen()));
    }, 150);
  };
  const present = button("Now", "Show the present step again", "", () => choose(Infinity));
  const play = fsnetPlay.control((share) => (share < 1 ? slide(Math.round(share * model.get("step"))) : choose(Infinity)), () => model.get("step") > 0);
  const field = numberField({ min: 0, step: 1, title: hint, "aria-label": "past step, exactly" }, (step) => choose(step), () => travel());
  const travel = () => {
    if (sliding) return;
    const step = model.get("step"), at = model.get("past");
    slider.max = Math.max(step, 1);
    slider.value = at < 0 || at > step ? step : at;
    if (document.activeElement !== field || at < 0) field.value = slider.value;
    present.style.display = at < 0 ? "none" : "";
    curves.show(at);
  };
  on(["step", "past"], travel);
  const rewind = button("Rewind here", "Take the session back to exactly the past step; what came later is forgotten, and drawn faded", "back", () => press("rewind", { step: chosen() }));
  const reset = button("Reset", "Take the session back to step 0", "first", () => press("reset"));
  const sure = () => reset.classList.toggle("fsnet-sure", model.get("sure"));
  on(["sure"], sure);
  const fork = button("Fork here", "Start another session with the same past up to the past step; both can go on", "fork", () => press("fork", { as: as.value, step: past(chosen()) }));
  const as = fsnet.field({ type: "text", title: "The name of the fork", "aria-label": "the name of the fork" }, () => set("fork", as.value));
  const called = () => { as.value = model.get("fork"); };
  on(["fork"], called);
  // The panel of the last fork stands beside this one where there is room, else below.
  const beside = element("div"), apart = button("Close the fork's panel", "The fork goes on", "", () => press("apart"));
  const open = async () => {
    const id = model.get("beside");
    pair.style.cssText = id ? "display: flex; flex-wrap: wrap; align-items: flex-start; gap: 12px" : "";
    root.style.flex = beside.style.flex = "1 1 400px";
    apart.style.display = id ? "" : "none";
    if (!id) return beside.replaceChildren();
    try {
      const manager = model.widget_manager, view = await manager.create_view(await manager.get_model(id));
      if (model.get("beside") === id) beside.replaceChildren(view.el);
    } catch (error) { // a front end whose widgets have no others in them: the line says how to see it
      console.debug("fsnet: the fork's panel is not shown", error);
    }
  };
  on(["beside"], open);

  // The first control that acts is always there, the others are folded up, and what the choice does not depend on is a line with the reason.
  const knobs = new Map(model.get("knobs").map((k) => [k.key, knob(k)]));
  const first = element("div", { class: "fsnet-first" }), others = element("div", { class: "fsnet-knobs" }), idle = element("div", { class: "fsnet-idle fsnet-faint" });
  const lineUp = (place, keys) => keys.forEach((key, i) => place.children[i] !== knobs.get(key) && place.insertBefore(knobs.get(key), place.children[i] ?? null));
  const sort = () => {
    const why = model.get("idle"), acting = [...knobs.keys()].filter((key) => !why[key]);
    knobs.forEach((control, key) => why[key] && control.remove());
    lineUp(first, acting.slice(0, 1));
    lineUp(others, acting.slice(1));
    idle.replaceChildren(...[...knobs.keys()].filter((key) => why[key]).map((key) => element("div", {}, `${key} = ${model.get(key)}: ${why[key]}`)));
    refresh();
  };
  on(["idle", ...knobs.keys()], sort);
  const summary = element("summary", {}, "Hyperparameters");
  const pin = fsnetPin.control(root);
  ours(slider, summary);
  const above = element("div", { class: "fsnet-spot" }, message), below = element("div");
  root.append(head, bar, facts, meaning, row("", ...steps, run, pace, pause, pin.button), first, above, curves.root,
    row("fsnet-past fsnet-scrubber", play.root, slider, field, present),
    row("fsnet-past", rewind, fork, element("span", { class: "fsnet-fork-name" }, as), reset, apart),
    below, feature, element("details", {}, summary, others, idle));
  const pair = element("div", {}, root, beside);
  el.append(pair);
  const answer = ({ target }) => { // where it is asked for: the curves are high
    const place = target.closest(".fsnet-past, details") ? below : above;
    if (message.parentNode !== place) place.append(message);
  };
  for (const way of ["click", "change", "keydown"]) root.addEventListener(way, answer, true);
  [sort, stand, travel, sure, called, open, showFeature].forEach((show) => show());
  const unkept = fsnetLastPicture.keep(model, root);
  return () => {
    unkept();
    clearTimeout(sliding);
    play.stop();
    pin.stop();
    refresh.stop();
    message.stop();
    curves.close();
    stops.forEach((stop) => stop());
  };
}

export default { render };
