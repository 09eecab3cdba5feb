// What every chart needs: colours of the theme, numbers as text, elements that hold text and never HTML.
const fsnet = (() => {
  // Okabe and Ito's colours, which colour-blind people can tell apart, and four more: those of package scene.
  const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#999933", "#882255", "#8f7ad6"];
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

  // Calls visit with the cell and the number of each output that shows this view, and with its last picture. JupyterLab's model of the
  // notebook is asked; it says whether it found any.
  function showing(model, visit) {
    const last = model.get("snapshot"), view = "application/vnd.jupyter.widget-view+json";
    let found = false;
    try {
      for (const cell of last ? model.widget_manager.context.model.cells : []) {
        for (let i = 0; cell.type === "code" && i < cell.outputs.length; i++) {
          const shown = cell.outputs.get(i).data[view];
          if (shown?.model_id !== last.root) continue;
          visit(cell, i, last, { [view]: shown });
          found = true;
        }
      }
    } catch (error) { // another front end
      console.debug("fsnet: the picture of this view is not kept", error);
    }
    return found;
  }

  // A view that no kernel knows any more, since its own was restarted or killed, looks alive and does nothing: its last picture takes its
  // place, as the kernel itself does where it is asked to end. Where that cannot be it says so and takes no input. And what is saved of a
  // view that lives is its last picture, too, for readers without widgets. Call the returned function at the view's end.
  function outlive(model, view) {
    const gone = () => {
      const replaced = showing(model, (cell, i, last) => cell.outputs.set(i, { output_type: "display_data", data: last.data, metadata: last.metadata }));
      if (replaced || view.querySelector(".fsnet-gone")) return;
      view.prepend(element("div", { class: "fsnet-gone", role: "status" }, "The kernel of this view is gone: run its cell again to continue."));
      view.inert = true;
      view.style.opacity = 0.75;
    };
    const look = async () => {
      const root = model.get("snapshot")?.root;
      try {
        const live = root ? (await model.widget_manager.get_model(root)).comm_live : !view.closest(".jupyter-widgets-disconnected");
        if (live === false) setTimeout(gone); // not amid the drawing of the output that goes
      } catch (error) { // a front end whose models do not say so
        console.debug("fsnet: whether the kernel is there is not known", error);
      }
    };
    const keep = (context, state) => {
      if (state !== "started") return;
      showing(model, (cell, i, last, shown) => { // in what is saved alone: the page goes on undisturbed
        const saved = cell.sharedModel.youtputs.get(i);
        saved.set("data", { ...last.data, ...shown });
        saved.set("metadata", last.metadata);
      });
    };
    const saving = model.widget_manager?.context?.saveState;
    model.on("comm_live_update", look);
    model.on("comm:close", gone);
    model.on("msg:custom", (message) => {
      if (message?.ended) gone();
    });
    saving?.connect(keep);
    look();
    return () => saving?.disconnect(keep);
  }

  return { palette, red, theme, onTheme, number, counted, element, put, ours, line, throttled, outlive };
})();
