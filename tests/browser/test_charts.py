"""The panel's charts by themselves, in an empty page: zoomed, read, smoothed, played, and one leader brought out among fifty."""

import json

import pytest
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
    parts = "".join(f".fsnet-{name} {{\n{read(name)}}}\n" for name in ("smoothing", "curves", "convergence", "feature"))
    page.add_style_tag(content=f".fsnet-panel {{\n{read('common')}{read('panel')}{parts}}} body {{ font-family: sans-serif; }}")
    fork = {"name": "film-2", "per_epoch": 10, "curves": {"loss": {"steps": [50, 80], "values": [0.3, 0.2]}}, "events": []}
    saved = json.dumps({"smooth": smooth, "tracks": tracks or [own_track(), fork]})
    state = {**STATES["panel"][0], "head": {"session": "film", "state": "paused", "data": "ALLAML, 72 × 7129"}, "step": 100, "smoothing": -1, "sentence": "selectors 2 and 7 both want L09209", "saved": saved}
    mount(page, root, "panel", {**state, **more}, 960)
    page.locator(".fsnet-convergence figcaption").last.get_by_text("settled").wait_for()


@pytest.fixture
def shown(page, root):
    show(page, root)
    yield page
    assert uncaught(page) == []


def over(page):
    chart = page.locator(".u-over").first
    chart.scroll_into_view_if_needed()
    return chart.bounding_box()


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
    page, box = shown, over(shown)
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=4)
    page.mouse.up()
    texts = written(page)
    for chart in (0, 1):
        epochs = [float(text) for n, text in texts if n == chart and text.replace(".", "").isdigit() and float(text) > 3.5]
        assert epochs and 3.9 <= min(epochs) and max(epochs) <= 7.6, texts
    names = [text for _, text in texts]
    assert "LYN" in names and "CD33" not in names, "the names are not of those that lead at the right end"
    assert page.evaluate("window.kept.length") == 0, "a drag has put the position somewhere"
    page.locator(".fsnet-curves").screenshot(path=out / "zoomed.png")
    page.mouse.dblclick(box["x"] + 20, box["y"] + 20)
    assert [0, "epoch 0"] in written(page)


def test_two_panels_share_axis_and_pointer(shown, root):
    page = shown
    show(page, root)
    page.evaluate("window.hear('msg:custom', {kind: 'all', number: 1, smooth: 0, tracks: [{name: '', per_epoch: 10, curves: {loss: {keep: 0, steps: [10, 200], values: [2, 1]}}, events: []}]})")

    def long_axis():
        assert {"15", "20"} & {text for n, text in written(page) if n == 0}

    eventually(page, long_axis)
    box = over(page)
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 30)
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 30, steps=3)

    def lines_follow():
        lines = page.locator(".u-cursor-x").evaluate_all("all => all.map(e => e.classList.contains('u-off') ? -1 : new DOMMatrix(getComputedStyle(e).transform).m41)")
        assert abs(lines[0] / box["width"] - 0.25) < 0.05 and sum(x > 0 for x in lines) > 5, lines

    eventually(page, lines_follow)


def test_a_legend_switches_its_lines(shown):
    key, plot = shown.locator(".fsnet-curves figcaption").first.get_by_role("button", name="total"), shown.locator(".fsnet-plot").first
    all_lines = plot.evaluate(INK)
    key.click()
    wait_for_ink(shown, plot, 0, 0.8 * all_lines)
    assert key.get_attribute("aria-pressed") == "false"
    key.press("Enter")
    wait_for_ink(shown, plot, 0.9 * all_lines)
    eye = shown.locator('[data-track="film-2"]')
    eye.click()
    shown.locator('[data-track="film-2"][aria-pressed="false"]').wait_for()


# The steps that are drawn from now on.
STEPS_DRAWN = """() => {
  const curves = document.querySelector('.fsnet-curves');
  window.steps = [];
  new MutationObserver(() => window.steps.push(Number(curves.dataset.step))).observe(curves, {attributeFilter: ['data-step']});
}"""


def reached(page, step):
    page.wait_for_function("step => document.querySelector('.fsnet-curves').dataset.step === String(step)", arg=step)


def test_the_past_is_held_and_played(shown, out):
    """The handle, a click into a curve, the chips and ▶ put the session's position; nothing is rewound."""
    page = shown
    position = lambda: page.evaluate("window.state.past")  # noqa: E731
    handle = page.get_by_role("slider", name="past step")
    handle.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    reached(page, 70)
    page.wait_for_function("() => window.state.past === 70")
    page.locator(".fsnet-convergence figcaption").get_by_text("as it was at step 70").wait_for()
    assert page.locator(".fsnet-sentence").inner_text() == "", "what selectors want now is said of the past"
    page.locator(".fsnet-panel").screenshot(path=out / "past.png")
    box = over(page)
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + 50)
    page.wait_for_function("() => window.state.past >= 28 && window.state.past <= 32")
    page.evaluate("window.hear('change:past')")
    reached(page, position())
    assert handle.input_value() == str(position())
    page.locator(".fsnet-change button").first.click()
    page.wait_for_function("() => window.state.past === 50")
    page.get_by_role("button", name="Now", exact=True).click()
    page.wait_for_function("() => window.state.past === -1")
    page.evaluate("window.hear('change:past')")
    reached(page, 100)
    page.get_by_text("selectors 2 and 7 both want L09209").wait_for()
    assert page.get_by_role("button", name="Now", exact=True).count() == 0

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
    assert undo.count() == 1, "a rewind cannot be undone"
    undo.click()
    assert page.evaluate("window.sent")[-1] == {"do": "without", "event": 1}


def test_a_pinned_panel_stays(shown):
    """It stands at the edge of the page while that is scrolled, goes back to its place, and leaves nothing behind when its cell is cleared."""
    shown.evaluate("() => { document.body.append(Object.assign(document.createElement('div'), {style: 'height: 4000px'})); document.body.style.position = 'relative' }")
    aside = shown.locator(".fsnet-pinned")
    shown.get_by_role("button", name="Pin", exact=True).click()
    aside.locator(".fsnet-panel").wait_for()
    shown.get_by_role("button", name="Unpin").click()
    assert aside.count() == 0 and shown.locator(".fsnet-panel").count() == 1
    shown.get_by_role("button", name="Pin", exact=True).click()
    shown.evaluate("window.leave()")
    assert aside.count() == 0


def test_smoothing_by_keyboard(page, root):
    """The slider says what it does, the arrow keys ask the kernel for other averages, and what is drawn and read is what it answers."""

    def track(epochs):
        loss = {"steps": STEPS, "values": [1 + s % 2 for s in STEPS], **({"smooth": [1.5] * 100} if epochs else {})}
        return own_track({"loss": loss, "accuracy_train": loss, "accuracy_validation": {"steps": [100], "values": [0.75]}})

    def answer(chosen, epochs):
        page.wait_for_function("chosen => window.kept[window.kept.length - 1] === chosen", arg=chosen)
        page.evaluate("([epochs, track]) => { hear('change:smoothing'); hear('msg:custom', {kind: 'all', number: 1, smooth: epochs, tracks: [track]}) }", [epochs, track(epochs)])

    show(page, root, [track(5)], 5)
    slider, caption, plots = page.get_by_role("slider", name="Smoothing"), page.locator(".fsnet-curves figcaption").first, page.locator(".fsnet-plot")
    caption.get_by_text("smoothed over 5 epochs (mean of the epoch)").wait_for()
    assert slider.get_attribute("aria-valuetext") == "5 epochs, automatic"
    for plot, text in ((0, "epoch 10: total 1, smoothed 1.5"), (1, "epoch 10: training batches 1, smoothed 1.5, validation rows 0.75")):
        plots.nth(plot).focus()
        page.keyboard.press("End")
        assert page.locator(".fsnet-curves .fsnet-reading").nth(plot).inner_text() == text
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    answer(50, 50)
    caption.get_by_text("smoothed over 50 epochs").wait_for()
    assert slider.get_attribute("aria-valuetext") == "50 epochs"
    page.keyboard.press("Home")
    answer(0, 0)
    caption.get_by_text("smoothed over").wait_for(state="detached")
    assert slider.get_attribute("aria-valuetext") == "off"
    page.get_by_role("button", name="Automatic").click()
    answer(-1, 5)
    caption.get_by_text("smoothed over 5 epochs").wait_for()
    assert uncaught(page) == []


def fifty():
    """Fifty selectors on their way, each with a leader except for two that share one."""
    steps = [20 * i for i in range(1, 61)]
    leaders = [[100 + (31 if k == 7 and i >= 40 else k) if i > 10 + k % 9 else 1 + (7 * i + k) % 90 for k in range(50)] for i in range(60)]
    values = [[min(1, 0.02 + max(0, i - 10 - k / 3) / 30) for k in range(50)] for i in range(60)]
    return formed(steps, leaders, values, {j: f"GENE{j}" for row in leaders for j in row}, summary="0 of 50 settled · 49 different leaders")


def test_one_leader_among_fifty(page, root, out):
    """An entry of the legend that has the focus, or is pointed at, leaves its lines alone in full strength; so does reading a selector."""
    show(page, root, [{"name": "", "per_epoch": 5, "curves": {"loss": {"steps": [1200], "values": [1]}}, "events": [], **fifty()}])
    legend, plot, caption = page.get_by_role("toolbar", name="Leaders"), page.locator(".fsnet-courses"), page.locator(".fsnet-convergence figcaption")
    legend.get_by_text("49 leaders").wait_for()
    entries = legend.get_by_role("button")
    assert entries.count() == 49 and entries.nth(7).get_attribute("aria-label") == "GENE131, leads selectors 7, 31"
    assert [e for e in range(49) if entries.nth(e).get_attribute("tabindex") == "0"] == [0], "Tab stops at each of them"
    all_alike = plot.evaluate(INK)

    plot.focus()
    page.keyboard.press("Tab")
    caption.get_by_text("GENE100 leads selector 0 (1)").wait_for()
    page.keyboard.press("End")
    caption.get_by_text("GENE149 leads selector 49").wait_for()
    page.keyboard.press("Home")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    caption.get_by_text("GENE131 leads selectors 7 (").wait_for()
    wait_for_ink(page, plot, 0, all_alike / 4)
    assert legend.locator(".fsnet-lit").all_inner_texts() == ["GENE131 (selectors 7, 31)"]
    page.locator(".fsnet-convergence").screenshot(path=out / "leaders-light.png")
    page.keyboard.press("Enter")
    assert page.evaluate("window.sent")[-1] == {"do": "feature", "column": 131}

    # A leader that comes takes nobody's focus.
    more = formed([1220], [[500 if k == 3 else 131 if k == 7 else 100 + k for k in range(50)]], [[0.99] * 50], {500: "NEW"}, summary="0 of 50 settled · 49 different leaders")
    more["looks"]["keep"] = 60
    hear = "([kind, number, track]) => hear('msg:custom', {kind, number, smooth: 0, tracks: [{name: '', per_epoch: 5, curves: {loss: {keep: 0, steps: [1220], values: [1]}}, ...track}]})"
    page.evaluate(hear, ["all", 1, fifty()])
    page.evaluate(hear, ["add", 2, more])
    legend.get_by_text("NEW").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "GENE131, leads selectors 7, 31"
    caption.get_by_text("GENE131 leads selectors 7 (0.99)").wait_for()
    page.keyboard.press("Escape")
    caption.get_by_text("49 different leaders").wait_for()
    wait_for_ink(page, plot, all_alike * 0.8)
    assert legend.locator(".fsnet-lit, .fsnet-unlit").count() == 0

    # The pointer does the same, and what is read in the plot is marked in the legend.
    legend.get_by_text("GENE120", exact=True).hover()
    caption.get_by_text("GENE120 leads selector 20").wait_for()
    page.mouse.move(2, 2)
    caption.get_by_text("49 different leaders").wait_for()
    plot.focus()
    page.keyboard.press("End")
    wait_for_ink(page, plot, 0, all_alike / 4)
    assert caption.inner_text().split(": ")[1].startswith(legend.locator(".fsnet-lit").inner_text().split(" ")[0])
    page.keyboard.press("Escape")
    caption.get_by_text("49 different leaders").wait_for()
    assert uncaught(page) == []
