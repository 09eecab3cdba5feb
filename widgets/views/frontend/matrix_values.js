// The numbers of a selection matrix as the model holds them. A cell is {row, column}, as shown.
class MatrixValues {
  // read returns the model's values, or null while they are incomplete.
  static read(model) {
    const bytes = model.get("values"), columns = model.get("columns"), rows = model.get("rows");
    const size = 4 * rows.length * (columns.length + 1);
    if (!bytes || !rows.length || bytes.byteLength !== size) return null;
    return new MatrixValues(fsnet.floats(bytes), rows, columns, model.get("leaders") || [], model.get("again") || [],
      model.get("replaced") || []);
  }

  // The arguments come from read, which has checked their number.
  constructor(values, rows, columns, leaders, again, replaced) {
    this.values = values; // row after row, each followed by the mass of its hidden columns
    this.rows = rows; // selectors
    this.columns = columns; // index and name of features
    this.again = again; // for each row, whether a row with a larger value has the same leader
    this.replaced = replaced; // for each row, the feature whose place its leader took in the contest
    this.wide = columns.length + 1;
    this.leaders = rows.map((_, i) => this.largest(i)); // columns
    this.names = rows.map((_, i) => leaders[i] ?? columns[this.leaders[i]][1]); // of leaders, which may be in a hidden column
  }

  // largest returns the column of a row's largest value in the shown columns; the first of equals.
  largest(i) {
    return this.columns.reduce((best, _, j) => (this.at(i, j) > this.at(i, best) ? j : best), 0);
  }

  at(i, j) {
    return this.values[i * this.wide + j];
  }

  // others returns the mass of a row's hidden columns.
  others(i) {
    return this.at(i, this.columns.length);
  }

  has(cell) {
    return Boolean(cell) && cell.row < this.rows.length && cell.column < this.columns.length;
  }

  // words describes a cell.
  words({ row, column }) {
    const [index, name] = this.columns[column], replaced = this.leaders[row] === column && this.replaced[row];
    const contest = replaced ? `, replaced ${replaced} in the contest` : "";
    return `selector ${this.rows[row]}, ${name} (column ${index}): ${fsnet.number(this.at(row, column))}${contest}`;
  }
}
