// The numbers of a selection matrix as the model holds them, and what is said of them. A cell is {row, column}, by what is shown.
class MatrixValues {
  // read gives those of the model, or null where it has none that belong together.
  static read(model) {
    const bytes = model.get("values"), columns = model.get("columns"), rows = model.get("rows");
    const there = bytes && rows.length && bytes.byteLength === 4 * rows.length * (columns.length + 1);
    return there ? new MatrixValues(fsnet.floats(bytes), rows, columns, model.get("leaders") || [], model.get("again") || []) : null;
  }

  constructor(values, rows, columns, named, again) {
    this.values = values; // row after row, with what the others hold at the end of each
    this.rows = rows; // selectors
    this.columns = columns; // index and name of features
    this.again = again; // of rows, whether the leader leads a surer row, too
    this.wide = columns.length + 1;
    this.leaders = rows.map((_, i) => columns.reduce((best, _, j) => (this.at(i, j) > this.at(i, best) ? j : best), 0)); // columns
    this.names = rows.map((_, i) => named[i] ?? columns[this.leaders[i]][1]); // of leaders; it may be one whose column is not shown
  }

  at(i, j) {
    return this.values[i * this.wide + j];
  }

  // others is what row i has in the columns that are not shown.
  others(i) {
    return this.at(i, this.columns.length);
  }

  has(cell) {
    return Boolean(cell) && cell.row < this.rows.length && cell.column < this.columns.length;
  }

  // says is what a cell holds.
  says({ row, column }) {
    const [index, name] = this.columns[column];
    return `selector ${this.rows[row]}, ${name} (column ${index}): ${fsnet.number(this.at(row, column))}`;
  }
}
