// The live table of all sessions: where each stands, the settings in which they differ, what it has
// chosen, and how well it predicts. A click on a name opens the session's panel below; sessions that
// are ticked are compared.
function render({ model, el }) {
  const { element, put, attribute, sized } = fsnet;
  const life = fsnet.life(model), message = fsnet.line(model, life);
  const ticked = new Set(); // sessions to compare
  const head = element("tr"), body = element("tbody");
  const table = element("table", { class: "fsnet-runs-table" }, element("thead", {}, head), body);
  const none = element("div", { class: "fsnet-faint" }, "no session is open");
  const measure = element("select", { "aria-label": "measure to compare", onchange: () => compare() },
    ...[["", "class loss"], ["loss", "total loss"], ["accuracy_train", "training accuracy"], ["accuracy_validation", "validation accuracy"],
      ["max_probability", "largest probability"]].map(([value, text]) => element("option", { value }, text)));
  const compareButton = element("button", { type: "button", class: "fsnet-button", onclick: () => compare() }, "Compare");
  const closeButton = element("button", { type: "button", class: "fsnet-button", onclick: () => close() }, "Close");
  const bar = element("div", { class: "fsnet-bar" }, compareButton, measure, closeButton);
  const picture = element("img", { class: "fsnet-compared" });
  const panel = element("div");
  const root = element("div", { class: "fsnet-runs", role: "region", "aria-label": "open sessions" },
    element("div", { class: "fsnet-scroll" }, table), none, bar, message, picture, panel);
  fsnet.ours(measure);
  el.append(root);

  const send = (verb, more) => model.send({ do: verb, ...more });
  const compare = () => send("compare", { sessions: model.get("rows").map((row) => row.session).filter((name) => ticked.has(name)),
    measure: measure.value, width: Math.floor(root.clientWidth) });
  const close = () => {
    send("compare", { sessions: [] });
    send("open", { session: "" });
  };

  // makeRow makes a row whose cells show fills.
  const makeRow = () => {
    const tick = element("input", { type: "checkbox", onchange: () => {
      if (tick.checked) ticked.add(tr.dataset.session);
      else ticked.delete(tr.dataset.session);
      showButtons();
    } });
    const name = element("button", { type: "button", class: "fsnet-open", onclick: () => send("open", { session: tr.dataset.session }) });
    const tr = element("tr", {}, element("td", {}, tick), element("th", { scope: "row", class: "fsnet-left" }, name));
    return tr;
  };

  // showRow fills a row: state, step, settled, settings, features, scores.
  const showRow = (tr, row, settings) => {
    tr.dataset.session = row.session;
    const [tick, name] = [tr.cells[0].firstChild, tr.cells[1].firstChild];
    tick.checked = ticked.has(row.session);
    attribute(tick, { "aria-label": `compare ${row.session}` });
    put(name, row.current ? `${row.session} ◂` : row.session);
    attribute(name, { "aria-label": `open ${row.session}`, title: row.current ? "Open its panel below; lines without a name mean this session" : "Open its panel below" });
    sized(tr, 7 + settings.length, () => element("td"));
    const cells = [...tr.cells].slice(2);
    put(cells[0], row.state);
    cells[0].className = "fsnet-left";
    put(cells[1], `${row.step} of ${row.steps}`);
    put(cells[2], row.settled);
    row.settings.forEach((value, i) => {
      put(cells[3 + i], value);
      cells[3 + i].className = "fsnet-differs";
    });
    showFeatures(cells[3 + settings.length], row.features);
    const last = row.scores.at(-1);
    put(cells[4 + settings.length], last ? fsnet.number(last[0]) : "–");
    attribute(cells[4 + settings.length], { title: row.scores.map(([value, what]) => `${fsnet.number(value)} ${what}`).join("\n") });
  };

  // showFeatures shows the chosen features as squares in their colours.
  const showFeatures = (cell, features) => {
    cell.className = "fsnet-left";
    attribute(cell, { "aria-label": features.map(([name]) => name).join(", ") });
    sized(cell, features.length, () => element("span", { class: "fsnet-square" }));
    features.forEach(([name, colour], i) => {
      cell.children[i].style.background = colour;
      attribute(cell.children[i], { title: name });
    });
  };

  const showButtons = () => {
    compareButton.disabled = !ticked.size;
    closeButton.style.display = model.get("picture") || model.get("panel") ? "" : "none";
  };

  // show shows the state of the model.
  const show = () => {
    const rows = model.get("rows"), settings = model.get("columns");
    const names = new Set(rows.map((row) => row.session));
    for (const name of ticked) if (!names.has(name)) ticked.delete(name);
    const titles = ["", "session", "state", "step", "settled", ...settings, "chosen", "accuracy"];
    sized(head, titles.length, () => element("th", { scope: "col" }));
    titles.forEach((title, i) => {
      put(head.cells[i], title);
      const isText = i === 1 || i === 2 || i === titles.length - 2;
      attribute(head.cells[i], { class: i >= 5 && i < 5 + settings.length ? "fsnet-differs" : isText ? "fsnet-left" : "" });
    });
    sized(body, rows.length, makeRow);
    rows.forEach((row, i) => showRow(body.rows[i], row, settings));
    table.style.display = rows.length ? "" : "none";
    none.style.display = rows.length ? "none" : "";
    showButtons();
  };

  // showPicture shows the compared sessions in the colours of the notebook's theme, which may differ
  // from those of the browser's.
  const showPicture = () => {
    const isDark = document.body.dataset.jpThemeLight === "false";
    const svg = model.get("picture").replace("(prefers-color-scheme:dark)", isDark ? "all" : "not all");
    picture.style.display = svg ? "" : "none";
    if (svg) attribute(picture, { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: model.get("about") });
    showButtons();
  };

  // showPanel shows the panel of the open session, once the widget manager has made it.
  const showPanel = async () => {
    const id = model.get("panel");
    showButtons();
    if (!id) return panel.replaceChildren();
    try {
      const manager = model.widget_manager, view = await manager.create_view(await manager.get_model(id));
      if (model.get("panel") === id) panel.replaceChildren(view.el);
    } catch (error) { // a front end that shows no widget in another
      console.debug("fsnet: the panel is not shown", error);
      message.say("this front end shows no panel here: %fsnet panel NAME shows it in a cell");
    }
  };

  const refresh = fsnet.throttled(show);
  ["change:rows", "change:columns"].forEach((name) => life.hears(name, refresh));
  life.hears("change:picture", showPicture);
  life.hears("change:panel", showPanel);
  [show, showPicture, showPanel].forEach((draw) => draw());
  life.ends(refresh.stop, fsnet.onTheme(showPicture), fsnetLastPicture.keep(model, root));
  return life.end;
}

export default { render };
