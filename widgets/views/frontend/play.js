// A button that plays a past from its beginning to its end, in the time chosen, and stops where it is pressed again.
const fsnetPlay = (() => {
  const choices = [5, 15, 60]; // seconds
  const pause = 40; // milliseconds between two moments, at the least

  // The control. show(share) shows the past up to a share of it, from 0 to 1; a promise is waited for. 1 is how it is without playing.
  // any says whether there is a past.
  function control(show, any) {
    const { element, put, ours } = fsnet;
    let playing = 0; // the number of the run that plays, by which an earlier one sees that it is over; 0 while nothing plays
    let begun = 0, timer = 0;
    const button = element("button", { type: "button", class: "fsnet-play-button", title: "Show how it came about, from the first step to the last", onclick: () => (playing ? stop() : play()) });
    const time = element("select", { "aria-label": "length of the playing", title: "How long it plays" }, ...choices.map((s) => element("option", { value: s }, `${s} s`)));
    time.value = 15;
    ours(time);
    const root = element("span", { class: "fsnet-play" }, button, time);
    const label = () => {
      put(button, playing ? "■ Stop" : "▶ Play");
      button.setAttribute("aria-pressed", String(Boolean(playing)));
    };
    const play = async () => {
      if (!any()) return;
      playing = ++begun;
      label();
      const mine = playing, start = performance.now();
      for (let share = 0; share < 1 && playing === mine; share = Math.min(1, (performance.now() - start) / 1000 / Number(time.value))) {
        await show(share);
        await new Promise((done) => { timer = setTimeout(done, pause); });
      }
      if (playing === mine) stop();
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
