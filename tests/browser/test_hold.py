"""What one holds of a training: its position, the epochs that are shown, its changes, and the panel itself. In an empty page."""

import json

from test_emphasis import sheet
from test_modules import STATES, formed, mount
from views import uncaught

EVENTS = [{"step": 50, "text": "lambda 1 → 0.1", "number": 1, "undo": True}, {"step": 52, "text": "rewound from step 90", "number": 2, "undo": False}]


def show(page, root, width=960, **more):
    """The panel with a hundred steps, ten of each epoch."""
    steps = [*range(1, 101)]
    curves = {"loss": {"steps": steps, "values": [1 / s for s in steps]}, "loss_class": {"steps": steps, "values": [0.5 / s for s in steps]}, "tau": {"steps": steps, "values": [10 - s / 20 for s in steps]}}
    track = {"name": "", "per_epoch": 10, "curves": curves, "events": EVENTS}
    track |= formed(steps, [[7, 5 if s < 60 else 3] for s in steps], [[s / 100, s / 200] for s in steps], {7: "Zyxin", 5: "CD33", 3: "LYN"}, [94, -1], "1 of 2 settled")
    other = {"name": "film-2", "per_epoch": 10, "curves": {"loss": {"steps": [50, 80], "values": [0.3, 0.2]}}, "events": []}
    state = {**STATES["panel"][0], "head": {"session": "film", "state": "paused", "data": "ALLAML, 72 × 7129"}, "step": 100, "sentence": "selectors 2 and 7 both want L09209", "saved": json.dumps({"smooth": 0, "tracks": [track, other]}), **more}
    page.add_style_tag(content=sheet(root) + " body { font-family: sans-serif; }")
    mount(page, root, "panel", state, width)
    page.locator(".fsnet-convergence figcaption").last.get_by_text("settled").wait_for()


def over(page, n=0):
    chart = page.locator(".u-over").nth(n)
    chart.scroll_into_view_if_needed()
    return chart.bounding_box()


def ticks(page):
    """What is written below the first chart and the lanes."""
    page.evaluate(
        """() => {
          const fill = window.fill ||= CanvasRenderingContext2D.prototype.fillText;
          window.written = [];
          CanvasRenderingContext2D.prototype.fillText = function (text, ...more) { window.written.push([[...document.querySelectorAll('canvas')].indexOf(this.canvas), text]); return fill.call(this, text, ...more); };
          document.body.classList.toggle('redraw');
        }"""
    )
    page.wait_for_function("() => new Set(window.written.map(([n]) => n)).size >= 4")
    page.wait_for_timeout(300)
    return page.evaluate("window.written")


def test_a_part_of_the_epochs_is_dragged_out_and_all_charts_follow(page, root, out):
    show(page, root)
    box = over(page)
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=4)
    page.mouse.up()
    page.wait_for_timeout(400)
    written = ticks(page)
    for chart in (0, 1):
        epochs = [float(text) for n, text in written if n == chart and text.replace(".", "").isdigit() and float(text) > 3.5]
        assert epochs and 3.9 <= min(epochs) and max(epochs) <= 7.6, written
    names = [text for _, text in written]
    assert "LYN" in names and "CD33" not in names, "the names are not of those that lead at the right end"
    assert page.evaluate("window.kept.length") == 0, "a drag has put the position somewhere"
    page.locator(".fsnet-curves").screenshot(path=out / "zoomed.png")
    page.mouse.dblclick(box["x"] + 20, box["y"] + 20)
    page.wait_for_timeout(400)
    assert any(n == 0 and text == "epoch 0" for n, text in ticks(page))
    assert uncaught(page) == []


def test_a_legend_switches_its_lines(page, root):
    show(page, root)
    key = page.locator(".fsnet-curves figcaption").first.get_by_role("button", name="total")
    ink = "([plot, r, g, b]) => { const c = plot.querySelector('canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200 && Math.abs(d[i] - r) + Math.abs(d[i + 1] - g) + Math.abs(d[i + 2] - b) < 40) n++; return n }"
    plot = page.locator(".fsnet-plot").first.element_handle()
    assert page.evaluate(ink, [plot, 0, 114, 178]) > 100
    key.click()
    page.wait_for_function(f"args => ({ink})(args) < 20", arg=[plot, 0, 114, 178])
    assert key.get_attribute("aria-pressed") == "false"
    key.press("Enter")
    page.wait_for_function(f"args => ({ink})(args) > 100", arg=[plot, 0, 114, 178])
    eye = page.locator('[data-track="film-2"]')
    eye.click()
    page.wait_for_timeout(300)
    assert eye.get_attribute("aria-pressed") == "false"
    assert uncaught(page) == []


def test_the_past_is_held(page, root, out):
    """The handle, a click into a curve, the step box and the chips put the session's position; nothing is rewound."""
    show(page, root)
    position = lambda: page.evaluate("window.state.past")  # noqa: E731
    shown = lambda step: page.wait_for_function("step => document.querySelector('.fsnet-curves').dataset.step === String(step)", arg=step)  # noqa: E731
    handle = page.get_by_role("slider", name="past step")
    handle.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    shown(70)
    page.wait_for_function("() => window.state.past === 70")
    page.locator(".fsnet-convergence figcaption").get_by_text("as it was at step 70").wait_for()
    assert page.locator(".fsnet-sentence").inner_text() == "", "what selectors want now is said of the past"
    page.locator(".fsnet-panel").screenshot(path=out / "past.png")
    box = over(page)
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + 50)
    page.wait_for_function("() => window.state.past >= 28 && window.state.past <= 32")
    page.evaluate("window.hear('change:past')")
    shown(position())
    assert handle.input_value() == str(position())
    page.locator(".fsnet-change button").first.click()
    page.wait_for_function("() => window.state.past === 50")
    page.get_by_role("button", name="Now", exact=True).click()
    page.wait_for_function("() => window.state.past === -1")
    page.evaluate("window.hear('change:past')")
    shown(100)
    page.get_by_text("selectors 2 and 7 both want L09209").wait_for()
    assert page.get_by_role("button", name="Now", exact=True).count() == 0
    assert [m["do"] for m in page.evaluate("window.sent")] == ["curves"]
    undo = page.locator(".fsnet-undo")
    assert undo.count() == 1, "a rewind cannot be undone"
    undo.click()
    assert page.evaluate("window.sent")[-1] == {"do": "without", "event": 1}
    assert uncaught(page) == []


def test_two_panels_share_axis_and_pointer(page, root):
    show(page, root)
    show(page, root)
    page.evaluate("window.hear('msg:custom', {kind: 'all', number: 1, smooth: 0, tracks: [{name: '', per_epoch: 10, curves: {loss: {keep: 0, steps: [10, 200], values: [2, 1]}}, events: []}]})")
    page.wait_for_timeout(500)
    first = [text for n, text in ticks(page) if n == 0]
    assert "20" in first or "15" in first, first
    box = over(page)
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 30)
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 30, steps=3)
    page.wait_for_timeout(200)
    lines = page.locator(".u-cursor-x").evaluate_all("all => all.map(e => getComputedStyle(e).display === 'none' || e.classList.contains('u-off') ? -1 : new DOMMatrix(getComputedStyle(e).transform).m41)")
    assert len(lines) > 6 and all(abs(x / box["width"] - 0.25) < 0.05 for x in lines[:1]), lines
    assert sum(x > 0 for x in lines) > 5, "the pointer is in one chart alone"
    assert uncaught(page) == []


def test_a_pinned_panel_stays(page, root, out):
    """It stands at the edge of the page while that is scrolled, goes back to its place, and leaves nothing behind when its cell is cleared."""
    show(page, root, sentence="")
    page.evaluate("() => { document.body.append(Object.assign(document.createElement('div'), {style: 'height: 4000px'})); document.body.style.position = 'relative' }")
    page.get_by_role("button", name="Pin", exact=True).click()
    aside = page.locator(".fsnet-pinned")
    aside.locator(".fsnet-panel").wait_for()
    assert page.get_by_text("This view is pinned.").count() == 1
    page.get_by_role("button", name="Unpin").click()
    assert aside.count() == 0 and page.locator(".fsnet-panel").count() == 1
    page.get_by_role("button", name="Pin", exact=True).click()
    page.evaluate("window.leave()")
    assert aside.count() == 0
    assert uncaught(page) == []
