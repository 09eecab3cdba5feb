// What every view needs: the theme's colours, numbers as text, elements that contain text and never
// HTML, and access to the model.
const fsnet = (() => {
  // Okabe and Ito's colours, distinguishable with any colour vision, and four more, as package
  // spec.
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#999933", "#882255", "#8f7ad6"];
  const red = "#d55e00";
  const settledFrom = 0.9; // the probability from which a selector may count as settled

  function colour(el, name, otherwise) {
    return getComputedStyle(el).getPropertyValue(name).trim() || otherwise;
  }

  // theme returns the present colours of the theme; ask again after onTheme.
  function theme(el) {
    return {
      text: colour(el, "--jp-ui-font-color1", "#212121"),
      faint: colour(el, "--jp-ui-font-color2", "#616161"),
      grid: colour(el, "--jp-border-color2", "#e0e0e0"),
      paper: colour(el, "--jp-layout-color1", "#ffffff"),
      font: colour(el, "--jp-ui-font-family", "system-ui, sans-serif"),
    };
  }

  // onTheme calls redraw when the theme changes, until the returned function is called.
  function onTheme(redraw) {
    const watcher = new MutationObserver(redraw);
    watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
    return () => watcher.disconnect();
  }

  // number formats with at most three significant digits, whole from 1000 on, as package words; a
  // missing value is a dash.
  function number(x) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    const size = Math.abs(x);
    if (size >= 999.5 && size < 999999.5) return x.toFixed(0);
    if (x === 0 || (size >= 1e-4 && size < 1000)) return String(Number(x.toPrecision(3)));
    const [digits, power] = x.toExponential(2).split("e");
    return `${Number(digits)}e${Number(power)}`;
  }

  // counted formats a number with its noun, which takes an s except for 1, as package phrase does.
  function counted(n, noun) {
    return `${n} ${noun}${n === 1 ? "" : "s"}`;
  }

  // element makes an HTML element. Attributes named on… are listeners; strings become text.
  function element(tag, attributes = {}, ...children) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "class") e.className = value;
      else if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
      else e.setAttribute(name, value);
    }
    e.append(...children);
    return e;
  }

  // svg makes an SVG element.
  function svg(tag, attributes = {}, ...children) {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    attribute(e, attributes);
    e.append(...children);
    return e;
  }

  // field makes an input that takes effect with Enter, which JupyterLab would take, or when left.
  function field(attributes, take) {
    return element("input", { ...attributes, onchange: take, onkeydown: (event) => event.key === "Enter" && take() });
  }

  // life collects what ends with a view: hears listens to the model, ends takes functions that undo
  // something, and end undoes all.
  function life(model) {
    const undo = [];
    const ends = (...actions) => undo.push(...actions);
    const hears = (event, listener) => {
      model.on(event, listener);
      ends(() => model.off(event, listener));
    };
    return { ends, hears, end: () => undo.forEach((action) => action()) };
  }

  // throttled returns a function that calls draw at most once a frame, or a few times a second
  // where no frames are drawn, as in a page out of sight. If draw returns false, it had no place to
  // draw in, as while JupyterLab changes its theme, and it is called again for two seconds. The
  // returned function's now draws at once; its stop, called at the view's end, cancels what waits.
  function throttled(draw) {
    let frame = 0, timer = 0, missed = 0;
    // run draws now, and again later where there was no place.
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
    call.now = run;
    call.stop = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    return call;
  }

  // put sets a text only if it differs, so that a selection and what is read aloud stay.
  function put(e, text) {
    if (e.textContent !== text) e.textContent = text;
  }

  // attribute sets the attributes of an element that differ; values become text.
  function attribute(e, values) {
    for (const [name, value] of Object.entries(values)) {
      if (e.getAttribute(name) !== String(value)) e.setAttribute(name, value);
    }
  }

  // sized gives an element count children, made from their numbers. Existing children stay, so that
  // nothing flickers and the focus does not move.
  function sized(parent, count, make) {
    while (parent.children.length > count) parent.lastChild.remove();
    while (parent.children.length < count) parent.append(make(parent.children.length));
  }

  // probability fills a cell of a table with a bar and a text.
  function probability(cell, p, text) {
    if (!cell.firstElementChild) {
      const track = element("span", { class: "fsnet-track", "aria-hidden": "true" }, element("span"));
      cell.append(track, element("span"));
    }
    const bar = cell.firstChild.firstChild;
    bar.style.width = `${100 * Math.min(1, Math.max(0, p))}%`;
    bar.style.background = p >= settledFrom ? palette[2] : palette[0];
    put(cell.lastChild, text);
  }

  // shorten cuts a text to a number of characters.
  function shorten(text, most) {
    return text.length > most ? text.slice(0, most - 1) + "…" : text;
  }

  // fitted cuts a text to the room there is on a canvas, in pixels, in the canvas's font.
  function fitted(canvas, text, room) {
    if (canvas.measureText(text).width <= room) return text;
    let length = Math.min(text.length, 200);
    while (length && canvas.measureText(text.slice(0, length) + "…").width > room) length--;
    return text.slice(0, length) + "…";
  }

  // set changes entries of the state for a person, and sends them to the kernel.
  function set(model, values) {
    for (const [name, value] of Object.entries(values)) model.set(name, value);
    model.save_changes();
  }

  // floats returns the numbers that the model holds as bytes, float32.
  function floats(bytes) {
    if (!bytes) return new Float32Array();
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  }

  // ours keeps the keys that controls handle from the notebook.
  function ours(...controls) {
    for (const e of controls) e.setAttribute("data-lm-suppress-shortcuts", "true");
  }

  // line makes the element of the message for a person. It shows the kernel's message; say(text,
  // failed) shows one of the view, and showMessage the kernel's again.
  function line(model, { hears }) {
    const e = element("div", { class: "fsnet-message", role: "status" });
    e.say = (text, failed = false) => {
      put(e, text);
      e.classList.toggle("fsnet-failed", failed);
    };
    e.showMessage = () => e.say(model.get("message"), Boolean(model.get("failed")));
    ["message", "failed"].forEach((name) => hears(`change:${name}`, e.showMessage));
    e.showMessage();
    return e;
  }

  return {
    palette, red, settledFrom, theme, onTheme, number, counted,
    element, svg, field, put, attribute, sized, probability, shorten, fitted, set, floats, ours, line, life, throttled,
  };
})();
