// The last picture of a view, in its place once its kernel is gone, and for readers of the notebook without widgets.
const fsnetLastPicture = (() => {
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
  function keep(model, view) {
    const gone = () => {
      const replaced = showing(model,
        (cell, i, last) => cell.outputs.set(i, { output_type: "display_data", data: last.data, metadata: last.metadata }));
      if (replaced || view.querySelector(".fsnet-gone")) return;
      view.prepend(
        fsnet.element("div", { class: "fsnet-gone", role: "status" }, "The kernel of this view is gone: run its cell again to continue."));
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
    const saved = (context, state) => {
      if (state !== "started") return;
      showing(model, (cell, i, last, shown) => { // in what is saved alone: the page goes on undisturbed
        const output = cell.sharedModel.youtputs.get(i);
        output.set("data", { ...last.data, ...shown });
        output.set("metadata", last.metadata);
      });
    };
    const saving = model.widget_manager?.context?.saveState;
    model.on("comm_live_update", look);
    model.on("comm:close", gone);
    model.on("msg:custom", (message) => {
      if (message?.ended) gone();
    });
    saving?.connect(saved);
    look();
    return () => saving?.disconnect(saved);
  }

  return { keep };
})();
