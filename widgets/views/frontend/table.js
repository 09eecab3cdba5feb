// The live table of the selected features: sorted by any column, copied, and saved as CSV.
function columnsOf(classes, unit, facts) {
  const factsOf = (row) => facts[String(row[2])] || [];
  const columns = [
    { key: "rank", title: "rank", value: (r) => r[0] },
    { key: "name", title: "feature", value: (r) => r[1], left: true },
    { key: "column", title: "column", value: (r) => r[2], hint: "0-based column of the file" },
    { key: "probability", title: "probability", value: (r) => r[3], hint: "of this feature in P, for its selector" },
    { key: "margin", title: "margin", value: (r) => r[4],
      hint: "to the selector's second feature; below 0 where another selector has its first" },
    { key: "selector", title: "selector", value: (r) => r[5] },
    { key: "information", title: "information", value: (r) => factsOf(r)[0],
      hint: "mutual information with the class, in bits, over ten bins of the training rows" },
  ];
  classes.forEach((name, c) => columns.push(
    { key: `mean:${c}`, title: `mean ${name}`, value: (r) => factsOf(r)[1 + c], hint: `mean over the training rows of ${name}, ${unit}` }));
  return columns;
}

// format returns the text of a cell: … for a fact that is not known yet, a dash for another missing
// value.
function format(column, value) {
  const isFact = column.key === "information" || column.key.startsWith("mean");
  if (value === undefined && isFact) return "…";
  if (value === undefined || value === null) return "–";
  const isShare = ["probability", "margin", "information"].includes(column.key);
  if (isShare) return value.toFixed(3).replace(/^-(0\.0+)$/, "$1");
  return typeof value === "number" ? fsnet.number(value) : value;
}

// compare orders values ascending, missing ones last.
function compare(a, b) {
  if (a === b) return 0;
  if (a === undefined || a === null) return 1;
  if (b === undefined || b === null) return -1;
  return typeof a === "string" ? a.localeCompare(b) : a - b;
}

// render shows the table in el, and returns what ends it.
function render({ model, el }) {
  const { element, put, sized } = fsnet;
  const caption = element("span", { class: "fsnet-when" });
  const copied = element("span", { class: "fsnet-copied fsnet-faint", role: "status" });
  const copy = element("button", { class: "fsnet-button", type: "button", title: "copy as tab-separated text, for a spreadsheet",
    onclick: () => copyTable() }, "Copy");
  const save = element("a", { class: "fsnet-button", role: "button", tabindex: 0, href: "#",
    title: "download as comma-separated values" }, "Download CSV");
  const head = element("thead"), body = element("tbody");
  const table = element("table", { class: "fsnet-features" }, head, body);
  const life = fsnet.life(model), message = fsnet.line(model, life);
  const root = element("div", { class: "fsnet-table" },
    element("div", { class: "fsnet-bar" }, caption, copy, save, copied), element("div", { class: "fsnet-scroll" }, table), message);
  el.append(root);
  fsnet.ours(copy, save);

  const columns = () => columnsOf(model.get("classes"), model.get("unit"), model.get("facts"));

  // sorted returns the rows in the order that the model asks for; ties are in the order of ranks.
  function sorted(all) {
    const by = all.find((c) => c.key === model.get("sort")) || all[0];
    const sign = model.get("down") ? -1 : 1;
    return [...model.get("rows")].sort((a, b) => {
      const [x, y] = [by.value(a), by.value(b)];
      const missing = x === undefined || x === null || y === undefined || y === null; // missing values are last in both directions
      return (missing ? 1 : sign) * compare(x, y) || a[0] - b[0];
    });
  }

  // harmless puts an apostrophe before a name that a spreadsheet would take for a formula.
  const harmless = (cell) => (typeof cell === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(cell) ? `'${cell}` : String(cell));

  // lines returns the sorted table as text with a line of titles; quote protects a cell's text.
  function lines(quote, separator) {
    const all = columns();
    const cells = [all.map((c) => c.title), ...sorted(all).map((row) => all.map((c) => c.value(row) ?? ""))];
    return cells.map((line) => line.map((cell) => quote(harmless(cell))).join(separator)).join("\n") + "\n";
  }

  const csv = () => lines((s) => (/[",\n\r]/.test(s) ? `"${s.replaceAll('"', '""')}"` : s), ",");
  const tsv = () => lines((s) => s.replace(/[\t\n\r]+/g, " "), "\t");

  // copyTable puts the table into the clipboard, and says how many rows it copied.
  async function copyTable() {
    const text = tsv();
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page that is neither https nor of this machine has no clipboard
      const area = element("textarea", { class: "fsnet-copy-area" });
      area.value = text;
      root.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      copy.focus();
    }
    copied.textContent = `${fsnet.counted(model.get("rows").length, "row")} copied`;
  }

  const link = () => {
    save.href = "data:text/csv;charset=utf-8," + encodeURIComponent(csv());
    save.download = `${model.get("session")}-features.csv`;
  };
  save.addEventListener("click", link);
  save.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    save.click();
  });

  let titles = "";
  // makeHead fills the head with a button for each of these columns, which sorts by it. It does
  // nothing while the titles stay the same, so that the focus stays.
  function makeHead(all) {
    const now = JSON.stringify(all.map((c) => c.title));
    if (titles === now) return;
    titles = now;
    head.replaceChildren(element("tr", {}, ...all.map((c) => {
      const button = element("button", { type: "button", title: c.hint || "", onclick: () => sortBy(c.key) }, c.title);
      fsnet.ours(button);
      return element("th", { scope: "col", class: c.left ? "fsnet-left" : "" }, button);
    })));
  }

  // sortBy sorts by a column, or turns the order around. Values start with the largest.
  function sortBy(key) {
    const isAscending = ["rank", "name", "column", "selector"].includes(key);
    fsnet.set(model, { sort: key, down: model.get("sort") === key ? !model.get("down") : !isAscending });
  }

  // markSorted shows in the head by which column and in which direction the table is sorted.
  function markSorted(all) {
    all.forEach((c, i) => {
      const th = head.rows[0].cells[i], mine = model.get("sort") === c.key;
      th.setAttribute("aria-sort", mine ? (model.get("down") ? "descending" : "ascending") : "none");
      put(th.firstChild, c.title + (mine ? (model.get("down") ? " ▾" : " ▴") : ""));
    });
  }

  // update shows the state of the model. Cells stay, so that a selection and the focus do.
  function update() {
    const all = columns(), rows = sorted(all), when = model.get("when");
    makeHead(all);
    markSorted(all);
    const known = rows.length ? fsnet.counted(rows.length, "feature") : "… features";
    put(caption, `${known} · step ${when.step} · epoch ${fsnet.number(when.epoch)} · ${when.state}`);
    sized(body, rows.length, () => element("tr"));
    rows.forEach((row, i) => {
      const tr = body.rows[i];
      sized(tr, all.length, (j) => element("td", { class: all[j].left ? "fsnet-left fsnet-name" : "" }));
      all.forEach((c, j) => {
        const cell = tr.cells[j], text = format(c, c.value(row));
        if (c.key !== "probability") {
          put(cell, text);
          if (c.left && cell.title !== text) cell.title = text;
          return;
        }
        fsnet.probability(cell, row[3], text + (row[6] ?? ""));
      });
    });
    link();
  }

  const refresh = fsnet.throttled(update);
  life.ends(fsnetLastPicture.keep(model, root), refresh.stop);
  life.hears("change", refresh);
  update();
  return life.end;
}

export default { render };
