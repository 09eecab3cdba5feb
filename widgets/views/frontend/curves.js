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

// The chart of what the model is told; ask asks the kernel for everything, pick for a feature by its column.
function fsnetCurves(model, ask, pick) {
  const tracks = new Tracks();
  const sync = uPlot.sync(`fsnet-${Math.random()}`);
  const courses = new Courses(sync, pick);
  const all = [...plots.map((kind, i) => new LinePlot(kind, sync, i === 0)),
    courses, ...forming.map((kind) => new LinePlot(kind, sync, false))];
  const others = fsnet.element("div", { class: "fsnet-others" });
  const smoothing = fsnetSmoothing.control(model, () => draw());
  let share = 1; // of the past that is shown; less while it plays
  const play = fsnetPlay.control((now) => {
    share = now;
    paint();
  }, () => Boolean(tracks.main.curves.loss?.steps.length));
  smoothing.root.append(play.root);
  const root = fsnet.element("div", { class: "fsnet-curves" }, others, smoothing.root, ...all.map((plot) => plot.root));
  let asked = 0, painted = 0; // when
  let waiting = null; // a timer

  const paint = fsnet.throttled(() => {
    const width = Math.floor(all[0].root.clientWidth);
    if (!root.isConnected || width < 50) return false;
    painted = performance.now();
    const theme = fsnet.theme(root); // there is none before the view is in the page
    const last = tracks.last(), smooth = smoothing.fit(last);
    const whole = Math.floor(root.clientWidth); // the courses take a row of their own
    const seen = share < 1 ? tracks.until(share) : tracks;
    all.forEach((plot) => plot.draw(seen, { theme, width: plot === courses ? whole : width, last, smooth }));
    others.replaceChildren(...[...tracks.all.keys()].filter(Boolean)
      .map((name) => fsnet.element("span", { class: "fsnet-key fsnet-faded", "data-track": name }, name)));
    const loss = seen.main.curves.loss;
    root.dataset.points = loss ? loss.steps.length : 0;
    root.dataset.step = loss && loss.steps.length ? loss.steps[loss.steps.length - 1] : 0;
    root.dataset.drawn = 1 + Number(root.dataset.drawn || 0);
  });
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
  const look = new ResizeObserver(draw);
  const unthemed = fsnet.onTheme(draw);
  model.on("msg:custom", heard);
  look.observe(root);
  try {
    tracks.replace(JSON.parse(model.get("saved")).tracks); // what a notebook without a kernel has
  } catch {
    // nothing is saved yet
  }
  draw();
  everything();
  const close = () => {
    clearTimeout(waiting);
    paint.stop();
    model.off("msg:custom", heard);
    look.disconnect();
    unthemed();
    smoothing.stop();
    play.stop();
    all.forEach((plot) => plot.close());
  };
  return { root, close };
}
