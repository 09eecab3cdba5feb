// The table of an annealing's selectors: the leader of each, how certain and how old it is, and
// which selector wins a shared leader.
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
    ["unique argmax", "which selector gets a feature that several lead to, what the others take, and what the contest replaced", "fsnet-left fsnet-note"],
  ];

  constructor() {
    const { element } = fsnet, { columns } = SelectorTable;
    this.body = element("tbody");
    const head = columns.map(([text, title, cells]) => element("th", { scope: "col", title, class: cells ? "fsnet-left" : "" }, text));
    this.root = element("table", { class: "fsnet-selectors" }, element("thead", {}, element("tr", {}, ...head)), this.body);
  }

  // show shows rows of: selector, leader, its probability, entropy, margin, second feature,
  // changes, since, step of settling, of a duplicate the selector that wins, the feature that this
  // one takes, and its probability here, and the feature that the leader replaced in the contest.
  show(rows, now) {
    const { columns } = SelectorTable, { element, sized } = fsnet;
    const makeRow = () => element("tr", {}, ...columns.map(([, , cells]) => element("td", { class: cells })));
    sized(this.body, rows.length, makeRow);
    rows.forEach((row, i) => {
      const [selector, leader] = row;
      const losers = rows.filter((other) => other[9] === selector && other[1] === leader).map(([loser]) => loser);
      this.showRow(this.body.rows[i], row, losers, now);
    });
  }

  // showRow fills a row. losers are the selectors that share the leader and do not get it.
  showRow(tr, [selector, leader, p, entropy, margin, second, changes, since, settles, winner, takes, taken, replaced], losers, now) {
    const { cells } = tr, { put, attribute } = fsnet;
    const isDuplicate = winner !== null, isPast = entropy === null; // less is known of the past
    let note = losers.length ? `wins against ${losers.join(", ")}` : "";
    if (replaced) note = `replaced ${fsnet.shorten(replaced, 28)} in the contest`;
    if (isDuplicate) note = `${winner} wins; takes ${fsnet.shorten(takes, 28)}`;
    tr.className = isDuplicate ? "fsnet-duplicate" : "";
    put(cells[0], String(selector));
    put(cells[1], isDuplicate ? `⚠ ${leader}` : leader);
    fsnet.probability(cells[2], p, p.toFixed(3));
    put(cells[3], isPast ? "–" : entropy.toFixed(2));
    put(cells[4], margin.toFixed(3));
    put(cells[5], String(changes ?? "–"));
    put(cells[6], String(since ?? "–"));
    put(cells[7], isPast ? "–" : settling(settles, now, p));
    put(cells[8], note);
    attribute(cells[1], { title: isDuplicate ? `${leader}, a duplicate: ${note}` : leader });
    attribute(cells[4], { title: `second: ${second}` });
    const whole = `${winner} wins; takes ${takes}, whose probability here is ${fsnet.number(taken)}`;
    attribute(cells[8], { title: isDuplicate ? whole : note });
  }
}

// settling describes when a selector settles. A trend that arrives after the last step promises
// nothing, because the training ends before.
function settling(at, { step, steps }, p) {
  if (at === null || at === undefined) return "no trend";
  if (at > steps) return "after the end";
  return at <= step && p >= fsnet.settledFrom ? `✓ ${at}` : `≈ ${at}`;
}
