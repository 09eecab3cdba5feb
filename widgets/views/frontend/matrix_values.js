// The numbers of a selection matrix as the model holds them, and what is said of them. A cell is {row, column}, by what is shown.
class MatrixValues {
  // read gives those of the model, or null where it has none that belong together.
  static read(model) {
    const bytes = model.get("values"), columns = model.get("columns"), rows = model.get("rows");
    const there = bytes && rows.length && bytes.byteLength === 4 * rows.length * (columns.length + 1);
    return there ? new MatrixValues(fsnet.floats(bytes), rows, columns, model.get("leaders") || []) : null;
  }

  constructor(values, rows, columns, named) {
    this.values = values; // row after row, with what the others hold at the end of each
    this.rows = rows; // selectors
    this.columns = columns; // index and name of features
    this.wide = columns.length + 1;
    this.leaders = rows.map((_, i) => columns.reduce((best, _, j) => (this.at(i, j) > this.at(i, best) ? j : best), 0)); // columns
    this.names = rows.map((_, i) => named[i] ?? columns[this.leaders[i]][1]); // of leaders; it may be one whose column is not shown
    this.surest = new Map(); // name of a leader → the row that has most of it
    rows.forEach((_, i) => {
      const best = this.surest.get(this.names[i]);
      if (best === undefined || this.lead(i) > this.lead(best)) this.surest.set(this.names[i], i);
    });
  }

  at(i, j) {
    return this.values[i * this.wide + j];
  }

  // others is what row i has in the columns that are not shown.
  others(i) {
    return this.at(i, this.columns.length);
  }

  // lead is the largest value of row i that is shown.
  lead(i) {
    return this.at(i, this.leaders[i]);
  }

  // again is whether the leader of row i leads a surer row, too.
  again(i) {
    return this.surest.get(this.names[i]) !== i;
  }

  has(cell) {
    return Boolean(cell) && cell.row < this.rows.length && cell.column < this.columns.length;
  }

  // says is what a cell holds.
  says({ row, column }) {
    const [index, name] = this.columns[column];
    return `selector ${this.rows[row]}, ${name} (column ${index}): ${fsnet.number(this.at(row, column))}`;
  }

  // left is how much is not shown, of d features.
  left(d) {
    const mean = this.rows.map((_, i) => this.others(i)).reduce((a, b) => a + b, 0) / this.rows.length;
    return `${this.columns.length} of ${fsnet.counted(d, "feature")} shown; the others hold ${percent(mean)} of the mass`;
  }

  // summary is the whole, for who does not see it.
  summary() {
    const again = this.rows.filter((_, i) => this.again(i)).length;
    const certain = this.rows.filter((_, i) => this.lead(i) >= fsnet.settledFrom).length;
    return `${fsnet.counted(this.rows.length, "row")}, in ${certain} of them one feature has at least ${fsnet.settledFrom}; ${again} have the leader of a surer row`;
  }
}

function percent(share) {
  if (share > 0 && share < 5e-5) return "less than 0.01%";
  return `${(100 * share).toFixed(share < 0.01 && share > 0 ? 2 : 0)}%`;
}
