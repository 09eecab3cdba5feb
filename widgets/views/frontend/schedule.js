// The schedules of an annealing as a person sees and changes them: the values in force so far, the
// plan, and the points ahead, which can be moved. A point, also of a curve, is [epoch, value].
class Schedule {
  // kinds of schedules that can be drawn.
  static kinds = {
    tau: { symbol: "τ", name: "temperature", least: 1e-6, most: 1e6, schedule: "schedule", colour: 3 },
    sharpness: { symbol: "σ", name: "sharpness", least: 1, most: 1e6, schedule: "sharpness_schedule", colour: 4 },
  };

  static mostPoints = 64;

  // The schedule that is shown first is the temperature, unless only sharpness has an effect.
  constructor(model, changed) {
    this.model = model;
    this.changed = changed; // called when the draft changes
    const acting = Object.keys(Schedule.kinds).filter((kind) => !this.now.idle[kind]);
    this.drawn = acting[0] ?? "tau"; // the schedule that is shown
    this.draft = null; // points ahead that are not in force yet
    this.sending = 0; // the timer of a draft that is not sent yet
  }

  get kind() {
    return Schedule.kinds[this.drawn];
  }

  // now returns where the training stands.
  get now() {
    return this.model.get("now");
  }

  // value returns the value in force now.
  get value() {
    return this.now[this.drawn];
  }

  get points() {
    return this.model.get("points")[this.drawn] || [];
  }

  // ahead returns the points ahead of the present step: the draft's, if there is one.
  get ahead() {
    return this.draft || this.points.filter(([epoch]) => this.isAhead(epoch));
  }

  isAhead(epoch) {
    return this.now.step === 0 ? epoch >= 0 : epoch > this.now.epoch;
  }

  // past returns the curve up to the present step.
  past() {
    const list = fsnet.floats(this.model.get(`past_${this.drawn}`));
    return Array.from({ length: list.length >> 1 }, (_, i) => [list[2 * i], list[2 * i + 1]]).filter(([, v]) => v > 0);
  }

  // future returns the curve from the present step on.
  future() {
    const { now, ahead, draft } = this;
    const isByEpoch = now.by_epoch && this.drawn === "tau";
    const exact = draft || (String(now[this.kind.schedule]).startsWith("points:") && !isByEpoch);
    const rest = exact ? [...ahead] : (this.model.get("plan")[this.drawn] || []).filter(([epoch]) => this.isAhead(epoch));
    const from = this.value > 0 && !(draft && now.step === 0) ? [[now.epoch, this.value]] : [];
    const all = [...from, ...rest];
    if (all.length && all[all.length - 1][0] < now.epochs) all.push([now.epochs, all[all.length - 1][1]]);
    return all;
  }

  // limits returns the range of the vertical axis.
  limits() {
    const values = [...this.past(), ...this.future(), ...this.points].map(([, v]) => v).filter((v) => v > 0);
    return [Math.max(this.kind.least, Math.min(...values) / 3), Math.min(this.kind.most, Math.max(...values) * 3)];
  }

  // show draws another schedule. A draft of the previous one that waits to be sent is sent first.
  show(name) {
    if (this.draft && this.sending) this.send();
    this.draft = null;
    this.drawn = name;
  }

  // move moves point i in the draft without sending it. Points keep their order and stay ahead.
  move(i, [epoch, v]) {
    const { now, ahead, kind } = this, gap = now.epochs / 1000;
    const within = (x, low, high) => Math.max(low, Math.min(high, x));
    const first = now.step === 0 ? 0 : now.epoch + gap;
    const low = i > 0 ? ahead[i - 1][0] + gap : first;
    const top = i + 1 < ahead.length ? ahead[i + 1][0] - gap : now.epochs;
    const moved = [within(epoch, low, top), within(v, kind.least, kind.most)];
    this.draft = ahead.map((point, j) => (j === i ? moved : point));
  }

  // insert adds a point, sends the draft, and returns the point's position among the points ahead.
  insert(point) {
    this.draft = [...this.ahead, point].sort((a, b) => a[0] - b[0]);
    this.commit();
    return this.draft.findIndex(([epoch]) => epoch === point[0]);
  }

  // remove removes point i and sends the draft. Without any point the kernel takes the usual
  // schedule.
  remove(i) {
    this.draft = this.ahead.filter((_, j) => j !== i);
    this.commit();
  }

  // widest returns the middle of the widest gap ahead, or null if nothing is ahead.
  widest() {
    const points = this.future(), gap = (i) => points[i + 1][0] - points[i][0];
    let best = 0;
    for (let i = 1; i + 1 < points.length; i++) {
      if (gap(i) > gap(best)) best = i;
    }
    if (points.length < 2 || !(gap(best) > 0)) return null;
    return [(points[best][0] + points[best + 1][0]) / 2, Math.sqrt(points[best][1] * points[best + 1][1])];
  }

  // commit sends the draft after wait milliseconds, so that holding a key down is one event of the
  // training.
  commit(wait = 0) {
    this.hold();
    this.sending = setTimeout(() => this.send(), wait);
    this.changed();
  }

  // send sends the draft, which remains the draft until acknowledge.
  send() {
    this.hold();
    const points = this.draft.map(([epoch, v]) => [Number(epoch.toPrecision(6)), Number(v.toPrecision(4))]);
    this.model.send({ drawn: this.drawn, points });
  }

  // hold keeps a waiting draft from being sent.
  hold() {
    clearTimeout(this.sending);
    this.sending = 0;
  }
}
