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

  // The last picture of the view takes its place, in the page and in what the notebook saves: what the kernel does itself where it is
  // asked to end. It says whether it could.
  function replaceByPicture(model) {
    const still = model.get("still"), view = "application/vnd.jupyter.widget-view+json";
    let replaced = false;
    try {
      for (const cell of model.widget_manager.context.model.cells) {
        for (let i = 0; cell.type === "code" && i < cell.outputs.length; i++) {
          if (!still || cell.outputs.get(i).data[view]?.model_id !== still.root) continue;
          cell.outputs.set(i, { output_type: "display_data", data: still.data, metadata: still.metadata });
          replaced = true;
        }
      }
    } catch (error) { // a front end without JupyterLab's model of a notebook
      console.debug("fsnet: the picture stays away", error);
    }
    return replaced;
  }

  // A view that no kernel knows any more, since its own was restarted, killed or changed, looks alive and does nothing. It becomes its
  // last picture; where that cannot be, it says so and takes no input.
  function outlive(model, el) {
    const gone = () => {
      if (replaceByPicture(model) || el.querySelector(".fsnet-gone")) return;
      const whole = el.closest(".fsnet-panel") || el;
      el.prepend(element("div", { class: "fsnet-gone", role: "status" }, "The kernel of this view has gone: run its cell again to go on with it."));
      whole.inert = true;
      whole.classList.add("fsnet-dead");
    };
    const look = async () => {
      const root = model.get("still")?.root;
      try {
        const live = root ? (await model.widget_manager.get_model(root)).comm_live : !el.closest(".jupyter-widgets-disconnected");
        if (live === false) setTimeout(gone); // not amid the drawing of the output that goes
      } catch (error) { // a front end whose models do not say so
        console.debug("fsnet: whether the kernel is there is not known", error);
      }
    };
    model.on("comm_live_update", look);
    model.on("comm:close", gone);
    look();
  }

  return { palette, red, theme, onTheme, number, element, throttled, outlive };
})();
