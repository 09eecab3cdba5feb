"""The panel's charts by themselves, in an empty page: zoomed, enlarged, read, smoothed, played, and one lane brought out among fifty."""

import json

import pytest
from playwright.sync_api import expect
from test_modules import STATES, formed, mount
from views import eventually, uncaught

EVENTS = [{"step": 50, "text": "lambda 1 → 0.1", "number": 1, "undo": True}, {"step": 52, "text": "rewound from step 90", "number": 2, "undo": False}]
STEPS = [*range(1, 101)]


def own_track(curves=None):
    """A hundred steps, ten of each epoch."""
    curves = curves or {"loss": {"steps": STEPS, "values": [1 / s for s in STEPS]}, "loss_class": {"steps": STEPS, "values": [0.5 / s for s in STEPS]}, "tau": {"steps": STEPS, "values": [10 - s / 20 for s in STEPS]}}
    looks = formed(STEPS, [[7, 5 if s < 60 else 3] for s in STEPS], [[s / 100, s / 200] for s in STEPS], {7: "Zyxin", 5: "CD33", 3: "LYN"}, [94, -1], "1 of 2 settled")
    return {"name": "", "per_epoch": 10, "curves": curves, "events": EVENTS, **looks}


def show(page, root, tracks=None, smooth=0, **more):
    read = lambda name: (root / f"widgets/views/frontend/{name}.css").read_text()  # noqa: E731
    parts = "".join(f".fsnet-{name} {{\n{read(name)}}}\n" for name in ("smoothing", "play", "lanes", "curves", "feature"))
    page.add_style_tag(content=f".fsnet-panel {{\n{read('common')}{read('panel')}{parts}}} body {{ font-family: sans-serif; }}")
    fork = {"name": "film-2", "per_epoch": 10, "curves": {"loss": {"steps": [50, 80], "values": [0.3, 0.2]}}, "events": []}
    saved = json.dumps({"smooth": smooth, "tracks": tracks or [own_track(), fork]})
    state = {**STATES["panel"][0], "head": {"session": "film", "state": "paused", "data": "ALLAML, 72 × 7129"}, "step": 100, "smoothing": -1, "sentence": "selectors 2 and 7 both want L09209", "saved": saved}
    mount(page, root, "panel", {**state, **more}, 960)
    page.locator(".fsnet-lanes figcaption").last.get_by_text("settled").wait_for()


@pytest.fixture
def shown(page, root):
    show(page, root)
    yield page
    assert uncaught(page) == []


def over(page, chart=1):
    """The place of a chart's plot: 0 is the lanes', 1 the loss's."""
    plot = page.locator(".u-over").nth(chart)
    plot.scroll_into_view_if_needed()
    return plot.bounding_box()


def enlarge(page, title):
    """The chart of a title is large, and drawn."""
    page.get_by_role("button", name=title).click()
    page.locator(".fsnet-large canvas").wait_for()
    page.wait_for_function("() => document.querySelector('.fsnet-large canvas').clientHeight > 150")
    return page.locator(".fsnet-large")


# What is written in each chart from now on, while all panels are drawn anew.
WRITTEN = """() => {
  const fill = window.fill ||= CanvasRenderingContext2D.prototype.fillText, canvases = [...document.querySelectorAll('canvas')];
  window.written = [];
  window.before = [...document.querySelectorAll('.fsnet-curves')].map(curves => Number(curves.dataset.drawn));
  CanvasRenderingContext2D.prototype.fillText = function (text, ...more) { window.written.push([canvases.indexOf(this.canvas), text]); return fill.call(this, text, ...more) };
  document.body.classList.toggle('redraw');
}"""


def written(page):
    page.evaluate(WRITTEN)
    page.wait_for_function("() => [...document.querySelectorAll('.fsnet-curves')].every((curves, i) => Number(curves.dataset.drawn) > window.before[i])")
    return page.evaluate("window.written")


# How many pixels of a plot have a colour in full strength: not the greys of its axes, nor faded lines, alone or on one another.
INK = """plot => {
  const canvas = plot.querySelector('canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let ink = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60) ink++;
  return ink;
}"""


def wait_for_ink(page, plot, least, most=1e9):
    page.wait_for_function(f"([plot, least, most]) => {{ const ink = ({INK})(plot); return ink > least && ink < most }}", arg=[plot.element_handle(), least, most])


def test_a_part_of_the_epochs_is_dragged_out_and_all_charts_follow(shown, out):
    """The lanes and the large plot have the same axis. Two clicks reset it and do nothing else; one on a lane shows the gene, one on the
    strip of the axis moves the position."""
    page, box = shown, over(shown, 0)
    enlarge(page, "Loss")
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 30, steps=4)
    page.mouse.up()

    def zoomed():
        texts = written(page)
        for chart in (0, 1):
            epochs = [float(text) for n, text in texts if n == chart and text.replace(".", "").isdigit() and float(text) > 3.5]
            assert epochs and 3.9 <= min(epochs) and max(epochs) <= 7.6, texts
        names = [text for _, text in texts]
        assert "LYN" in names and "CD33" not in names, "the names are not of those that lead at the right end"

    def whole():
        assert [0, "epoch 0"] in written(page)

    eventually(page, zoomed)
    page.locator(".fsnet-curves").screenshot(path=out / "zoomed.png")
    for chart in (0, 1):
        box = over(page, chart)
        page.mouse.dblclick(box["x"] + 20, box["y"] + 22)
        eventually(page, whole)
    page.wait_for_timeout(400)  # longer than a first click waits for a second: nothing comes of it
    expect(page.locator(".fsnet-large"), "two clicks have made the plot small").to_have_count(1)
    assert page.evaluate("window.kept.length") == 0, "a drag or a double click has put the position somewhere"
    assert [m["do"] for m in page.evaluate("window.sent")] == ["curves"], "a double click has asked for a feature"

    box = over(page, 0)
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + 22)
    page.wait_for_function("() => window.sent.some(m => m.do === 'feature' && m.column === 7)")
    assert page.evaluate("window.kept.length") == 0, "a click on a lane has put the position somewhere"
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + box["height"] + 12)
    page.wait_for_function("() => window.state.past >= 28 && window.state.past <= 32")


def test_two_panels_share_axis_and_pointer(shown, root):
    page = shown
    show(page, root)
    page.evaluate("window.hear('msg:custom', {kind: 'all', number: 1, smooth: 0, tracks: [{name: '', per_epoch: 10, curves: {loss: {keep: 0, steps: [10, 200], values: [2, 1]}}, events: []}]})")

    def long_axis():
        assert {"15", "20"} & {text for n, text in written(page) if n == 0}

    eventually(page, long_axis)
    box = over(page)
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 30)
    page.mouse.move(box["x"] + box["width"] * 0.35, box["y"] + 30, steps=3)

    def lines_follow():
        lines = page.locator(".u-cursor-x").evaluate_all("all => all.map(e => e.classList.contains('u-off') ? -1 : new DOMMatrix(getComputedStyle(e).transform).m41)")
        assert abs(lines[1] / box["width"] - 0.35) < 0.05 and sum(x > 0 for x in lines) > 5, lines

    eventually(page, lines_follow)


def test_a_legend_switches_its_lines(shown):
    """Of a large plot: a click on a small one makes it large, and on the large one small again."""
    box = over(shown)
    shown.mouse.click(box["x"] + 30, box["y"] + 30)
    large = shown.locator(".fsnet-large")
    large.wait_for()
    shown.wait_for_function("() => document.querySelector('.fsnet-large canvas').clientHeight > 150")
    key, plot = large.get_by_role("button", name="total"), large.locator(".fsnet-plot")
    all_lines = plot.evaluate(INK)
    key.click()
    wait_for_ink(shown, plot, 0, 0.8 * all_lines)
    expect(key).to_have_attribute("aria-pressed", "false")
    key.press("Enter")
    wait_for_ink(shown, plot, 0.9 * all_lines)
    eye = shown.locator('[data-track="film-2"]')
    eye.click()
    shown.locator('[data-track="film-2"][aria-pressed="false"]').wait_for()
    large.get_by_role("button", name="Loss").press("Enter")
    large.wait_for(state="detached")


# The steps that are drawn from now on.
STEPS_DRAWN = """() => {
  const curves = document.querySelector('.fsnet-curves');
  window.steps = [];
  new MutationObserver(() => window.steps.push(Number(curves.dataset.step))).observe(curves, {attributeFilter: ['data-step']});
}"""


def reached(page, step):
    page.wait_for_function("step => document.querySelector('.fsnet-curves').dataset.step === String(step)", arg=step)


def test_the_past_is_held_and_played(shown, out):
    """The handle, the strip of the axis, the chips and ▶ put the session's position; nothing is rewound."""
    page = shown
    position = lambda: page.evaluate("window.state.past")  # noqa: E731
    handle = page.get_by_role("slider", name="past step")
    handle.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    reached(page, 70)
    page.wait_for_function("() => window.state.past === 70")
    page.locator(".fsnet-lanes figcaption").get_by_text("as it was at step 70").wait_for()
    expect(page.locator(".fsnet-sentence"), "what selectors want now is said of the past").to_have_text("", use_inner_text=True)
    page.locator(".fsnet-panel").screenshot(path=out / "past.png")
    box, bar = over(page, 0), handle.bounding_box()
    assert abs(bar["x"] + 8 - box["x"]) < 2 and abs(bar["width"] - 16 - box["width"]) < 2, "the handle is not below the lanes"
    page.mouse.click(box["x"] + box["width"] * 0.3, bar["y"] + bar["height"] / 2)
    page.wait_for_function("() => window.state.past >= 28 && window.state.past <= 32")
    page.evaluate("window.hear('change:past')")
    reached(page, position())
    expect(handle).to_have_value(str(position()))
    lanes = page.locator(".fsnet-courses")
    lanes.focus()
    before = position()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("before => window.state.past === before + 1", arg=before)
    assert page.locator(".fsnet-change").first.inner_text().split() == ["1", "lambda", "1", "→", "0.1", "at", "step", "50", "⟲"]
    page.locator(".fsnet-change button").first.click()
    page.wait_for_function("() => window.state.past === 50")
    page.get_by_role("button", name="Now", exact=True).click()
    page.wait_for_function("() => window.state.past === -1")
    page.evaluate("window.hear('change:past')")
    reached(page, 100)
    page.get_by_text("selectors 2 and 7 both want L09209").wait_for()
    assert page.get_by_role("button", name="Now", exact=True).is_disabled()

    page.get_by_label("length of the playing").select_option("5")
    page.evaluate(STEPS_DRAWN)
    page.get_by_role("button", name="▶ Play").click()
    page.get_by_role("button", name="■ Stop").wait_for(state="detached")
    reached(page, 100)
    seen = page.evaluate("window.steps")
    moments = seen[seen.index(min(seen)) :]  # the present may have been drawn before the first moment
    assert len(set(moments)) >= 4 and min(moments) < 30 and moments == sorted(moments), seen

    assert [m["do"] for m in page.evaluate("window.sent")] == ["curves"]
    undo = page.locator(".fsnet-undo")
    expect(undo, "a rewind cannot be undone").to_have_count(1)
    undo.click()
    assert page.evaluate("window.sent")[-1] == {"do": "without", "event": 1}


def test_a_pinned_panel_stays(shown):
    """It stands at the edge of the page while that is scrolled, goes back to its place, and leaves nothing behind when its cell is cleared."""
    shown.evaluate("() => { document.body.append(Object.assign(document.createElement('div'), {style: 'height: 4000px'})); document.body.style.position = 'relative' }")
    aside = shown.locator(".fsnet-pinned")
    shown.get_by_role("button", name="Pin", exact=True).click()
    aside.locator(".fsnet-panel").wait_for()
    shown.get_by_role("button", name="Unpin").click()
    expect(aside).to_have_count(0)
    expect(shown.locator(".fsnet-panel")).to_have_count(1)
    shown.get_by_role("button", name="Pin", exact=True).click()
    shown.evaluate("window.leave()")
    expect(aside).to_have_count(0)


def test_smoothing_by_keyboard(page, root):
    """The slider says what it does, the arrow keys ask the kernel for other averages, and what is drawn and read is what it answers."""

    def track(epochs):
        loss = {"steps": STEPS, "values": [1 + s % 2 for s in STEPS], **({"smooth": [1.5] * 100} if epochs else {})}
        return own_track({"loss": loss, "accuracy_train": loss, "accuracy_validation": {"steps": [100], "values": [0.75]}})

    def answer(chosen, epochs):
        page.wait_for_function("chosen => window.kept[window.kept.length - 1] === chosen", arg=chosen)
        page.evaluate("([epochs, track]) => { hear('change:smoothing'); hear('msg:custom', {kind: 'all', number: 1, smooth: epochs, tracks: [track]}) }", [epochs, track(epochs)])

    show(page, root, [track(5)], 5)
    expect(page.get_by_role("slider", name="Smoothing"), "it stands where no averages are large").to_be_hidden()
    enlarge(page, "Loss")
    slider, caption, plots = page.get_by_role("slider", name="Smoothing"), page.locator(".fsnet-large figcaption"), page.locator(".fsnet-multiple .fsnet-plot")
    caption.get_by_text("averaged over 5 epochs").wait_for()
    expect(slider).to_have_attribute("aria-valuetext", "5 epochs, automatic")
    for plot, text in ((0, "epoch 10: total 1.5"), (1, "epoch 10: training 1.5, validation 0.75")):
        plots.nth(plot).focus()
        page.keyboard.press("End")
        expect(page.locator(".fsnet-multiple .fsnet-reading").nth(plot)).to_have_text(text, use_inner_text=True)
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    answer(50, 50)
    caption.get_by_text("averaged over 50 epochs").wait_for()
    expect(slider).to_have_attribute("aria-valuetext", "50 epochs")
    page.keyboard.press("Home")
    answer(0, 0)
    caption.get_by_text("averaged over").wait_for(state="detached")
    expect(slider).to_have_attribute("aria-valuetext", "off")
    page.get_by_role("button", name="Automatic").click()
    answer(-1, 5)
    caption.get_by_text("averaged over 5 epochs").wait_for()
    assert uncaught(page) == []


def fifty():
    """Fifty selectors on their way, each with a leader except for two that share one."""
    steps = [20 * i for i in range(1, 61)]
    leaders = [[100 + (31 if k == 7 and i >= 40 else k) if i > 10 + k % 9 else 1 + (7 * i + k) % 90 for k in range(50)] for i in range(60)]
    values = [[min(1, 0.02 + max(0, i - 10 - k / 3) / 30) for k in range(50)] for i in range(60)]
    return formed(steps, leaders, values, {j: f"GENE{j}" for row in leaders for j in row}, summary="0 of 50 settled · 49 different leaders")


def test_one_lane_among_fifty(page, root, out):
    """Lanes stay so high that each can be pointed at and is then named; of the others the ten are named whose leader changed last."""
    show(page, root, [{"name": "", "per_epoch": 5, "curves": {"loss": {"steps": [1200], "values": [1]}}, "events": [], **fifty()}])
    plot, caption = page.locator(".fsnet-courses"), page.locator(".fsnet-lanes figcaption")
    caption.get_by_text("49 different leaders").wait_for()
    names = {text for n, text in written(page) if n == 0 and text.startswith("GENE")}
    assert len(names) == 10 and "GENE131" in names, names  # of selector 7, which changed it last
    box = over(page, 0)
    assert 8 * 50 <= box["height"] < 8 * 50 + 30
    all_alike = plot.evaluate(INK)
    for lane in (0, 20, 49):
        page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 8 * lane + 4)
        caption.get_by_text(f"selector {lane}: GENE{100 + lane} ").wait_for()
        assert f"GENE{100 + lane}" in {text for n, text in written(page) if n == 0}, "it is not named beside its lane"
    wait_for_ink(page, plot, 0, all_alike / 2)
    page.locator(".fsnet-lanes").screenshot(path=out / "lanes-50.png")
    page.mouse.move(2, 2)
    wait_for_ink(page, plot, all_alike * 0.8)

    # The keyboard does the same.
    plot.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    caption.get_by_text("selector 1: GENE101 ").wait_for()
    page.keyboard.press("Enter")
    assert page.evaluate("window.sent")[-1] == {"do": "feature", "column": 101}
    page.keyboard.press("Escape")
    caption.get_by_text("49 different leaders").wait_for()
    assert uncaught(page) == []


def test_the_panel_fits_its_first_screen(page, root, out):
    """Ten selectors: the lanes, the handle and the six curves are seen at once, beside cells and in the pane of a pinned view."""
    looks = formed(STEPS, [[*range(10, 20)]] * 100, [[s / 100] * 10 for s in STEPS], {j: f"GENE{j}" for j in range(10, 20)}, summary="0 of 10 settled")
    for width, columns in ((1100, 6), (600, 3), (380, 2)):
        show(page, root, [{**own_track(), **looks}])
        panel = page.locator(".fsnet-panel").last
        page.locator("body > div").last.evaluate("(e, width) => { e.style.width = `${width}px` }", width)
        row = panel.locator(f'.fsnet-multiples[data-columns="{columns}"]')
        row.wait_for()
        eventually(page, lambda row=row, width=width: assert_within(row, width))
        top, lanes, multiples = panel.bounding_box(), panel.locator(".fsnet-lanes").bounding_box(), row.bounding_box()
        assert lanes["y"] - top["y"] < (150 if width > 500 else 260), "the lanes are not first"
        handle, rewind = panel.get_by_role("slider", name="past step").bounding_box(), panel.get_by_role("button", name="Rewind here").bounding_box()
        assert 0 <= handle["y"] - lanes["y"] - lanes["height"] < 20 and 0 < rewind["y"] - handle["y"] < (40 if width > 500 else 120)
        if width > 500:
            assert multiples["y"] + multiples["height"] - top["y"] < 780, f"at {width} pixels it is too high"
        panel.screenshot(path=out / f"first-screen-{width}.png")


def assert_within(row, width):
    box = row.bounding_box()
    assert box["width"] <= width and all(c.bounding_box()["width"] <= width for c in row.locator("canvas").all())


def test_a_change_is_written_whole_or_as_its_number(page, root):
    """Where the next change leaves too little room its number stands, whose sentence is below; no text is cut off."""
    events = [{"step": 10, "text": "lambda 1 → 0.1", "number": 1, "undo": True}, {"step": 12, "text": "epochs 100 → 200", "number": 2, "undo": True}, {"step": 60, "text": "forked at step 60 from film", "number": 3, "undo": False}]
    show(page, root, [{**own_track(), "events": events}])
    words = page.locator(".fsnet-courses .fsnet-event span")
    expect(words).to_have_text(["1", "epochs 100 → 200", "forked at step 60 from film"], use_inner_text=True)
    assert [c.inner_text().replace("\n", " ") for c in page.locator(".fsnet-change").all()] == [
        "1 lambda 1 → 0.1 at step 10 ⟲", "2 epochs 100 → 200 at step 12 ⟲", "3 forked at step 60 from film"]  # fmt: skip


def exchanged(pair=False):
    """Ten settled selectors, of which the contest has exchanged the third, or a pair."""
    looks = formed(STEPS, [[*range(10, 20)]] * 99 + [[10, 11, 32, *range(13, 19), 39 if pair else 19]], [[s / 100] * 10 for s in STEPS], {j: f"GENE{j}" for j in (*range(10, 20), 32, 39)}, settled=[90] * 10, summary="10 of 10 settled")
    replaced = {"2": {"column": 12, "pair": pair}, **({"9": {"column": 19, "pair": True}} if pair else {})}
    looks["formed"]["contest"] = {"step": 100, "sentence": "After the annealing one of ten was exchanged: GENE12 for GENE32 (explains 31 % of what the others leave)", "replaced": replaced}
    return {**own_track(), **looks}


def test_the_last_act_is_on_stage(page, root, out):
    """Right of the lanes each has its final gene, with the replaced one; the handle has one more stop, and the sentence says why."""
    head = {"session": "film", "state": "settled", "data": "ALLAML", "final": {"train": 0.816, "validation": None}}
    tracks = [exchanged()]
    tracks[0]["curves"]["accuracy_train"] = {"steps": STEPS, "values": [0.69] * 100}
    show(page, root, tracks, head=head, sentence="")
    names = [text for n, text in written(page) if n == 0]
    assert {"contest", "GENE32", "GENE12", "GENE10"} <= set(names) and names.count("GENE12") == 1, names
    page.locator(".fsnet-sentence").get_by_text("After the annealing one of ten was exchanged: GENE12 for GENE32").wait_for()
    box, handle = over(page, 0), page.get_by_role("slider", name="past step")
    expect(handle).to_have_attribute("aria-valuetext", "result, step 100")
    expect(handle).to_have_value(handle.get_attribute("max"))
    assert handle.bounding_box()["width"] > box["width"] + 60, "the handle does not reach the contest"
    page.get_by_text("● final networks 0.816").wait_for()
    lanes = page.locator(".fsnet-courses")
    colour = "x => { const c = document.querySelector('.fsnet-courses canvas'), o = document.querySelector('.fsnet-courses .u-over'), r = devicePixelRatio; return [...c.getContext('2d').getImageData((o.offsetLeft + o.clientWidth + x) * r, (o.offsetTop + 18 + 2 * 14 + 3) * r, 1, 1).data].join() }"
    assert page.evaluate(colour, -4) != page.evaluate(colour, 30), "the exchanged lane keeps its colour"
    page.locator(".fsnet-panel").screenshot(path=out / "contest.png")

    handle.focus()
    page.keyboard.press("ArrowLeft")  # before it nothing is told of it
    page.locator(".fsnet-lanes figcaption").get_by_text("as it was at step 99").wait_for()
    expect(page.locator(".fsnet-sentence")).to_have_text("", use_inner_text=True)
    assert "contest" not in {text for n, text in written(page) if n == 0}
    lanes.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => window.state.past === -1")
    assert uncaught(page) == []


def test_a_pair_is_joined(page, root, out):
    show(page, root, [exchanged(pair=True)], sentence="")
    names = [text for n, text in written(page) if n == 0]
    assert {"GENE32", "GENE39", "GENE12", "GENE19"} <= set(names), names
    ink = "x => { const c = document.querySelector('.fsnet-courses canvas'), o = document.querySelector('.fsnet-courses .u-over'), r = devicePixelRatio; return c.getContext('2d').getImageData((o.offsetLeft + o.clientWidth + x) * r, (o.offsetTop + 18 + 5 * 14 + 13) * r, 4, 1).data.some((v, i) => i % 4 === 3 && v > 100) }"
    assert page.evaluate(ink, 64), "no bracket joins the lanes of the pair"
    page.locator(".fsnet-panel").screenshot(path=out / "contest-pair.png")
