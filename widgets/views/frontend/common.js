// What every view needs: colours of the theme, numbers as text, elements that hold text and never HTML, and what its model holds.
const fsnet = (() => {
  // Okabe and Ito's colours, which colour-blind people can tell apart, and four more: those of package spec.
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#999933", "#882255", "#8f7ad6"];
  const red = "#d55e00";
  const settledFrom = 0.9; // the probability from which a selector counts as settled

  function colour(el, name, otherwise) {
    return getComputedStyle(el).getPropertyValue(name).trim() || otherwise;
  }

  // The theme's colours now; ask again after onTheme.
  function theme(el) {
    return {
      text: colour(el, "--jp-ui-font-color1", "#212121"),
      faint: colour(el, "--jp-ui-font-color2", "#616161"),
      grid: colour(el, "--jp-border-color2", "#e0e0e0"),
      paper: colour(el, "--jp-layout-color1", "#ffffff"),
      font: colour(el, "--jp-ui-font-family", "system-ui, sans-serif"),
    };
  }

  // Calls redraw when the theme changes, until the returned function is called.
  function onTheme(redraw) {
    const watcher = new MutationObserver(redraw);
    watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
    return () => watcher.disconnect();
  }

  // At most three significant digits, whole from 1000 on: as package words writes numbers.
  function number(x) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    const size = Math.abs(x);
    if (size >= 999.5 && size < 999999.5) return x.toFixed(0);
    if (x === 0 || (size >= 1e-4 && size < 1000)) return String(Number(x.toPrecision(3)));
    const [digits, power] = x.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`;
  }

  // As package count writes a number with its noun.
  function counted(n, one) {
    return `${n} ${one}${n === 1 ? "" : "s"}`;
  }

  function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") e.className = value;
      else if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
      else e.setAttribute(name, value);
    }
    e.append(...children); // strings become text
    return e;
  }

  // As element does, of a drawing.
  function svg(tag, attributes = {}, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    attribute(e, attributes);
    e.append(...children);
    return e;
  }

  // A field counts where it is left and with Enter, which JupyterLab takes for itself.
  function field(attributes, take) {
    return element("input", { ...attributes, onchange: take, onkeydown: (event) => event.key === "Enter" && take() });
  }

  // At most one call a frame, the last; where no frames are drawn, as in a page out of sight, a few a second. A draw that gives false had
  // no place to draw in, as while JupyterLab changes its theme: it is tried again for two seconds. The returned function's stop, called at
  // the view's end, drops what waits.
  function throttled(draw) {
    let frame = 0, timer = 0, missed = 0;
    const run = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      timer = 0;
      missed = draw() === false ? missed + 1 : 0;
      if (missed && missed <= 10) timer = setTimeout(run, 200);
    };
    const call = () => {
      if (timer) return;
      timer = setTimeout(run, 250);
      frame = requestAnimationFrame(run);
    };
    call.stop = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    return call;
  }

  // Text into an element, where it is new: a reader's selection and what is read aloud stay otherwise.
  function put(e, text) {
    if (e.textContent !== text) e.textContent = text;
  }

  // Attributes of an element, where they are new.
  function attribute(e, values) {
    for (const [name, value] of Object.entries(values)) if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
  }

  // As many children as there is to show, made from their number. Those that are there stay, so that nothing flickers and the focus stays
  // where it is.
  function sized(parent, count, make) {
    while (parent.children.length > count) parent.lastChild.remove();
    while (parent.children.length < count) parent.append(make(parent.children.length));
  }

  // A cell of a table with a probability: a bar, and its text.
  function probability(cell, p, text) {
    if (!cell.firstElementChild) cell.append(element("span", { class: "fsnet-track", "aria-hidden": "true" }, element("span")), element("span"));
    const bar = cell.firstChild.firstChild;
    bar.style.width = `${100 * Math.min(1, Math.max(0, p))}%`;
    bar.style.background = p >= settledFrom ? palette[2] : palette[0];
    put(cell.lastChild, text);
  }

  // What a person sets, for the kernel.
  function set(model, values) {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }

  // The numbers that the model holds as bytes.
  function floats(bytes) {
    return bytes ? new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)) : new Float32Array();
  }

  // Keys that a control takes are its own, not the notebook's.
  function ours(...controls) {
    for (const e of controls) e.setAttribute("data-lm-suppress-shortcuts", "true");
  }

  // The line for a person: what the kernel said last, or the view itself by say. Call told to show the kernel's again, stop at the view's end.
  function line(model) {
    const e = element("div", { class: "fsnet-message", role: "status" });
    e.say = (text, failed = false) => {
      put(e, text);
      e.classList.toggle("fsnet-failed", failed);
    };
    e.told = () => e.say(model.get("message"), Boolean(model.get("failed")));
    e.stop = () => ["message", "failed"].forEach((name) => model.off(`change:${name}`, e.told));
    ["message", "failed"].forEach((name) => model.on(`change:${name}`, e.told));
    e.told();
    return e;
  }

  return {
    palette, red, settledFrom, theme, onTheme, number, counted,
    element, svg, field, put, attribute, sized, probability, set, floats, ours, line, throttled,
  };
})();
