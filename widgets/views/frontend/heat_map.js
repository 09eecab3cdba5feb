// The heat map of a selection matrix on a canvas: rows of cells, and beside each row the mass of
// hidden columns and the leader.
class HeatMap {
  static gutter = { left: 52, others: 44, leader: 130, names: 100, top: 16 };
  static slope = Math.PI / 3; // of the columns' names
  static least = 1e-4; // of the log scale, as in the picture

  // viridis by Smith, van der Walt and Firing (CC0), in equal steps.
  static viridis = [
    "440154", "470e61", "481a6c", "482575", "472f7d", "443a83", "414487", "3d4e8a", "39568c", "35608d", "31688e", "2d708e", "2a788e",
    "27818e", "23888e", "21918d", "1f988b", "1fa088", "22a884", "2ab07f", "35b779", "43bf71", "54c568", "66cc5d", "7ad151", "8fd744",
    "a5db36", "bcdf27", "d2e21b", "e9e51a", "fde725",
  ].map((digits) => "#" + digits);

  // root is the view's, which determines the width and the colours.
  constructor(root, canvas) {
    this.root = root;
    this.canvas = canvas;
    this.deep = 0; // height of the columns' names; it only grows, so that a run does not move what is below
  }

  // place returns the position of the cells, in pixels.
  place({ rows, columns }) {
    const { gutter } = HeatMap, wide = Math.max(240, this.root.clientWidth);
    const leader = wide < 560 ? 90 : gutter.leader;
    const cell = Math.min(28, Math.max(2, (wide - gutter.left - gutter.others - leader) / columns.length));
    const line = Math.min(24, Math.max(9, 460 / rows.length));
    const right = gutter.left + cell * columns.length, bottom = gutter.top + line * rows.length;
    const x = (column) => gutter.left + column * cell, y = (row) => gutter.top + row * line;
    return { wide, cell, line, right, bottom, x, y };
  }

  // cellAt returns the cell under the pointer, or null.
  cellAt(event, values) {
    const { gutter } = HeatMap, box = this.canvas.getBoundingClientRect(), { cell, line } = this.place(values);
    const column = Math.floor((event.clientX - box.left - gutter.left) / cell);
    const row = Math.floor((event.clientY - box.top - gutter.top) / line);
    return row >= 0 && column >= 0 && values.has({ row, column }) ? { row, column } : null;
  }

  // draw returns whether there was a place to draw in. Without values it hides the canvas. marked
  // is the cell with a frame, or null.
  draw(values, { log, marked }) {
    this.canvas.style.visibility = values ? "visible" : "hidden";
    if (!values) return true;
    if (!this.root.clientWidth) return false;
    const place = this.place(values), theme = fsnet.theme(this.root), c = this.canvas.getContext("2d");
    const small = `10px ${theme.font}`;
    c.font = small;
    this.resize(c, place, values);
    c.textBaseline = "middle";
    this.cells(c, place, values, log);
    this.margin(c, place, values, theme);
    c.font = small;
    c.fillStyle = theme.faint;
    c.textAlign = "left";
    c.fillText("selector", 0, 7);
    c.fillText("others", place.right + 6, 7);
    c.fillText("leader", place.right + HeatMap.gutter.others, 7);
    c.fillText("feature", 0, place.bottom + 8);
    this.names(c, place, values, theme);
    if (values.has(marked)) {
      c.lineWidth = 2;
      c.strokeStyle = fsnet.red;
      c.strokeRect(place.x(marked.column), place.y(marked.row), place.cell, place.line);
      c.lineWidth = 1;
    }
    return true;
  }

  // resize clears the canvas, and sets its size.
  resize(c, { wide, bottom }, { columns }) {
    const { gutter, slope } = HeatMap, { canvas } = this, ratio = window.devicePixelRatio || 1;
    if (this.deep < gutter.names) {
      const longest = Math.max(...columns.map(([, name]) => c.measureText(name).width));
      this.deep = Math.min(gutter.names, Math.max(this.deep, 14 + Math.sin(slope) * longest));
    }
    const high = Math.ceil(bottom + this.deep);
    const [w, h] = [Math.round(wide * ratio), Math.round(high * ratio)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${wide}px`;
      canvas.style.height = `${high}px`;
    }
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, wide, high);
  }

  // cells paints the cells; log chooses the logarithmic scale.
  cells(c, { cell, line, x, y }, values, log) {
    const { viridis, least } = HeatMap;
    const share = (p) => (log ? 1 - Math.log10(Math.min(Math.max(p, least), 1)) / Math.log10(least) : p);
    const colour = (p) => viridis[Math.round(Math.min(1, Math.max(0, share(p))) * (viridis.length - 1))];
    const filled = (size) => (size < 6 ? size : size - 1); // with a gap if there is room
    values.rows.forEach((_, i) => values.columns.forEach((_, j) => {
      c.fillStyle = colour(values.at(i, j));
      c.fillRect(x(j), y(i), filled(cell), filled(line));
    }));
  }

  // margin draws each row's number before it, and behind it the hidden mass and the leader.
  margin(c, { wide, line, right, y }, values, theme) {
    const { gutter } = HeatMap, red = getComputedStyle(this.root).getPropertyValue("--fsnet-red");
    const leader = right + gutter.others;
    c.font = `${Math.min(11, line)}px ${theme.font}`;
    c.strokeStyle = theme.grid;
    values.rows.forEach((selector, i) => {
      const middle = y(i) + line / 2, again = values.again[i];
      c.fillStyle = theme.faint;
      c.textAlign = "right";
      c.fillText(String(selector), gutter.left - 6, middle);
      c.fillRect(right + 6, y(i) + line * 0.25, 32 * Math.min(1, values.others(i)), line * 0.5);
      c.strokeRect(right + 6, y(i) + line * 0.25, 32, line * 0.5);
      c.fillStyle = again ? red : theme.text;
      c.textAlign = "left";
      c.fillText(fsnet.fitted(c, (again ? "⚠ " : "") + values.names[i], wide - leader - 2), leader, middle);
    });
  }

  // names writes the names of the columns: of the leaders first, then others as far as they do not
  // overlap.
  names(c, { cell, bottom, x }, { leaders, columns }, theme) {
    const { gutter, slope } = HeatMap, named = [];
    const free = (j) => named.every((k) => Math.abs(j - k) * cell >= 10);
    for (const j of [...leaders, ...columns.keys()]) if (free(j)) named.push(j);
    c.fillStyle = theme.text;
    c.textAlign = "right";
    for (const j of named) {
      const middle = x(j + 0.5);
      const room = Math.min((gutter.names - 12) / Math.sin(slope), (middle - 6) / Math.cos(slope));
      c.save();
      c.translate(middle, bottom + 6);
      c.rotate(-slope);
      c.fillText(fsnet.fitted(c, columns[j][1], room), 0, 0);
      c.restore();
    }
  }
}
