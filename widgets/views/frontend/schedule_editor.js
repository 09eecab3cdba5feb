// How a person changes a schedule: points ahead are dragged, moved and removed with keys, added and
// removed with a double click, and added with a button. say explains what cannot be done.
class ScheduleEditor {
  constructor(model, say) {
    const { element } = fsnet;
    this.schedule = new Schedule(model, () => this.plot.draw());
    this.plot = new SchedulePlot(this.schedule, (i) => this.handle(i));
    this.say = say;
    this.dragging = -1; // index of a point
    this.add = element("button", { class: "fsnet-button", type: "button",
      title: "adds a point in the widest gap ahead; a double click in the plot adds one there",
      onclick: () => this.addWidest() }, "Add point");
    fsnet.ours(this.add);
    this.plot.root.addEventListener("dblclick", (event) => {
      const point = this.plot.at(event);
      if (!this.schedule.isAhead(point[0])) say("the past cannot be changed: put points after the present step");
      else if (this.schedule.ahead.length >= Schedule.mostPoints) say(`at most ${Schedule.mostPoints} points`);
      else this.insert(point);
    });
  }

  insert(point) {
    this.plot.focus(this.schedule.insert(point));
  }

  addWidest() {
    const point = this.schedule.widest();
    if (point) this.insert(point);
    else this.say("there are no epochs ahead");
  }

  // remove removes point i, and moves the focus to a neighbour, or to the button if no point is
  // left.
  remove(i) {
    const { schedule } = this;
    schedule.remove(i);
    if (schedule.draft.length) this.plot.focus(Math.min(i, schedule.draft.length - 1));
    else this.add.focus();
  }

  // handle makes the handle of a point.
  handle(i) {
    const { schedule, plot } = this;
    const drop = () => {
      if (this.dragging !== i) return;
      this.dragging = -1;
      plot.range = null;
      if (schedule.draft) schedule.commit();
    };
    const listeners = {
      pointerdown: (event) => {
        event.preventDefault();
        circle.focus();
        circle.setPointerCapture(event.pointerId);
        schedule.hold();
        plot.range = schedule.limits();
        this.dragging = i;
      },
      pointermove: (event) => {
        if (this.dragging !== i) return;
        schedule.move(i, plot.at(event));
        plot.draw();
      },
      pointerup: drop,
      pointercancel: drop,
      dblclick: (event) => {
        event.stopPropagation();
        this.remove(i);
      },
      keydown: (event) => this.key(event, i),
    };
    const circle = fsnet.svg("circle", { class: "fsnet-handle", r: 7, tabindex: 0, role: "slider" }, fsnet.svg("title"));
    fsnet.ours(circle);
    for (const [name, listener] of Object.entries(listeners)) circle.addEventListener(name, listener);
    return circle;
  }

  // key moves point i by a hundredth of the epochs or a tenth of its value; Shift, by a tenth of
  // that.
  key(event, i) {
    const { schedule } = this;
    const factor = event.shiftKey ? 1.01 : 1.1, step = schedule.now.epochs / (event.shiftKey ? 1000 : 100);
    const [epoch, v] = schedule.ahead[i];
    const to = { ArrowUp: [epoch, v * factor], ArrowDown: [epoch, v / factor],
      ArrowLeft: [epoch - step, v], ArrowRight: [epoch + step, v] }[event.key];
    if (!to && event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    event.stopPropagation();
    if (!to) return this.remove(i);
    schedule.move(i, to);
    schedule.commit(250);
  }

  // show draws another schedule, and returns whether it did.
  show(name) {
    if (name === this.schedule.drawn || this.dragging >= 0) return false;
    this.schedule.show(name);
    return true;
  }

  // acknowledge is called when the kernel has applied or rejected what was sent. What was moved
  // since then has still to be sent.
  acknowledge() {
    if (this.dragging < 0 && !this.schedule.sending) this.schedule.draft = null;
  }
}
