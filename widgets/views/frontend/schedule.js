// The schedules of an annealing, as far as a person sees and changes them: what was in force, what is planned, and the points ahead, which
// can be moved. A point, of a curve too, is [epoch, value].
class Schedule {
  // What can be drawn: its symbol, name, limits, schedule in the state, and colour.
  static kinds = {
    tau: { symbol: "τ", name: "temperature", least: 1e-6, most: 1e6, schedule: "schedule", colour: 3 },
    sharpness: { symbol: "σ", name: "sharpness", least: 1, most: 1e6, schedule: "sharpness_schedule", colour: 4 },
  };

  static mostPoints = 64;

  constructor(model, changed) {
    this.model = model;
    this.changed = changed; // called when there is another draft
    this.drawn = Object.keys(Schedule.kinds).find((kind) => !this.now.idle[kind]) ?? "tau"; // which is shown: first one that acts
    this.draft = null; // points ahead that are not in force yet
    this.sending = 0; // the timer of a draft that is not sent yet
  }

  get kind() {
    return Schedule.kinds[this.drawn];
  }

  // now is where the training stands.
  get now() {
    return this.model.get("now");
  }

  // value is what is in force now.
  get value() {
    return this.now[this.drawn];
  }

  get points() {
    return this.model.get("points")[this.drawn] || [];
  }

  get ahead() {
    return this.draft || this.points.filter(([epoch]) => this.isAhead(epoch));
  }

  isAhead(epoch) {
    return this.now.step === 0 ? epoch >= 0 : epoch > this.now.epoch;
  }

  // past is the curve up to the present step.
  past() {
    const list = fsnet.floats(this.model.get(`past_${this.drawn}`));
    return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]]).filter(([, v]) => v > 0);
  }

  // future is the curve from the present step on.
  future() {
    const { now, ahead, draft } = this;
    const exact = draft || (String(now[this.kind.schedule]).startsWith("points:") && !(now.by_epoch && this.drawn === "tau"));
    const rest = exact ? [...ahead] : (this.model.get("plan")[this.drawn] || []).filter(([epoch]) => this.isAhead(epoch));
    const from = this.value > 0 && !(draft && now.step === 0) ? [[now.epoch, this.value]] : [];
    const all = [...from, ...rest];
    if (all.length && all[all.length - 1][0] < now.epochs) all.push([now.epochs, all[all.length - 1][1]]);
    return all;
  }

  // limits are the values between which there is room for all, and for more.
  limits() {
    const values = [...this.past(), ...this.future(), ...this.points].map(([, v]) => v).filter((v) => v > 0);
    return [Math.max(this.kind.least, Math.min(...values) / 3), Math.min(this.kind.most, Math.max(...values) * 3)];
  }

  // show draws another schedule. What was drawn of the one before and is not in force yet goes out first.
  show(name) {
    if (this.draft && this.sending) this.send();
    this.draft = null;
    this.drawn = name;
  }

  // move puts point i elsewhere. Points keep their order and stay ahead.
  move(i, [epoch, v]) {
    const { now, ahead, kind } = this, least = now.epochs / 1000;
    const low = i > 0 ? ahead[i - 1][0] + least : now.step === 0 ? 0 : now.epoch + least;
    const top = i + 1 < ahead.length ? ahead[i + 1][0] - least : now.epochs;
    this.draft = ahead.map((p, j) => (j === i ? [Math.max(low, Math.min(top, epoch)), Math.min(kind.most, Math.max(kind.least, v))] : p));
  }

  // insert adds a point and gives its place among those ahead.
  insert(point) {
    this.draft = [...this.ahead, point].sort((a, b) => a[0] - b[0]);
    this.commit();
    return this.draft.findIndex(([epoch]) => epoch === point[0]);
  }

  // remove says whether point i could go: before the first step one stays.
  remove(i) {
    const rest = this.ahead.filter((_, j) => j !== i);
    if (!rest.length && this.now.step === 0) {
      this.draft = null;
      return false;
    }
    this.draft = rest;
    this.commit();
    return true;
  }

  // widest is the middle of the widest gap ahead, or null where nothing is ahead.
  widest() {
    const points = this.future();
    let best = 0;
    for (let i = 1; i + 1 < points.length; i++) if (points[i + 1][0] - points[i][0] > points[best + 1][0] - points[best][0]) best = i;
    if (points.length < 2 || !(points[best + 1][0] > points[best][0])) return null;
    return [(points[best][0] + points[best + 1][0]) / 2, Math.sqrt(points[best][1] * points[best + 1][1])];
  }

  // commit sends the draft after a moment, so that a key held down is one event of the training.
  commit(wait = 0) {
    this.hold();
    this.sending = setTimeout(() => this.send(), wait);
    this.changed();
  }

  send() {
    this.hold();
    this.model.send({ drawn: this.drawn, points: this.draft.map(([e, v]) => [Number(e.toPrecision(6)), Number(v.toPrecision(4))]) });
  }

  // hold keeps what waits to be sent.
  hold() {
    clearTimeout(this.sending);
    this.sending = 0;
  }
}
