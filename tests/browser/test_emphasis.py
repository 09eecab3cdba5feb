"""Lines that stand out from others: smoothed over measured, and those of one leader among fifty. The panel by itself, in an empty page."""

import json
import math
import random

from painted import BLUE, VERMILLION, Screen
from test_modules import STATES, formed, mount
from views import uncaught

def sheet(root):
    """As frontend.go puts it together."""
    read = lambda name: (root / f"widgets/views/frontend/{name}.css").read_text()  # noqa: E731
    parts = "".join(f".fsnet-{name} {{\n{read(name)}}}\n" for name in ("smoothing", "curves", "convergence", "feature"))
    return f".fsnet-panel {{\n{read('common')}{read('panel')}{parts}}}"


def show(page, root, smooth=0, **track):
    track = {"name": "", "per_epoch": 5, "events": [], **track}
    state = {**STATES["panel"][0], "smoothing": -1, "saved": json.dumps({"smooth": smooth, "tracks": [track]})}
    page.add_style_tag(content=sheet(root) + " body { font-family: sans-serif; }")
    mount(page, root, "panel", state, 960)


def tell(page, kind, number, smooth=0, **track):
    """What the kernel says of the panel's own track."""
    track = {"name": "", "per_epoch": 5, **track}
    page.evaluate("([kind, number, smooth, track]) => hear('msg:custom', {kind, number, smooth, tracks: [track]})", [kind, number, smooth, track])


def noisy(epochs=300):
    """Losses whose noise is large beside their way."""
    draw = random.Random(7)
    steps = [5 * e for e in range(1, epochs + 1)]
    course = lambda start, noise: [start * math.exp(-e / 150 + noise * draw.gauss(0, 1)) for e in range(epochs)]  # noqa: E731
    share = lambda noise: [min(1, 0.6 + e / epochs / 2.5 + noise * draw.gauss(0, 1)) for e in range(epochs)]  # noqa: E731
    values = {"loss": course(2, 0.25), "loss_class": course(0.7, 0.4), "loss_reconstruction": course(1.2, 0.08), "accuracy_train": share(0.05),
              "accuracy_validation": [0.75 if e % 2 else 0.7 for e in range(epochs)], "tau": [10 * 0.98**e for e in range(epochs)], "max_probability": [e / epochs for e in range(epochs)]}  # fmt: skip
    return {metric: {"steps": steps, "values": list_} for metric, list_ in values.items()}


# The blue of a plot: how far its pixels of full strength go up and down from column to column, on average.
ROUGH = """plot => {
  const canvas = plot.querySelector('canvas'), c = canvas.getContext('2d'), rows = [];
  const data = c.getImageData(0, 0, canvas.width, canvas.height).data;
  for (let x = 120; x < canvas.width - 40; x++) {
    const at = [];
    for (let y = 0; y < canvas.height; y++) {
      const i = 4 * (y * canvas.width + x);
      if (data[i + 3] > 250 && Math.abs(data[i] - 0) < 12 && Math.abs(data[i + 1] - 114) < 12 && Math.abs(data[i + 2] - 178) < 12) at.push(y);
    }
    if (at.length) rows.push((at[0] + at[at.length - 1]) / 2);
  }
  return rows.slice(1).reduce((sum, y, i) => sum + Math.abs(y - rows[i]), 0) / rows.length;
}"""


def smoothed(curves, epochs):
    """The noisy ones with an average over so many epochs, as the kernel tells it."""
    stays = math.exp(-1 / epochs) if epochs else 0
    for metric in ("loss", "loss_class", "loss_reconstruction", "accuracy_train"):
        values, total, weight, smooth = curves[metric]["values"], 0, 0, []
        for value in values:
            total, weight = stays * total + (1 - stays) * value, stays * weight + 1 - stays
            smooth.append(total / weight)
        if epochs:
            curves[metric]["smooth"] = smooth
    return curves


def test_smoothing_by_keyboard(page, root, out):
    """The slider says what it does, the arrow keys ask the kernel for other averages, and what is drawn and read is what it answers."""
    show(page, root, 5, curves=smoothed(noisy(), 5))
    slider = page.get_by_role("slider", name="Smoothing")
    plot = page.locator(".fsnet-curves .fsnet-plot").first
    caption = page.locator(".fsnet-curves figcaption").first
    caption.get_by_text("smoothed over 5 epochs (mean of the epoch)").wait_for()
    assert slider.get_attribute("aria-valuetext") == "5 epochs, automatic"
    automatic = plot.evaluate(ROUGH)
    screen = Screen(page.locator(".fsnet-curves"))
    screen.assert_lines(plot, BLUE, VERMILLION)
    page.locator(".fsnet-curves").screenshot(path=out / "smoothing-light.png")

    # What is read names both values, those of the curve.
    plot.focus()
    page.keyboard.press("End")
    reading, last = page.locator(".fsnet-curves .fsnet-reading").first, noisy()["loss"]["values"][-1]
    text = reading.inner_text()
    assert text.startswith(f"epoch 300: total {last:.3g}, smoothed 0.") and text.count("smoothed") == 3, text
    said = page.locator(".fsnet-curves .fsnet-reading").nth(1)
    page.locator(".fsnet-curves .fsnet-plot").nth(1).focus()
    page.keyboard.press("End")
    assert said.inner_text().count("smoothed") == 1 and "validation rows 0.75" in said.inner_text(), said.inner_text()

    def answer(chosen, epochs):
        page.wait_for_function("chosen => window.kept[window.kept.length - 1] === chosen", arg=chosen)
        page.evaluate("window.hear('change:smoothing')")
        tell(page, "all", 1, epochs, curves=smoothed(noisy(), epochs), events=[])

    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    answer(50, 50)
    caption.get_by_text("smoothed over 50 epochs").wait_for()
    assert slider.get_attribute("aria-valuetext") == "50 epochs"
    smooth = plot.evaluate(ROUGH)
    page.keyboard.press("Home")
    answer(0, 0)
    caption.get_by_text("smoothed over").wait_for(state="detached")
    assert slider.get_attribute("aria-valuetext") == "off"
    plot.focus()
    page.keyboard.press("ArrowLeft")
    assert "smoothed" not in reading.inner_text()
    assert smooth < 0.6 * automatic < 0.6 * plot.evaluate(ROUGH), "the line is not the smoother the more epochs"
    page.get_by_role("button", name="Automatic").click()
    answer(-1, 5)
    caption.get_by_text("smoothed over 5 epochs").wait_for()
    assert uncaught(page) == []


def fifty():
    """Fifty selectors on their way, each with a leader except for two that share one."""
    draw, steps = random.Random(3), [20 * i for i in range(1, 61)]
    leaders = [[100 + k if i > 10 + k % 9 else draw.randint(1, 90) for k in range(50)] for i in range(60)]
    for row in leaders[40:]:
        row[7] = row[31]
    values = [[min(1, (0.02 + 0.98 / (1 + math.exp(-(i - 20 - k * 0.6) / 4))) * (0.97 + 0.03 * draw.random())) for k in range(50)] for i in range(60)]
    names = {j: f"GENE{j}" for row in leaders for j in row}
    return formed(steps, leaders, values, names, summary="0 of 50 settled · 49 different leaders")


# How many pixels of a plot have a colour in full strength: not the greys of its axes, nor faded lines, alone or on one another.
INK = """plot => {
  const canvas = plot.querySelector('canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let whole = 0;
  for (let i = 0; i < data.length; i += 4) {
    const [least, most] = [Math.min(data[i], data[i + 1], data[i + 2]), Math.max(data[i], data[i + 1], data[i + 2])];
    if (data[i + 3] > 250 && most - least > 60) whole++;
  }
  return whole;
}"""


def test_one_leader_among_fifty(page, root, out):
    """An entry of the legend that has the focus, or is pointed at, leaves its lines alone in full strength; so does reading a selector."""
    show(page, root, **fifty(), curves={"loss": {"steps": [1200], "values": [1]}, "unique_rows": {"steps": [600, 1200], "values": [50, 49]}})
    legend, plot, caption = page.get_by_role("toolbar", name="Leaders"), page.locator(".fsnet-courses"), page.locator(".fsnet-convergence figcaption")
    legend.get_by_text("49 leaders").wait_for()
    entries = legend.get_by_role("button")
    assert entries.count() == 49
    assert entries.nth(7).get_attribute("aria-label") == "GENE131, leads selectors 7, 31"
    assert [e for e in range(49) if entries.nth(e).get_attribute("tabindex") == "0"] == [0], "Tab stops at each of them"
    all_alike = plot.evaluate(INK)

    plot.focus()
    page.keyboard.press("Tab")
    caption.get_by_text("GENE100 leads selector 0 (0.989)").wait_for()
    page.keyboard.press("End")
    caption.get_by_text("GENE149 leads selector 49").wait_for()
    page.keyboard.press("Home")
    for _ in range(7):
        page.keyboard.press("ArrowRight")
    caption.get_by_text("GENE131 leads selectors 7 (").wait_for()
    page.wait_for_function("([plot, most]) => (%s)(plot) < most / 4" % INK, arg=[plot.element_handle(), all_alike])
    assert legend.locator(".fsnet-lit").all_inner_texts() == ["GENE131 (selectors 7, 31)"]
    assert "GENE131 leads selectors 7" in page.locator(".fsnet-convergence .fsnet-reading").inner_text()
    page.locator(".fsnet-convergence").screenshot(path=out / "leaders-light.png")
    page.keyboard.press("Enter")
    assert page.evaluate("window.sent")[-1] == {"do": "feature", "column": 131}

    # A leader that comes takes nobody's focus.
    loss = {"loss": {"keep": 0, "steps": [1220], "values": [1]}}
    more = formed([1220], [[500 if k == 3 else 131 if k == 7 else 100 + k for k in range(50)]], [[0.99] * 50], {500: "NEW"}, summary="0 of 50 settled · 49 different leaders")
    tell(page, "all", 1, curves=loss, **fifty(), events=[])
    more["looks"]["keep"] = 60
    tell(page, "add", 2, curves=loss, **more)
    legend.get_by_text("NEW").wait_for()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "GENE131, leads selectors 7, 31"
    caption.get_by_text("GENE131 leads selectors 7 (0.99)").wait_for()

    page.keyboard.press("Escape")
    caption.get_by_text("49 different leaders").wait_for()
    page.wait_for_function("([plot, most]) => (%s)(plot) > most * 0.8" % INK, arg=[plot.element_handle(), all_alike])
    assert legend.locator(".fsnet-lit, .fsnet-unlit").count() == 0
    page.keyboard.press("ArrowLeft")
    caption.get_by_text("GENE106 leads selector 6").wait_for()
    page.locator(".fsnet-past input").first.focus()  # away
    caption.get_by_text("49 different leaders").wait_for()

    # The pointer does the same, and what is read in the plot is marked in the legend.
    legend.get_by_text("GENE120", exact=True).hover()
    caption.get_by_text("GENE120 leads selector 20").wait_for()
    page.mouse.move(2, 2)
    caption.get_by_text("49 different leaders").wait_for()
    plot.focus()
    page.keyboard.press("End")
    page.wait_for_function("([plot, most]) => (%s)(plot) < most / 4" % INK, arg=[plot.element_handle(), all_alike])
    assert legend.locator(".fsnet-lit").count() == 1
    assert caption.inner_text().split(": ")[1].startswith(legend.locator(".fsnet-lit").inner_text().split(" ")[0])
    page.keyboard.press("Escape")
    caption.get_by_text("49 different leaders").wait_for()
    assert uncaught(page) == []
