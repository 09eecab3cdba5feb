// One feature as three small pictures: training rows by class, embedding, and course in P.
const fsnetFeature = (() => {
  const { svg } = fsnet;
  const wide = 300, high = 150, left = 40, right = 8, top = 8, bottom = 30;

  // figure returns a drawing of these SVG elements with a title above and elements below; label is
  // read aloud.
  function figure(title, label, body, ...below) {
    const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": label }, ...body);
    return fsnet.element("figure", { class: "fsnet-feature-figure" }, fsnet.element("figcaption", {}, title), picture, ...below);
  }

  const x = (share) => left + share * (wide - left - right);
  const y = (share) => high - bottom - share * (high - top - bottom);

  function words(text, at, up, anchor = "middle", more = {}) {
    return svg("text", { x: at, y: up, "text-anchor": anchor, "font-size": 10, fill: "currentColor", ...more }, text);
  }

  function rule(x1, y1, x2, y2, more = {}) {
    return svg("line", { x1, y1, x2, y2, stroke: "currentColor", "stroke-opacity": 0.35, ...more });
  }

  // frame draws the axes of a plot of values from least to most.
  function frame(least, most, from, to, axis) {
    return [
      rule(left, y(0), wide - right, y(0)), rule(left, y(0), left, y(1)),
      words(fsnet.number(most), left - 4, y(1) + 8, "end"), words(fsnet.number(least), left - 4, y(0), "end"),
      words(from, left, high - 14, "start"), words(to, wide - right, high - 14, "end"),
      words(axis, (left + wide - right) / 2, high - 2),
    ];
  }

  // histogram draws the counts of each bin, with a bar for each class, and lists the classes below.
  function histogram(f) {
    const bins = f.edges.length - 1;
    const most = Math.max(1, ...f.counts.flat());
    const parts = frame(0, most, fsnet.number(f.edges[0]), fsnet.number(f.edges[bins]), "value");
    const each = 0.9 / bins / Math.max(1, f.counts.length);
    f.counts.forEach((row, c) => row.forEach((n, i) => {
      const name = f.classes[c] ? f.classes[c].name : String(c);
      const bar = svg("rect", {
        x: x(i / bins + 0.05 / bins + c * each), width: Math.max(0.5, x(each) - x(0)), y: y(n / most), height: y(0) - y(n / most),
        fill: fsnet.palette[c % fsnet.palette.length],
      });
      bar.append(svg("title", {}, `${name}: ${n} from ${fsnet.number(f.edges[i])} to ${fsnet.number(f.edges[i + 1])}`));
      parts.push(bar);
    }));
    const legend = fsnet.element("ul", { class: "fsnet-feature-classes" }, ...f.classes.map((c, i) => {
      const chip = fsnet.element("span", { class: "fsnet-chip", style: `background:${fsnet.palette[i % fsnet.palette.length]}` });
      return fsnet.element("li", {}, chip,
        `${c.name}: ${fsnet.counted(c.n, "row")}, mean ${fsnet.number(c.mean)}, sd ${fsnet.number(c.sd)}`);
    }));
    return figure("Training rows by class", `histogram of ${f.name} by class`, parts, legend);
  }

  // embedding draws the feature's embedding as bars from 0, labelled at both ends.
  function embedding(f) {
    const least = Math.min(0, ...f.embedding), most = Math.max(0, ...f.embedding);
    const span = most - least || 1, n = f.embedding.length;
    const parts = frame(least, most, f.labels[0] || "", f.labels[n - 1] || "", "");
    f.embedding.forEach((value, i) => {
      const [a, b] = [y((Math.min(0, value) - least) / span), y((Math.max(0, value) - least) / span)];
      const bar = svg("rect",
        { x: x((i + 0.1) / n), width: Math.max(0.5, (x(1) - x(0)) * 0.8 / n), y: b, height: Math.max(0.5, a - b), fill: fsnet.palette[5] });
      bar.append(svg("title", {}, `${f.labels[i] || i}: ${fsnet.number(value)}`));
      parts.push(bar);
    });
    parts.push(rule(left, y(-least / span), wide - right, y(-least / span)));
    return figure("What the predictors see of it", `embedding of ${f.name}`, parts);
  }

  // course draws the largest probability in P over the looks up to step until; the feature has at
  // least one.
  function course(f, until) {
    const { values, selectors } = f.course, steps = f.course.steps.filter((step) => step <= until);
    const last = steps[steps.length - 1], first = Math.min(steps[0], last);
    const at = (i) => [x(last > first ? (steps[i] - first) / (last - first) : 1), y(values[i])];
    const parts = frame(0, 1, String(first), String(last), "step");
    parts.push(rule(left, y(fsnet.settledFrom), wide - right, y(fsnet.settledFrom), { "stroke-dasharray": "3 3" }));
    parts.push(svg("polyline",
      { points: steps.map((_, i) => at(i).join(",")).join(" "), fill: "none", stroke: fsnet.palette[2], "stroke-width": 2 }));
    steps.forEach((step, i) => {
      const [cx, cy] = at(i);
      const dot = svg("circle", { cx, cy, r: 2, fill: fsnet.palette[2] });
      dot.append(svg("title", {}, `step ${step}: ${fsnet.number(values[i])} by selector ${selectors[i]}`));
      parts.push(dot);
    });
    return figure("Largest probability in P", `course of ${f.name} in P`, parts);
  }

  // show puts the feature into el, with its course up to a step, or empties el without one. Its
  // button calls close.
  function show(el, f, close, until = Infinity) {
    el.replaceChildren();
    if (!f) return;
    const button = fsnet.element("button",
      { class: "fsnet-button", type: "button", "data-lm-suppress-shortcuts": "true", onclick: close }, "Close");
    const head = `column ${f.index}${f.kept ? "" : " · constant over the training rows: set aside"}`;
    const figures = [];
    if (f.edges && f.edges.length > 1) figures.push(histogram(f));
    if (f.embedding && f.embedding.length) figures.push(embedding(f));
    if (f.course.steps?.[0] <= until) figures.push(course(f, until));
    el.append(
      fsnet.element("div", { class: "fsnet-feature-head" }, fsnet.element("b", { class: "fsnet-feature-name" }, f.name),
        fsnet.element("span", { class: "fsnet-faint" }, head), button),
      fsnet.element("div", { class: "fsnet-feature-figures" }, ...figures),
    );
  }

  return { show };
})();
