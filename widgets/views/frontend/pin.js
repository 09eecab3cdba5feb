// A button that keeps a view beside the cells while one scrolls and types: at the right edge of the
// notebook if it is wide, else at its lower edge.
const fsnetPin = (() => {
  // control makes it for a view's root. stop returns the view to its place.
  function control(root) {
    const { element, put, ours } = fsnet;
    const button = element("button", { type: "button", class: "fsnet-button fsnet-pin",
      title: "Keep this view beside the cells while you scroll and type", onclick: () => (pinned ? release() : pin()) });
    let pinned = null; // its place in the cell, and the element that holds it now
    const label = () => {
      put(button, pinned ? "Unpin" : "Pin");
      button.setAttribute("aria-pressed", String(Boolean(pinned)));
    };
    // pin moves the view into an element beside the cells, and leaves a note in its place.
    const pin = () => {
      const notebook = root.closest(".jp-NotebookPanel") || document.body;
      const place = element("div", { class: "fsnet-pinned-place" }, "This view is pinned.");
      const aside = element("aside", { class: "fsnet-pinned", "aria-label": "pinned view" });
      root.before(place);
      aside.append(root);
      notebook.append(aside);
      pinned = { place, aside, notebook };
      lay();
      watch.observe(notebook);
      label();
    };
    const scroller = () => pinned.notebook.querySelector(".jp-WindowedPanel-outer, .jp-Notebook");
    // lay places the pinned view, and makes room for it beside or below the cells.
    const lay = () => {
      if (!pinned) return;
      const { aside, notebook } = pinned, box = notebook.getBoundingClientRect(), beside = box.width >= 900;
      const width = Math.min(620, Math.round(box.width * 0.46)), height = Math.round(box.height * 0.45);
      const top = notebook.querySelector(".jp-Toolbar")?.offsetHeight || 0;
      aside.style.cssText = `position: absolute; z-index: 20; right: 0; bottom: 0; overflow: auto;
        box-sizing: border-box; padding: 6px 10px; background: var(--jp-layout-color1, #fff);
        border: 1px solid var(--jp-border-color1, #bdbdbd); ` + (beside ? `top: ${top}px; width: ${width}px` : `left: 0; height: ${height}px`);
      const padding = beside ? "paddingRight" : "paddingBottom";
      if (scroller()) scroller().style[padding] = `${beside ? width : height}px`;
    };
    // release moves the view back to its place; it does nothing unless the view is pinned.
    const release = () => {
      if (!pinned) return;
      if (scroller()) scroller().style.paddingRight = scroller().style.paddingBottom = "";
      watch.disconnect();
      pinned.place.replaceWith(root);
      pinned.aside.remove();
      pinned = null;
      label();
    };
    const watch = new ResizeObserver(lay);
    ours(button);
    label();
    return { button, stop: release };
  }

  return { control };
})();
