// A button that keeps a view beside the cells while one scrolls and types: at the right edge of the notebook where there is room, else at
// its lower edge.
const fsnetPin = (() => {
  // The control of a view's root. stop takes the view back to its place.
  function control(root) {
    const { element, put, ours } = fsnet;
    const button = element("button", { type: "button", class: "fsnet-button fsnet-pin", title: "Keep this view beside the cells while you scroll and type", onclick: () => (held ? release() : hold()) });
    let held = null; // its place, and where it is instead
    const label = () => {
      put(button, held ? "Unpin" : "Pin");
      button.setAttribute("aria-pressed", String(Boolean(held)));
    };
    const hold = () => {
      const notebook = root.closest(".jp-NotebookPanel") || document.body;
      const place = element("div", { class: "fsnet-pinned-place" }, "This view is pinned.");
      const aside = element("aside", { class: "fsnet-pinned", "aria-label": "pinned view" });
      root.before(place);
      aside.append(root);
      notebook.append(aside);
      held = { place, aside, notebook };
      lay();
      watch.observe(notebook);
      label();
    };
    const lay = () => {
      if (!held) return;
      const { aside, notebook } = held, box = notebook.getBoundingClientRect(), beside = box.width >= 900;
      const wide = Math.min(620, Math.round(box.width * 0.46)), high = Math.round(box.height * 0.45), bar = notebook.querySelector(".jp-Toolbar")?.offsetHeight || 0;
      aside.style.cssText = `position: absolute; z-index: 20; right: 0; bottom: 0; overflow: auto; box-sizing: border-box; padding: 6px 10px;
        background: var(--jp-layout-color1, #fff); border: 1px solid var(--jp-border-color1, #bdbdbd); ` + (beside ? `top: ${bar}px; width: ${wide}px` : `left: 0; height: ${high}px`);
      const scroller = notebook.querySelector(".jp-WindowedPanel-outer, .jp-Notebook");
      if (scroller) scroller.style[beside ? "paddingRight" : "paddingBottom"] = `${beside ? wide : high}px`;
    };
    const release = () => {
      if (!held) return;
      const { place, aside, notebook } = held;
      const scroller = notebook.querySelector(".jp-WindowedPanel-outer, .jp-Notebook");
      if (scroller) scroller.style.paddingRight = scroller.style.paddingBottom = "";
      watch.disconnect();
      place.replaceWith(root);
      aside.remove();
      held = null;
      label();
    };
    const watch = new ResizeObserver(lay);
    ours(button);
    label();
    return { button, stop: release };
  }

  return { control };
})();
