// The control that chooses over how many epochs noisy curves are smoothed; the kernel smooths them.
const fsnetSmoothing = (() => {
  const automatic = -1; // by the length of what is shown
  const choices = [0, ...[1, 10, 100, 1000].flatMap((size) => [1, 2, 5].map((digit) => digit * size))]; // epochs
  const words = (n) => (n ? `${fsnet.number(n)} epoch${n > 1 ? "s" : ""}` : "off");

  // control makes it. show displays the epochs over which curves are smoothed now.
  function control(model) {
    const { element, put, ours } = fsnet;
    const title = "Over how many epochs losses and training accuracies are smoothed; measured values stay below, faint";
    let over = 0; // epochs now
    let sliding = 0; // a timer, while the slider moves
    const chosen = () => choices[slider.value];
    const keep = (epochs) => {
      clearTimeout(sliding);
      sliding = 0;
      if (epochs !== model.get("smoothing")) fsnet.set(model, { smoothing: epochs });
    };
    const slide = () => {
      put(label, words(chosen()));
      sliding ||= setTimeout(() => keep(chosen()), 100);
    };
    const slider = element("input", { type: "range", min: 0, max: choices.length - 1, step: 1, title, "aria-label": "Smoothing",
      onchange: () => keep(chosen()), oninput: slide });
    const label = element("span", { class: "fsnet-over", "aria-hidden": "true" });
    const auto = element("button", { type: "button", class: "fsnet-auto", title: "Smooth over at most a fiftieth of the epochs shown",
      onclick: () => keep(automatic) }, "Automatic");
    const root = element("div", { class: "fsnet-smoothing" }, element("span", { title }, "Smoothing"), slider, label, auto);
    ours(slider);
    // show displays the epochs over which curves are smoothed now; the slider stays while it is
    // being moved.
    const show = (epochs = over) => {
      over = epochs;
      const isAutomatic = (model.get("smoothing") ?? automatic) === automatic;
      if (!sliding) slider.value = Math.max(0, choices.findLastIndex((n) => n <= over));
      slider.setAttribute("aria-valuetext", words(over) + (isAutomatic ? ", automatic" : ""));
      put(label, isAutomatic && !over ? "none below 50 epochs" : words(over));
      auto.setAttribute("aria-pressed", String(isAutomatic));
    };
    const life = fsnet.life(model);
    life.hears("change:smoothing", () => show());
    life.ends(() => clearTimeout(sliding));
    show();
    return { root, show, stop: life.end };
  }

  return { words, control };
})();
