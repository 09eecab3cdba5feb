// What the page draws of a training and of the session's other pasts and forks, as the kernel's messages leave it:
//   {kind: "all", number, smooth, tracks: [piece, …]}   everything, in the place of what is here
//   {kind: "add", number, smooth, tracks: [piece, …]}   what is new in each track; a track that is not among them is gone
// A piece is {name, per_epoch, curves: {metric: {keep, steps, values, smooth}}, events: [{step, text, number, undo}] or null, looks: {keep,
// steps, leaders: [[column, …], …], values: [[probability, …], …]}, formed}: of each list the first keep stay. formed says how the selection
// formed: the order of lanes, the looks from which selectors are settled, names and colours. Nothing of it is computed here.
const mostEvents = 100; // drawn; the last
const empty = () => ({ perEpoch: 1, curves: {}, events: [] });

// How many of rising steps come before one.
function countBefore(steps, step) {
  const at = steps.findIndex((s) => s >= step);
  return at < 0 ? steps.length : at;
}

// behind puts what is new behind the first of a list of points; null where its steps would not rise, which would be drawn as a knot.
function behind(old, { keep, ...more }) {
  if (keep > old.steps.length) return null;
  const joined = Object.fromEntries(Object.keys({ ...old, ...more }).flatMap((key) => {
    const list = (old[key] || []).slice(0, keep).concat(more[key] || []);
    return list.length || key !== "smooth" ? [[key, list]] : [];
  }));
  return joined.steps.every((step, i) => !i || step > joined.steps[i - 1]) ? joined : null;
}

// The tracks as the messages leave them.
class Tracks {
  constructor() {
    this.number = NaN; // of the last message, before there was one
    this.clear();
  }

  clear() {
    this.smooth = 0; // epochs
    this.all = new Map([["", empty()]]); // name → track
  }

  // hear takes a message and says whether anything is new. ask asks for everything.
  hear(message, ask) {
    const { kind, number } = message;
    if (!["all", "add"].includes(kind)) return false;
    if (kind === "all") this.clear();
    if ((kind === "add" && number !== this.number + 1) || !this.take(message)) {
      this.number = NaN;
      ask();
      return false;
    }
    this.number = number;
    return true;
  }

  // take takes in all pieces, or none where one does not fit what is here.
  take({ smooth = 0, tracks }) {
    const all = new Map();
    for (const piece of tracks) {
      const track = this.joined(this.all.get(piece.name) || empty(), piece);
      if (!track) return false;
      all.set(piece.name, track);
    }
    if (!all.has("")) all.set("", empty());
    Object.assign(this, { all, smooth });
    return true;
  }

  joined(old, piece) {
    const curves = { ...old.curves };
    for (const [metric, more] of Object.entries(piece.curves || {})) {
      curves[metric] = behind(old.curves[metric] || { steps: [], values: [] }, { keep: 0, ...more });
      if (!curves[metric]) return null;
      if (!curves[metric].steps.length) delete curves[metric];
    }
    const looks = piece.looks ? behind(old.looks || { steps: [], leaders: [], values: [] }, { keep: 0, ...piece.looks }) : old.looks;
    if (looks === null) return null;
    const formed = piece.formed ? { ...piece.formed, features: { ...old.formed?.features, ...piece.formed.features } } : old.formed;
    return { perEpoch: piece.per_epoch || 1, curves, looks, formed, events: piece.events || old.events };
  }

  // until is what was known after a step of the session's own: at least the first look at P.
  until(step) {
    const then = new Tracks(), epoch = step / this.main.perEpoch;
    then.smooth = this.smooth;
    for (const [name, track] of this.all) {
      const end = Math.floor(epoch * track.perEpoch + 1e-6) + 1;
      const cut = (of, count) => Object.fromEntries(Object.entries(of).map(([key, list]) => [key, list.slice(0, count)]));
      const curves = Object.fromEntries(Object.entries(track.curves).map(([metric, curve]) => [metric, cut(curve, countBefore(curve.steps, end))]));
      const looks = track.looks && cut(track.looks, Math.max(1, countBefore(track.looks.steps, end)));
      then.all.set(name, { ...track, curves, looks, events: track.events.filter((event) => event.step < end) });
    }
    return then;
  }

  // main is the session's own track.
  get main() {
    return this.all.get("");
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
    for (const { step, text } of this.main.events) changes.set(step, (changes.has(step) ? changes.get(step) + "; " : "") + text);
    return [...changes].slice(-mostEvents);
  }
}
