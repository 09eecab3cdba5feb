// The last picture of a view, which replaces it when its kernel is gone, and which readers of the
// notebook without widgets see.
const fsnetLastPicture = (() => {
  // visitOutputs calls visit with the cell and the number of each output that shows this view, its
  // last picture, and the view's own data. It searches JupyterLab's model of the notebook, and
  // returns whether it found any; false in other front ends.
  function visitOutputs(model, visit) {
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

  // keep replaces a view by its last picture when no kernel knows it any more, because its own was
  // restarted or killed: such a view looks alive and does nothing. (A kernel that is asked to end
  // does so itself.) If it cannot be replaced, it says so and takes no input. When the notebook is
  // saved while the view lives, the picture is saved beside it for readers without widgets. Call
  // the returned function at the view's end.
  function keep(model, root) {
    // gone puts the last picture in place of the view, or else says that the kernel is gone and
    // takes no input.
    const gone = () => {
      const replaced = visitOutputs(model,
        (cell, i, last) => cell.outputs.set(i, { output_type: "display_data", data: last.data, metadata: last.metadata }));
      if (replaced || root.querySelector(".fsnet-gone")) return;
      const text = "The kernel of this view is gone: run its cell again to continue.";
      root.prepend(fsnet.element("div", { class: "fsnet-gone", role: "status" }, text));
      root.inert = true;
      root.style.opacity = 0.75;
    };
    // checkKernel replaces the view if no kernel knows its model any more. It waits for the widget
    // manager; a front end that cannot tell changes nothing.
    const checkKernel = async () => {
      const id = model.get("snapshot")?.root;
      try {
        const live = id ? (await model.widget_manager.get_model(id)).comm_live : !root.closest(".jupyter-widgets-disconnected");
        if (live === false) setTimeout(gone); // later: the output that goes may be being drawn
      } catch (error) { // a front end whose models have no such property
        console.debug("fsnet: whether the kernel is there is not known", error);
      }
    };
    // saved puts the last picture beside the view when JupyterLab begins to save the notebook.
    const saved = (context, state) => {
      if (state !== "started") return;
      visitOutputs(model, (cell, i, last, shown) => { // only in what is saved: the page is not disturbed
        const output = cell.sharedModel.youtputs.get(i);
        output.set("data", { ...last.data, ...shown });
        output.set("metadata", last.metadata);
      });
    };
    const saving = model.widget_manager?.context?.saveState;
    const life = fsnet.life(model);
    life.hears("comm_live_update", checkKernel);
    life.hears("comm:close", gone);
    life.hears("msg:custom", (message) => {
      if (message?.ended) gone();
    });
    saving?.connect(saved);
    life.ends(() => saving?.disconnect(saved));
    checkKernel();
    return life.end;
  }

  return { keep };
})();
