// The control that says over how many epochs noisy curves are smoothed; the kernel smooths them.
const fsnetSmoothing = (() => {
  const automatic = -1; // by the length of what is shown
  const choices = [0, ...[1, 10, 100, 1000].flatMap((size) => [1, 2, 5].map((digit) => digit * size))]; // epochs
  const words = (n) => (n ? `${fsnet.number(n)} epoch${n > 1 ? "s" : ""}` : "off");

  // The control. The value is the view's, wherever that is shown. show says over how many epochs they are smoothed now.
  function control(model) {
    const { element, put, ours } = fsnet;
    const hint = "Over how many epochs losses and training accuracies are smoothed; what was measured stays below, faint";
    let over = 0, sliding = 0; // epochs now; a timer, while the slider moves
    const keep = (value) => {
      clearTimeout(sliding);
      sliding = 0;
      if (value !== model.get("smoothing")) fsnet.set(model, { smoothing: value });
    };
    const chosen = () => choices[slider.value];
    const slider = element("input", { type: "range", min: 0, max: choices.length - 1, step: 1, title: hint, "aria-label": "Smoothing", onchange: () => keep(chosen()), oninput: () => {
      put(said, words(chosen()));
      sliding ||= setTimeout(() => keep(chosen()), 100);
    } });
    const said = element("span", { class: "fsnet-over", "aria-hidden": "true" });
    const auto = element("button", { type: "button", class: "fsnet-auto", title: "Smooth over at most a fiftieth of the epochs shown", onclick: () => keep(automatic) }, "Automatic");
    const root = element("div", { class: "fsnet-smoothing" }, element("span", { title: hint }, "Smoothing"), slider, said, auto);
    ours(slider);
    const show = (epochs = over) => {
      over = epochs;
      const alone = (model.get("smoothing") ?? automatic) === automatic;
      if (!sliding) slider.value = Math.max(0, choices.findLastIndex((n) => n <= over));
      slider.setAttribute("aria-valuetext", words(over) + (alone ? ", automatic" : ""));
      put(said, words(over));
      auto.setAttribute("aria-pressed", String(alone));
    };
    const heard = () => show();
    model.on("change:smoothing", heard);
    show();
    return { root, show, stop: () => {
      clearTimeout(sliding);
      model.off("change:smoothing", heard);
    } };
  }

  return { words, control };
})();
