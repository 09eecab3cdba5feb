// A button that plays the past from its beginning to its end, and stops when it is pressed again.
const fsnetPlay = (() => {
  const choices = [5, 15, 60]; // seconds
  const pause = 40; // milliseconds between two moments, at least

  // control makes it. show(share) shows the past up to a share, 0 to 1, and may return a promise; 1
  // shows the present. hasPast returns whether there is a past.
  function control(show, hasPast) {
    const { element, put, ours } = fsnet;
    let playing = 0; // number of the run that is playing, so that an earlier run can tell that it is over; 0 if none is
    let runs = 0, timer = 0;
    const button = element("button", { type: "button", class: "fsnet-play-button",
      title: "Show how it came about, from the first step to the last", onclick: () => (playing ? stop() : play()) });
    const length = element("select", { "aria-label": "length of the playing", title: "How long it plays" },
      ...choices.map((s) => element("option", { value: s }, `${s} s`)));
    length.value = 15;
    ours(length);
    const root = element("span", { class: "fsnet-play" }, button, length);
    const label = () => {
      put(button, playing ? "■ Stop" : "▶ Play");
      button.setAttribute("aria-pressed", String(Boolean(playing)));
    };
    // play shows the past from its beginning in the chosen time, each moment after the one before
    // is shown, then the present.
    const play = async () => {
      if (!hasPast()) return;
      playing = ++runs;
      label();
      const run = playing, start = performance.now();
      const share = () => Math.min(1, (performance.now() - start) / 1000 / Number(length.value));
      for (let at = 0; at < 1 && playing === run; at = share()) {
        await show(at);
        await new Promise((done) => { timer = setTimeout(done, pause); });
      }
      if (playing === run) stop();
    };
    const stop = () => {
      playing = 0;
      label();
      show(1);
    };
    label();
    return { root, stop: () => {
      playing = 0;
      clearTimeout(timer);
    } };
  }

  return { control };
})();
