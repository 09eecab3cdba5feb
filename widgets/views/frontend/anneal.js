// The annealing: the schedules of temperature and sharpness, whose points ahead can be moved, and
// what each selector is about to choose.
function render({ model, el }) {
  const { element, put } = fsnet;
  const life = fsnet.life(model), message = fsnet.line(model, life);
  const editor = new ScheduleEditor(model, (text) => message.say(text));
  const { schedule, plot } = editor;
  const table = new SelectorTable();
  const headline = element("div", { class: "fsnet-when" });
  const hint = element("span", { class: "fsnet-faint" }, "Drag the points ahead. A double click adds or removes one. Keys: arrows move, Delete removes.");
  const switches = new Map(Object.entries(Schedule.kinds).map(([kind, { symbol, name }]) => [kind, element("button", {
    class: "fsnet-button", type: "button", title: `show and draw the ${name}`, onclick: () => editor.show(kind) && update(),
  }, `${name} ${symbol}`)]));
  const idle = element("span", { class: "fsnet-faint" }); // why a schedule has no effect on the choice
  const choice = element("div", { class: "fsnet-bar", role: "group", "aria-label": "which schedule" }, ...switches.values(), idle);
  const root = element("div", { class: "fsnet-anneal" },
    headline, choice, plot.root, element("div", { class: "fsnet-bar" }, editor.add, hint), message,
    element("div", { class: "fsnet-scroll" }, table.root));
  el.append(root);
  fsnet.ours(...switches.values());

  // update shows the state of the model: headline, switches, plot and table.
  function update() {
    const { now } = schedule, { number } = fsnet, rows = model.get("rows");
    const shown = { ...now, ...model.get("then") }, isPast = shown.step < now.step;
    const name = String(now[schedule.kind.schedule]).split(":")[0];
    put(headline, [
      `${now.session} ${now.state}`, `step ${shown.step} of ${now.steps}`, `epoch ${number(shown.epoch)} of ${now.epochs}`,
      `τ ${number(shown.tau)}`, `σ ${number(shown.sharpness)}`,
      isPast ? `as it was; it stands at step ${now.step}` : `${now.settled} of ${rows.length || "…"} selectors settled`, `schedule ${name}`,
    ].join(" · "));
    switches.forEach((button, kind) => {
      fsnet.attribute(button, { "aria-pressed": kind === schedule.drawn });
      button.disabled = Boolean(now.idle[kind]);
    });
    put(idle, Object.entries(now.idle).map(([kind, why]) => `${Schedule.kinds[kind].name}: ${why}`).join("; "));
    plot.draw();
    table.show(rows, now);
  }

  const refresh = fsnet.throttled(update);
  const acknowledge = () => {
    editor.acknowledge();
    message.showMessage();
    refresh();
  };
  const size = new ResizeObserver(() => {
    plot.wide = Math.max(280, root.clientWidth);
    refresh();
  });
  size.observe(root);
  life.ends(fsnetLastPicture.keep(model, root), () => size.disconnect(), () => schedule.hold(), refresh.stop);
  life.hears("change", refresh);
  life.hears("change:answer", acknowledge);
  update();
  return life.end;
}

export default { render };
