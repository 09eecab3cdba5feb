// What every chart needs: colours of the theme, numbers as text, elements that hold text and never HTML.
const fsnet = (() => {
  // Okabe and Ito's colours, which colour-blind people can tell apart.
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#f0e442"];
  const red = "#d55e00";

  function color(el, name, otherwise) {
    return getComputedStyle(el).getPropertyValue(name).trim() || otherwise;
  }

  // The theme's colours now; ask again after onTheme.
  function theme(el) {
    return {
      text: color(el, "--jp-ui-font-color1", "#212121"),
      faint: color(el, "--jp-ui-font-color2", "#616161"),
      grid: color(el, "--jp-border-color2", "#e0e0e0"),
      paper: color(el, "--jp-layout-color1", "#ffffff"),
      font: color(el, "--jp-ui-font-family", "system-ui, sans-serif"),
    };
  }

  // Calls redraw when the theme changes, until the returned function is called.
  function onTheme(redraw) {
    const watcher = new MutationObserver(redraw);
    watcher.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class"] });
    return () => watcher.disconnect();
  }

  // Four significant digits, as the rest of FsNet writes them.
  function number(x) {
    if (x === null || x === undefined || Number.isNaN(x)) return "–";
    if (x === 0) return "0";
    const size = Math.abs(x);
    return size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
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

  // At most one call a frame, the last; where no frames are drawn, as in a page out of sight, a few a second.
  function throttled(draw) {
    let frame = 0, timer = 0;
    const run = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      timer = 0;
      draw();
    };
    return () => {
      if (timer) return;
      timer = setTimeout(run, 250);
      frame = requestAnimationFrame(run);
    };
  }

  return { palette, red, theme, onTheme, number, element, throttled };
})();
