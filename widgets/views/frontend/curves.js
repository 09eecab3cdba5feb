// The live curves of a training: losses, accuracies, temperature and the largest probability over the epochs, what was changed on the way
// as vertical lines, and the session's other pasts and forks, faded.
const interval = 100; // milliseconds between two drawings, at the least

const plots = [
  { title: "Loss", log: true, lines: [
    { metric: "loss", label: "total", colour: 0, width: 2, noisy: true },
    { metric: "loss_class", label: "class", other: "quantity", colour: 1, width: 1.25, noisy: true },
    { metric: "loss_reconstruction", label: "reconstruction", colour: 2, width: 1.25, noisy: true },
  ] },
  { title: "Accuracy", other: "R²", range: (u, low) => [Math.min(low ?? 0, 0), 1], lines: [
    { metric: "accuracy_train", label: "training batches", colour: 0, width: 1.5, noisy: true },
    { metric: "accuracy_validation", label: "validation rows", colour: 1, width: 1.5 },
    { metric: "r2_train", label: "training batches", colour: 0, width: 1.5, noisy: true }, // instead, where the label is a quantity
    { metric: "r2_validation", label: "validation rows", colour: 1, width: 1.5 },
  ] },
  { title: "Temperature and sharpness", log: true, lines: [
    { metric: "tau", label: "τ", colour: 3, width: 1.75 },
    { metric: "sharpness", label: "σ", colour: 4, width: 1.25 },
  ] },
  { title: "Largest probability, mean", range: [0, 1], level: fsnet.settledFrom, lines: [
    { metric: "max_probability", label: "P", colour: 2, width: 1.75 },
    { metric: "max_soft", label: "M without noise", colour: 7, width: 1.25 },
  ] },
];

// What stands below the courses of the selectors.
const forming = [
  { title: "Entropy of P, bits", range: (u, low, high) => [0, 1.05 * high || 1],
    lines: [{ metric: "entropy", label: "mean over selectors", colour: 6, width: 1.75 }] },
  { title: "Different leaders", range: (u, low, high) => [0, 1.08 * high || 1], whole: true,
    lines: [{ metric: "unique_rows", label: "features that lead a selector", colour: 8, width: 1.75 }] },
];

// What all charts of a page have in common, whichever view they are in: the epochs that are shown, and where the pointer is. Each view has
// a copy of this module, and so it is kept at the document.
const fsnetPage = document.fsnetPage ??= { range: null, lasts: new Map(), views: new Set() };

// The chart of what the model is told. ask asks the kernel for everything, pick for a feature by its column; seek takes the position where
// a person has put it, a step, and without undoes a change: the number of its event.
function fsnetCurves(model, { ask, pick, seek, without }) {
  const { element } = fsnet;
  const tracks = new Tracks();
  let at = -1; // the past step that is shown; below 0 is now
  const perEpoch = () => tracks.main.perEpoch;
  const shared = {
    hidden: new Set(), // other tracks that are switched off
    pointing: false,
    zoom: (range) => {
      fsnetPage.range = range && [Math.max(0, range[0]), range[1]];
      fsnetPage.views.forEach((view) => view.draw());
    },
    point: (chart, epoch) => fsnetPage.views.forEach((view) => view.point(chart, epoch)),
    seek: (epoch) => seek(Math.round(epoch * perEpoch())),
    redraw: () => draw(),
  };
  const courses = new Courses(shared, pick);
  const all = [...plots.map((kind, i) => new LinePlot(kind, shared, i === 0)),
    courses, ...forming.map((kind) => new LinePlot(kind, shared, false))];
  const chips = element("div", { class: "fsnet-chips" });
  const others = element("div", { class: "fsnet-others" });
  const sentence = element("div", { class: "fsnet-sentence", role: "status" });
  const say = () => fsnet.put(sentence, (at < 0 && model.get("sentence")) || "");
  courses.root.append(sentence);
  const smoothing = fsnetSmoothing.control(model);
  const root = element("div", { class: "fsnet-curves" }, chips, others, smoothing.root, ...all.map((plot) => plot.root));
  let asked = 0, painted = 0; // when
  let waiting = null; // a timer

  const paint = fsnet.throttled(() => {
    const width = Math.floor(all[0].root.clientWidth);
    if (!root.isConnected || width < 50) return false;
    painted = performance.now();
    const theme = fsnet.theme(root); // there is none before the view is in the page
    smoothing.show(tracks.smooth);
    const whole = Math.floor(root.clientWidth); // the courses take a row of their own
    const seen = at >= 0 ? tracks.until(at) : tracks;
    const frame = { theme, range: range(), at: at >= 0 ? at / perEpoch() : null };
    all.forEach((plot) => plot.draw(seen, { ...frame, width: plot === courses ? whole : width }));
    list();
    const loss = seen.main.curves.loss;
    root.dataset.points = loss ? loss.steps.length : 0;
    root.dataset.step = loss && loss.steps.length ? loss.steps[loss.steps.length - 1] : 0;
    root.dataset.drawn = 1 + Number(root.dataset.drawn || 0);
  });

  // range is the epochs that are shown: as long as the longest training of these data in the page, or a part that a person has chosen.
  const range = () => {
    const data = (model.get("head").data || "").split(",")[0], last = tracks.last(), mine = fsnetPage.lasts.get(shared);
    if (mine?.last !== last || mine.data !== data) {
      fsnetPage.lasts.set(shared, { last, data });
      fsnetPage.lasts.forEach((other, view) => view !== shared && other.data === data && other.last < last && view.redraw());
    }
    const [low, high] = fsnetPage.range || [0, Math.max(...[...fsnetPage.lasts.values()].filter((other) => data && other.data === data).map((other) => other.last), last)];
    return low < last ? [low, high] : [0, last];
  };

  // list has the changes as chips, and the other pasts and forks, each with an eye.
  let listed = "";
  const list = () => {
    const names = [...tracks.all.keys()].filter(Boolean), events = tracks.main.events.slice(-12);
    const said = JSON.stringify([names, [...shared.hidden], events]);
    if (said === listed) return;
    listed = said;
    chips.replaceChildren(...events.map(({ step, text, number, undo }) => element("span", { class: "fsnet-change" },
      element("button", { type: "button", title: "Show the training as it was at this step", onclick: () => seek(step) }, `${text} at step ${step}`),
      ...(undo ? [element("button", { type: "button", class: "fsnet-undo", title: "Rewind to this step and run on without the change", "aria-label": `run on without ${text}`, onclick: () => without(number) }, "⟲")] : []))));
    others.replaceChildren(...names.map((name, i) => {
      const key = element("button", { type: "button", class: "fsnet-key fsnet-faded", "data-track": name, "aria-pressed": !shared.hidden.has(name), title: "Show or hide its lines", onclick: () => {
        if (!shared.hidden.delete(name)) shared.hidden.add(name);
        draw();
      } }, name);
      key.style.setProperty("--dash", ["dashed", "dotted", "double", "solid"][i % 4]);
      return key;
    }));
    fsnet.ours(chips, others);
  };
  const draw = () => {
    if (waiting !== null) return;
    waiting = setTimeout(() => {
      waiting = null;
      paint();
    }, Math.max(0, painted + interval - performance.now()));
  };
  const everything = () => {
    if (performance.now() - asked < 1000 && asked) return;
    asked = performance.now();
    ask();
  };
  const heard = (message) => {
    if (tracks.hear(message, everything)) draw();
  };
  const self = {
    draw,
    point: (from, epoch) => {
      shared.pointing = true;
      all.forEach((chart) => chart !== from && chart.pointed(epoch));
      shared.pointing = false;
    },
  };
  const look = new ResizeObserver(draw);
  const unthemed = fsnet.onTheme(draw);
  fsnetPage.views.add(self);
  model.on("msg:custom", heard);
  model.on("change:sentence", say);
  look.observe(root);
  try {
    tracks.take(JSON.parse(model.get("saved"))); // what a notebook without a kernel has
  } catch {
    // nothing is saved yet
  }
  say();
  draw();
  everything();
  const show = (step) => { // a past step, or below 0 the present
    if (step === at) return;
    at = step;
    say();
    draw();
  };
  const close = () => {
    clearTimeout(waiting);
    paint.stop();
    model.off("msg:custom", heard);
    model.off("change:sentence", say);
    look.disconnect();
    unthemed();
    smoothing.stop();
    fsnetPage.views.delete(self);
    fsnetPage.lasts.delete(shared);
    all.forEach((plot) => plot.close());
  };
  return { root, show, close };
}
