// The live curves: losses, accuracies, temperature and largest probability over the epochs, changes
// as vertical lines, and, faded, the session's forks and what its rewinds took back.
const interval = 100; // milliseconds between two drawings, at least
const mostChips = 12; // changes with a chip, the last

// plots lists the plots below the lanes. means: training values are means over an epoch. quiet:
// values are shown at the pointer alone. courses: a large plot also has a line for each selector.
// final: the scores of the final networks are dots at the right end.
// Of lines that often coincide, such as accuracies of 1, the lower one is wider.
const plots = [
  { title: "Loss", log: true, means: true, lines: [
    { metric: "loss", label: "total", colour: 0, width: 2 },
    { metric: "loss_class", label: "class", other: "quantity", colour: 1, width: 1.25 },
    { metric: "loss_reconstruction", label: "reconstruction", colour: 2, width: 1.25 },
  ] },
  { title: "Accuracy", other: "R²", means: true, final: true, range: (u, low) => [Math.min(low ?? 0, 0), 1], lines: [
    { metric: "accuracy_train", label: "training", colour: 0, width: 2.5 },
    { metric: "accuracy_validation", label: "validation", colour: 1, width: 1.25 },
    { metric: "r2_train", label: "training", colour: 0, width: 2.5 }, // instead, where the label is a quantity
    { metric: "r2_validation", label: "validation", colour: 1, width: 1.25 },
  ] },
  { title: "Temperature, sharpness", log: true, quiet: true, lines: [
    { metric: "tau", label: "τ", colour: 3, width: 1.75 },
    { metric: "sharpness", label: "σ", colour: 4, width: 1.25 },
  ] },
  { title: "Largest probability", level: fsnet.settledFrom, courses: true, lines: [
    { metric: "max_probability", label: "P", colour: 2, width: 1.75 },
    { metric: "max_soft", label: "M without noise", short: "M", colour: 7, width: 1.25 },
  ] },
  { title: "Entropy of P, bits", range: (u, low, high) => [0, 1.05 * high || 1],
    lines: [{ metric: "entropy", label: "mean", colour: 6, width: 1.75 }] },
  { title: "Different leaders", range: (u, low, high) => [0, 1.08 * high || 1], whole: true,
    lines: [{ metric: "unique_rows", label: "", colour: 8, width: 1.75 }] },
];

// fsnetPage is shared by all charts of a page: the epochs shown, and the last epoch of each view.
// Each view has a copy of this module, so it is a property of the document.
const fsnetPage = document.fsnetPage ??= { range: null, lasts: new Map(), views: new Set() };

// fsnetCurves draws what the model receives, and returns root; show(step), which shows a past step
// or below 0 the present; stops(), the steps of the looks at P; and close. handle is the element
// that moves the position, which stands below the lanes and is told their place by placed. ask
// requests everything, pick shows a feature by its column, seek moves the position to a step, move
// by looks, undo takes back a change by its event's number.
function fsnetCurves(model, { handle, placed, ask, pick, seek, move, undo }) {
  const { element } = fsnet;
  const tracks = new Tracks();
  let at = -1; // the past step that is shown, or below 0 for the present
  const perEpoch = () => tracks.main.perEpoch;
  const shared = {
    hidden: new Set(), // names of tracks that are switched off
    pointing: false,
    zoom: (range) => {
      fsnetPage.range = range && [Math.max(0, range[0]), range[1]];
      fsnetPage.views.forEach((view) => view.draw());
    },
    point: (chart, epoch) => fsnetPage.views.forEach((view) => view.point(chart, epoch)),
    seek: (epoch) => seek(Math.round(epoch * perEpoch())),
    move: (looks) => {
      move(looks);
      paint.now();
    },
    enlarged: null, // the kind of the plot that is large
    enlarge: (kind) => {
      shared.enlarged = shared.enlarged === kind ? null : kind;
      draw();
    },
    redraw: () => draw(),
  };
  const lanes = new Lanes(shared, { pick, placed });
  const multiples = plots.map((kind, i) => new LinePlot(kind, shared, i === 0));
  const charts = [lanes, ...multiples];
  const chips = element("div", { class: "fsnet-chips" });
  const others = element("div", { class: "fsnet-others" });
  const sentence = element("div", { class: "fsnet-sentence", role: "status" });
  const showSentence = () => {
    const { contest } = tracks.main.formed ?? {};
    fsnet.put(sentence, at >= 0 ? "" : [contest?.sentence, model.get("sentence")].filter(Boolean).join(". "));
  };
  const smoothing = fsnetSmoothing.control(model);
  const row = element("div", { class: "fsnet-multiples" }, ...multiples.map((chart) => chart.root));
  const root = element("div", { class: "fsnet-curves" }, lanes.root, handle, sentence, chips, others, row, smoothing.root);
  let asked = 0, painted = 0; // times
  let waiting = null; // a timer

  const paint = fsnet.throttled(() => {
    const width = Math.floor(root.clientWidth);
    if (!root.isConnected || width < 50) return false;
    row.dataset.columns = width >= 780 ? 6 : width >= 420 ? 3 : 2;
    multiples.forEach(({ root: figure, kind }) => figure.classList.toggle("fsnet-large", kind === shared.enlarged));
    smoothing.root.style.display = shared.enlarged?.means ? "" : "none";
    painted = performance.now();
    smoothing.show(tracks.smooth);
    const seen = at >= 0 ? tracks.until(at) : tracks;
    const frame = { theme: fsnet.theme(root), range: range(), at: at >= 0 ? at / perEpoch() : null };
    showSentence();
    shared.final = at < 0 ? model.get("head").final : null;
    charts.forEach((chart) => chart.draw(seen, { ...frame, width: chart === lanes ? width : Math.floor(chart.root.clientWidth) }));
    list();
    const steps = seen.main.curves.loss?.steps ?? [];
    root.dataset.points = steps.length;
    root.dataset.step = steps.at(-1) ?? 0;
    root.dataset.drawn = 1 + Number(root.dataset.drawn || 0);
  });

  // range returns the epochs to show: those of the longest training of these data in the page, or
  // the part that a person chose.
  const range = () => {
    const data = (model.get("head").data || "").split(",")[0], last = tracks.last();
    shareLast(data, last);
    const sameData = [...fsnetPage.lasts.values()].filter((other) => data && other.data === data);
    const longest = Math.max(last, ...sameData.map((other) => other.last));
    const [low, high] = fsnetPage.range || [0, longest];
    return low < last ? [low, high] : [0, last];
  };

  // shareLast stores the last epoch. Shorter trainings of the same data are drawn again.
  const shareLast = (data, last) => {
    const mine = fsnetPage.lasts.get(shared);
    if (mine?.last === last && mine.data === data) return;
    fsnetPage.lasts.set(shared, { last, data });
    for (const [view, other] of fsnetPage.lasts) {
      if (view !== shared && other.data === data && other.last < last) view.redraw();
    }
  };

  // chip returns the element of a change: its number in the lanes, a button that shows its step
  // and, if the change can be undone, one that trains anew without it.
  const chip = ({ step, text, number, undo: undoable }) => {
    const mark = tracks.changes().findIndex(([at]) => at === step) + 1;
    const words = text.includes(`at step ${step}`) ? text : `${text} at step ${step}`;
    const parts = [element("b", {}, String(mark)), element("button", { type: "button", title: "Show the training as it was at this step", onclick: () => seek(step) }, words)];
    if (undoable) {
      parts.push(element("button", { type: "button", class: "fsnet-undo",
        title: "Train anew from this step without the change, with all later changes, to where it stands now",
        "aria-label": `train anew without ${text}`, onclick: () => undo(number) }, "⟲"));
    }
    return element("span", { class: "fsnet-change" }, ...parts);
  };

  // trackKey returns the button that shows or hides the lines of another track, the ith.
  const trackKey = (name, i) => {
    const toggle = () => {
      if (!shared.hidden.delete(name)) shared.hidden.add(name);
      draw();
    };
    const key = element("button", { type: "button", class: "fsnet-key fsnet-faded", "data-track": name,
      "aria-pressed": !shared.hidden.has(name), title: "Show or hide its lines", onclick: toggle }, name);
    key.style.setProperty("--dash", ["dashed", "dotted", "double", "solid"][i % 4]);
    return key;
  };

  let listed = "";
  // list shows the last changes as chips, and a key for each other track. It does nothing while
  // these stay the same.
  const list = () => {
    const names = [...tracks.all.keys()].filter(Boolean), events = tracks.main.events.slice(-mostChips);
    const now = JSON.stringify([names, [...shared.hidden], events]);
    if (now === listed) return;
    listed = now;
    chips.replaceChildren(...events.map(chip));
    others.replaceChildren(...names.map(trackKey));
    fsnet.ours(chips, others);
  };

  // draw paints after the interval, unless a drawing waits already.
  const draw = () => {
    if (waiting !== null) return;
    waiting = setTimeout(() => {
      waiting = null;
      paint();
    }, Math.max(0, painted + interval - performance.now()));
  };
  // askForAll requests everything from the kernel, at most once a second.
  const askForAll = () => {
    if (asked && performance.now() - asked < 1000) return;
    asked = performance.now();
    ask();
  };
  const receive = (message) => {
    if (tracks.receive(message, askForAll)) draw();
  };
  const view = {
    draw,
    point: (from, epoch) => {
      shared.pointing = true;
      charts.forEach((chart) => chart !== from && chart.pointAt(epoch));
      shared.pointing = false;
    },
  };
  const sizes = new ResizeObserver(draw);
  const life = fsnet.life(model);
  life.ends(fsnet.onTheme(draw), () => sizes.disconnect(), () => clearTimeout(waiting), paint.stop, smoothing.stop);
  fsnetPage.views.add(view);
  life.hears("msg:custom", receive);
  life.hears("change:sentence", showSentence);
  sizes.observe(root);
  try {
    tracks.add(JSON.parse(model.get("saved"))); // for a notebook without a kernel
  } catch {
    // nothing is saved yet
  }
  showSentence();
  draw();
  askForAll();
  const show = (step) => { // a past step, or below 0 the present
    if (step === at) return;
    at = step;
    showSentence();
    draw();
  };
  life.ends(() => {
    fsnetPage.views.delete(view);
    fsnetPage.lasts.delete(shared);
    charts.forEach((chart) => chart.close());
  });
  const stops = () => tracks.main.looks?.steps ?? [];
  return { root, show, stops, close: life.end };
}
