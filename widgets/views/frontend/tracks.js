// What the page draws of a training, of its forks and of what its rewinds took back, as the
// kernel's messages describe it:
//   {kind: "all", number, smooth, tracks: [piece, …]}   everything, which replaces what is here
//   {kind: "add", number, smooth, tracks: [piece, …]}   what is new in each track; a track without a piece is gone
// A piece is {name, per_epoch, curves: {metric: {keep, steps, values, smooth}}, events: [{step,
// text, number, undo}] or null, looks: {keep, steps, leaders: [[column, …], …], values:
// [[probability, …], …]}, formed}: of each list the first keep elements stay. formed describes how
// the selection formed: the order of lanes, the looks from which selectors are settled, names and
// colours, and what the contest exchanged. The page computes nothing of it.
const mostEvents = 100; // drawn, the last
const emptyTrack = () => ({ perEpoch: 1, curves: {}, events: [] });

// countBefore returns how many of rising steps precede a step.
function countBefore(steps, step) {
  const at = steps.findIndex((s) => s >= step);
  return at < 0 ? steps.length : at;
}

// append puts new points after the first keep of a list of points. It returns null if steps would
// not rise, which would look like a knot.
function append(old, { keep, ...more }) {
  if (keep > old.steps.length) return null;
  const joined = {};
  for (const key of Object.keys({ ...old, ...more })) {
    const list = (old[key] || []).slice(0, keep).concat(more[key] || []);
    if (list.length || key !== "smooth") joined[key] = list;
  }
  const rising = joined.steps.every((step, i) => !i || step > joined.steps[i - 1]);
  return rising ? joined : null;
}

// cut returns the first elements of all lists of points.
function cut(points, count) {
  return Object.fromEntries(Object.entries(points).map(([key, list]) => [key, list.slice(0, count)]));
}

class Tracks {
  constructor() {
    this.number = NaN; // of the last message
    this.clear();
  }

  clear() {
    this.smooth = 0; // epochs
    this.all = new Map([["", emptyTrack()]]); // name → track
  }

  // receive takes a message and returns whether anything is new. If a message was missed or does
  // not fit, it calls ask for everything and returns false.
  receive(message, ask) {
    const { kind, number } = message;
    if (!["all", "add"].includes(kind)) return false;
    if (kind === "all") this.clear();
    const missed = kind === "add" && number !== this.number + 1;
    if (missed || !this.add(message)) {
      this.number = NaN;
      ask();
      return false;
    }
    this.number = number;
    return true;
  }

  // add takes in all pieces and returns true, or takes none and returns false if one does not fit.
  add({ smooth = 0, tracks }) {
    const all = new Map();
    for (const piece of tracks) {
      const track = this.joined(this.all.get(piece.name) || emptyTrack(), piece);
      if (!track) return false;
      all.set(piece.name, track);
    }
    if (!all.has("")) all.set("", emptyTrack());
    Object.assign(this, { all, smooth });
    return true;
  }

  // joined returns a track with a piece added, or null if it does not fit.
  joined(old, piece) {
    const curves = { ...old.curves };
    for (const [metric, more] of Object.entries(piece.curves || {})) {
      curves[metric] = append(old.curves[metric] || { steps: [], values: [] }, { keep: 0, ...more });
      if (!curves[metric]) return null;
      if (!curves[metric].steps.length) delete curves[metric];
    }
    let { looks, formed } = old;
    if (piece.looks) looks = append(looks || { steps: [], leaders: [], values: [] }, { keep: 0, ...piece.looks });
    if (looks === null) return null;
    if (piece.formed) formed = { ...piece.formed, features: { ...formed?.features, ...piece.formed.features } };
    return { perEpoch: piece.per_epoch || 1, curves, looks, formed, events: piece.events || old.events };
  }

  // until returns the tracks as they were after a step, with at least the first look at P.
  until(step) {
    const then = new Tracks(), epoch = step / this.main.perEpoch;
    then.smooth = this.smooth;
    for (const [name, track] of this.all) {
      const end = Math.floor(epoch * track.perEpoch + 1e-6) + 1;
      const curves = {};
      for (const [metric, curve] of Object.entries(track.curves)) curves[metric] = cut(curve, countBefore(curve.steps, end));
      const looks = track.looks && cut(track.looks, Math.max(1, countBefore(track.looks.steps, end)));
      const events = track.events.filter((event) => event.step < end);
      then.all.set(name, { ...track, curves, looks, events });
    }
    return then;
  }

  // main is the session's own track.
  get main() {
    return this.all.get("");
  }

  // last returns the last epoch that has a point, of any track; 1 without points.
  last() {
    let last = 0;
    for (const { curves, perEpoch } of this.all.values()) {
      for (const { steps } of Object.values(curves)) last = Math.max(last, (steps.at(-1) ?? 0) / perEpoch);
    }
    return last || 1;
  }

  // quantity returns whether the label is a quantity, which has R² instead of an accuracy.
  quantity() {
    return [...this.all.values()].some((track) => track.curves.r2_train?.steps.length > 0);
  }

  // changes returns [step, text] of the last mostEvents changes in the session itself; changes at
  // one step are joined.
  changes() {
    const changes = new Map();
    for (const { step, text } of this.main.events) changes.set(step, changes.has(step) ? `${changes.get(step)}; ${text}` : text);
    return [...changes].slice(-mostEvents);
  }
}
