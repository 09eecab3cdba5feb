// The smoothed lines of noisy curves, as the pictures have them, and the control that says over how many epochs.
const fsnetSmoothing = (() => {
  const automatic = -1; // by the length of what is shown
  const choices = [0, ...[1, 10, 100, 1000].flatMap((size) => [1, 2, 5].map((digit) => digit * size))]; // epochs
  const least = 12; // points of a curve that is smoothed

  // How many epochs are chosen where nobody chooses: session.SmoothEpochs says why.
  function suggested(shown) {
    let best = 0;
    for (let size = 1; size <= shown / 50; size *= 10) for (const digit of [1, 2, 5]) if (digit * size <= shown / 50) best = digit * size;
    return best;
  }

  // The average of a curve at each of its points, over so many steps, anew after each of some: session.Curve.Smooth has the formula.
  function average({ steps, values, means = values }, over, anew = []) {
    if (over <= 0) return values;
    let sum = 0, weight = 0;
    return values.map((v, i) => {
      if (i && anew.some((step) => steps[i - 1] <= step && step < steps[i])) sum = weight = 0;
      const since = values.length < 2 ? 1 : steps[Math.max(i, 1)] - steps[Math.max(i, 1) - 1], stays = Math.exp(-since / over);
      sum *= stays;
      weight *= stays;
      if (!Number.isFinite(v)) return null;
      sum += (1 - stays) * means[i];
      weight += 1 - stays;
      return sum / weight;
    });
  }

  const words = (n) => (n ? `${fsnet.number(n)} epoch${n > 1 ? "s" : ""}` : "off");

  // The control. The value is the view's, wherever that is shown; changed is called when it is another one. over gives the epochs.
  function control(model, changed) {
    const { element, put, ours } = fsnet;
    const hint = "Over how many epochs losses and training accuracies are smoothed; what was measured stays below, faint";
    let shown = 0, value = model.get("smoothing") ?? automatic;
    const over = () => (value === automatic ? suggested(shown) : value);
    const slider = element("input", { type: "range", min: 0, max: choices.length - 1, step: 1, title: hint, "aria-label": "Smoothing", oninput: () => take(choices[slider.value]), onchange: () => keep() });
    const said = element("span", { class: "fsnet-over", "aria-hidden": "true" });
    const auto = element("button", { type: "button", class: "fsnet-auto", title: "Smooth over at most a fiftieth of the epochs shown", onclick: () => {
      take(automatic);
      keep();
    } }, "Automatic");
    const root = element("div", { class: "fsnet-smoothing" }, element("span", { title: hint }, "Smoothing"), slider, said, auto);
    ours(slider);
    const show = () => {
      slider.value = Math.max(0, choices.findLastIndex((n) => n <= over()));
      slider.setAttribute("aria-valuetext", words(over()) + (value === automatic ? ", automatic" : ""));
      put(said, words(over()));
      auto.setAttribute("aria-pressed", String(value === automatic));
    };
    const take = (n) => {
      value = n;
      show();
      changed();
    };
    const keep = () => fsnet.set(model, { smoothing: value });
    const heard = () => {
      const told = model.get("smoothing") ?? automatic;
      if (told !== value) take(told);
    };
    model.on("change:smoothing", heard);
    show();
    const fit = (epochs) => { // what is shown has grown
      shown = epochs;
      show();
      return over();
    };
    return { root, fit, stop: () => model.off("change:smoothing", heard) };
  }

  return { least, suggested, average, words, control };
})();
