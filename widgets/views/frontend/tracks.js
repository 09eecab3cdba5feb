// What the page knows of a training and of the session's other pasts and forks: curves, events, looks at P. Messages from the kernel:
//   {kind: "all", number, tracks: [track, …]}   everything, in the place of what is here
//   {kind: "add", number, tracks: [track]}      of each curve the points from a step on, of the events those from an index on
// A track is {name, per_epoch, from, curves: {metric: {steps, values, means}}, events_from, events: [{step, text, anew}]}; the session's own
// has the name "" and selectors: {steps, leaders: [[column, …], …], values: [[probability, …], …], names: {column: name}, settle}. A noisy
// curve that was thinned has the means of what its values are left of. The page asks for everything when it begins, when it has missed a
// number, and when a curve has grown long.
const mostPoints = 1500; // of a curve; the kernel sends everything with far fewer
const mostEvents = 100; // drawn; the last

// How many of rising steps come before one.
function countBefore(steps, step) {
  const at = steps.findIndex((s) => s >= step);
  return at < 0 ? steps.length : at;
}

// rises is whether every point of a piece follows the one before it: others would be drawn as a knot.
function rises({ from, curves = {} }) {
  return Object.values(curves).every(({ steps }) => steps.every((step, i) => step > (i ? steps[i - 1] : from - 1)));
}

// The tracks as the messages leave them.
class Tracks {
  constructor() {
    this.number = NaN; // of the last message, before there was one
    this.clear();
  }

  clear() {
    this.all = new Map([["", { perEpoch: 1, curves: {}, events: [] }]]); // name → track
  }

  // hear takes a message and says whether anything is new. ask asks for everything.
  hear({ kind, number, tracks }, ask) {
    if (!["all", "add"].includes(kind)) return false;
    if (!tracks.every(rises) || (kind === "add" && number !== this.number + 1)) {
      ask();
      return false;
    }
    if (kind === "all") this.replace(tracks);
    else {
      tracks.forEach((piece) => this.take(piece));
      if (this.longest() > mostPoints) ask();
    }
    this.number = number;
    return true;
  }

  replace(pieces) {
    this.clear();
    pieces.forEach((piece) => this.take({ ...piece, from: 0, events_from: 0 }));
  }

  take(piece) {
    const old = this.all.get(piece.name) || { curves: {}, events: [] };
    const curves = {};
    for (const metric of new Set([...Object.keys(old.curves), ...Object.keys(piece.curves || {})])) {
      const before = old.curves[metric] || { steps: [], values: [] };
      const after = (piece.curves || {})[metric] || { steps: [], values: [] };
      const kept = countBefore(before.steps, piece.from);
      const joined = (of) => of(before).slice(0, kept).concat(of(after));
      curves[metric] = { steps: joined((c) => c.steps), values: joined((c) => c.values) };
      if (before.means || after.means) curves[metric].means = joined((c) => c.means || c.values);
    }
    const selectors = this.looks(old.selectors, piece.selectors, piece.from);
    this.all.set(piece.name, { perEpoch: piece.per_epoch || 1, curves, selectors, events: old.events.slice(0, piece.events_from).concat(piece.events || []) });
  }

  // looks puts later looks at P behind those before a step.
  looks(old, more, from) {
    if (!old || !more) return more || old;
    const kept = countBefore(old.steps, from);
    const joined = (name) => old[name].slice(0, kept).concat(more[name]);
    return { steps: joined("steps"), leaders: joined("leaders"), values: joined("values"), names: { ...old.names, ...more.names }, settle: more.settle };
  }

  // until is what was known at a share of the epochs, from 0 to 1: at least the first look at P.
  until(share) {
    const then = new Tracks(), epoch = share * this.last();
    for (const [name, track] of this.all) {
      const step = Math.floor(epoch * track.perEpoch + 1e-6) + 1;
      const cut = (of, count) => Object.fromEntries(Object.entries(of).map(([key, list]) => [key, Array.isArray(list) ? list.slice(0, count) : list]));
      const curves = Object.fromEntries(Object.entries(track.curves).map(([metric, curve]) => [metric, cut(curve, countBefore(curve.steps, step))]));
      const selectors = track.selectors && cut(track.selectors, Math.max(1, countBefore(track.selectors.steps, step)));
      then.all.set(name, { ...track, curves, selectors, events: track.events.filter((event) => event.step < step) });
    }
    return then;
  }

  // main is the session's own track.
  get main() {
    return this.all.get("");
  }

  // longest is how many points the curve with the most has.
  longest() {
    return Math.max(0, ...[...this.all.values()].flatMap((track) => Object.values(track.curves).map((curve) => curve.steps.length)));
  }

  // last is the last epoch that has a point.
  last() {
    const last = [...this.all.values()].flatMap((track) => Object.values(track.curves).map((curve) => (curve.steps.length ? curve.steps[curve.steps.length - 1] / track.perEpoch : 0)));
    return Math.max(0, ...last) || 1;
  }

  // quantity is whether the label is one, of which there is R² instead of an accuracy.
  quantity() {
    return [...this.all.values()].some((track) => (track.curves.r2_train || { steps: [] }).steps.length > 0);
  }

  // changes are step and words of what was changed on the session's own way.
  changes() {
    const changes = new Map();
    for (const { step, text } of this.main.events) if (text) changes.set(step, (changes.has(step) ? changes.get(step) + "; " : "") + text);
    return [...changes].slice(-mostEvents);
  }
}
