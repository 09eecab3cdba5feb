// The table of an annealing's selectors: what each leads to, how surely and since when, and who gets a feature that several lead to.
class SelectorTable {
  static columns = [ // title, hint, class of the cells
    ["selector", "", ""],
    ["leading feature", "of the largest probability in its row of P", "fsnet-left fsnet-name"],
    ["probability", "of it, in P", ""],
    ["entropy", "of its row of P, in bits", ""],
    ["margin", "to the second feature of its row", ""],
    ["changes", "how often the leader changed, from look to look", ""],
    ["leads since", "step", ""],
    ["settles", "step; ahead it is extrapolated from the last looks", ""],
    ["unique argmax", "which selector gets a feature that several lead to, and what the others take", "fsnet-left fsnet-note"],
  ];

  constructor() {
    const { element } = fsnet, { columns } = SelectorTable;
    this.body = element("tbody");
    const head = columns.map(([text, title, cells]) => element("th", { scope: "col", title, class: cells ? "fsnet-left" : "" }, text));
    this.root = element("table", { class: "fsnet-selectors" }, element("thead", {}, element("tr", {}, ...head)), this.body);
  }

  // show shows the rows: selector, leader, its probability, entropy, margin, second feature, changes, since, step of settling, and of a
  // duplicate the selector that wins, the feature that this one takes, and its probability here.
  show(rows, now) {
    const { columns } = SelectorTable, { put, sized, attribute } = fsnet;
    sized(this.body, rows.length, () => fsnet.element("tr", {}, ...columns.map(([, , cells]) => fsnet.element("td", { class: cells }))));
    rows.forEach(([selector, leader, p, entropy, margin, second, changes, since, settles, winner, takes, taken], i) => {
      const tr = this.body.rows[i], { cells } = tr, duplicate = winner !== null;
      const against = rows.filter((other) => other[9] === selector && other[1] === leader).map((other) => other[0]);
      const note = duplicate ? `${winner} wins; takes ${short(takes)}` : against.length ? `wins against ${against.join(", ")}` : "";
      tr.className = duplicate ? "fsnet-duplicate" : "";
      const past = entropy === null; // of which less is known
      [selector, duplicate ? `⚠ ${leader}` : leader, null, past ? "–" : entropy.toFixed(2), margin.toFixed(3), changes ?? "–", since ?? "–", past ? "–" : settling(settles, now, p), note].forEach((value, j) => {
        if (value !== null) put(cells[j], String(value));
      });
      fsnet.probability(cells[2], p, p.toFixed(3));
      attribute(cells[1], { title: duplicate ? `${leader}, a duplicate: ${note}` : leader });
      attribute(cells[4], { title: `second: ${second}` });
      attribute(cells[8], { title: duplicate ? `${winner} wins; takes ${takes}, whose probability here is ${fsnet.number(taken)}` : note });
    });
  }
}

// A trend that arrives after the last step is no promise: the training ends before.
function settling(at, { step, steps }, p) {
  if (at === null || at === undefined) return "no trend";
  if (at > steps) return "after the end";
  return at <= step && p >= fsnet.settledFrom ? `✓ ${at}` : `≈ ${at}`;
}

// A name as the table has room for it; the whole is told when pointed at.
function short(name) {
  return name.length > 28 ? name.slice(0, 27) + "…" : name;
}
