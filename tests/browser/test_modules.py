"""The modules of the views by themselves, in an empty page and with a model that the test makes."""

import json
import re

import pytest
from playwright.sync_api import expect
from views import uncaught


def code(root, name):
    """A view with its libraries, or a library alone, as frontend.go puts them together."""
    folder = root / "widgets/views/frontend"
    libraries = json.loads((folder / "libraries.json").read_text()).get(name, [])
    return "\n".join((folder / f"{part}.js").read_text() for part in dict.fromkeys(("common", *libraries, name)))


# A view on the page by itself. What it sends and keeps is remembered, hear() is the kernel, and leave() clears its cell: what it still does
# to its model then is in did, and its listeners that are left in heard.
MOUNT = """async ([code, state, width]) => {
  const module = (await import(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})))).default;
  const heard = [], note = what => { if (gone) window.did.push(what) };
  let gone = false;
  Object.assign(window, {state, heard, sent: [], kept: [], did: []});
  window.hear = (name, message) => heard.filter(([n]) => n === name).forEach(([, f]) => f(message));
  const model = {
    on: (name, f) => heard.push([name, f]), off: (name, f) => { const i = heard.findIndex(([n, g]) => n === name && g === f); if (i >= 0) heard.splice(i, 1) },
    get: name => { note(`get ${name}`); return name === 'values' ? new DataView(new Float32Array(state.values).buffer) : state[name] },
    set: (name, value) => { note(`set ${name}`); state[name] = value }, save_changes: () => { note('save_changes'); window.kept.push(state.smoothing) },
    send: message => { note(`send ${JSON.stringify(message)}`); window.sent.push(message) },
  };
  const el = document.body.appendChild(document.createElement('div'));
  el.style.width = `${width}px`;
  const close = module.render({model, el});
  window.leave = () => { close(); el.remove(); gone = true };
}"""


def mount(page, root, name, state, width=900):
    page.evaluate(MOUNT, [code(root, name), state, width])


def drawn(page, shows):
    """What the view says once it shows some words."""
    page.locator("body > div").filter(has_text=shows).last.wait_for()
    return page.locator("body > div").last.inner_text()


def evaluated(page, module, body, argument):
    """A function of a module, in the page, on an argument."""
    return page.evaluate(
        "async ([code, argument]) => { const {default: f} = await import(URL.createObjectURL(new Blob([code], {type: 'text/javascript'}))); return (%s)(argument) }" % body,
        [module, argument],
    )


# A kernel that sends an epoch ten times as often as the real one, and more often still, for a while.
FEED = """async ([seconds, rate]) => {
  const metrics = ['loss', 'loss_class', 'loss_reconstruction', 'accuracy_train', 'accuracy_validation', 'tau', 'max_probability'];
  const curve = epochs => Object.fromEntries(metrics.map(m => [m, {steps: epochs.map(e => 5 * e), values: epochs.map(e => 0.5 + 0.4 * Math.sin(e / 50))}]));
  const piece = (keep, epochs) => ({name: '', per_epoch: 5, curves: Object.fromEntries(Object.entries(curve(epochs)).map(([m, c]) => [m, {keep, ...c}])), events: [{step: 50, text: 'lambda 1 → 0.1'}]});
  const began = performance.now();
  let asked = 0, said = 0, every = 1, held = []; // epochs, thinned as the kernel does
  while (performance.now() - began < seconds * 1000) {
    if (window.sent.length > asked) { // everything
      asked = window.sent.length;
      hear('msg:custom', {kind: 'all', number: said, tracks: [piece(0, held)]});
    }
    await new Promise(done => setTimeout(done, 10));
    const due = Math.floor((performance.now() - began) / 1000 * rate); // as often also on a busy machine
    while (said < due) {
      said++;
      let keep = held.length;
      if (held.length > 400) [every, held, keep] = [2 * every, held.filter(e => e % (2 * every) === 0), 0];
      else while (keep && held[keep - 1] % every) keep--;
      held = (keep ? held.slice(0, keep) : every > 1 ? held : []).concat(said);
      hear('msg:custom', {kind: 'add', number: said, tracks: [piece(keep, held.slice(keep))]});
    }
  }
  const root = document.querySelector('.fsnet-curves');
  for (let i = 0; i < 600 && Number(root.dataset.step) !== 5 * said; i++) await new Promise(done => setTimeout(done, 100));
  const result = {asked, said, seconds: (performance.now() - began) / 1000, drawn: Number(root.dataset.drawn), points: Number(root.dataset.points), step: Number(root.dataset.step)};
  window.leave();
  return result;
}"""


def test_numbers_are_written_as_in_go(page, root):
    """Of the table by which package words is tested."""
    table = json.loads((root / "widgets/chart/words/testdata/numbers.json").read_text())
    written = evaluated(page, code(root, "common") + "\nexport default fsnet.number;", "table => table.map(([x]) => [x, f(x)])", table)
    assert written == table and len(table) > 9


def test_redraws_are_few(page, root):
    """A hundred messages a second, or four hundred: ten drawings a second at the most, and few points."""
    for seconds, rate in ((2, 100), (4.5, 400)):
        mount(page, root, "panel", STATES["panel"][0])
        result = page.evaluate(FEED, [seconds, rate])
        assert result["drawn"] <= 10 * result["seconds"] + 5 and result["drawn"] > seconds / 2
        assert result["step"] == 5 * result["said"] and result["points"] <= 410
        assert result["asked"] == 1, "a page that has missed nothing asks for nothing"
    assert uncaught(page) == []


STATES = {
    "matrix": (
        {"of": "probability", "top": 40, "least": 0, "log": True, "at": -1, "status": {"step": 90}, "columns": [[3, "FAH"], [5, "LYN"]], "rows": [0, 1], "values": [0.9, 0.1, 0, 0.2, 0.7, 0.1],
         "when": {"step": 90, "caption": "P at step 90", "left": "2 of 9 features shown", "summary": "2 rows"}, "message": ""},
        [["input[type=range]", "input", {}]], "2 of 9 features shown",
    ),
    "table": ({"session": "s", "classes": ["a"], "facts": {}, "rows": [[1, "FAH", 3, 0.9, 0.8, 0]], "sort": "rank", "down": False, "when": {"step": 90, "epoch": 18, "state": "paused"}, "message": ""}, [], "FAH"),
    "anneal": (
        {"now": {"session": "s", "state": "paused", "step": 90, "steps": 500, "epoch": 18, "epochs": 100, "tau": 1, "sharpness": 1, "settled": 0, "idle": {}, "schedule": "points:50=0.5,100=0.1"},
         "plan": {"tau": [[0, 10], [100, 0.1]]}, "points": {"tau": [[50, 0.5], [100, 0.1]]}, "rows": [], "answer": 0, "message": ""},
        [[".fsnet-handle", "keydown", {"key": "ArrowUp"}]], "epoch 18 of 100",
    ),
    "panel": (
        {"head": {"session": "s", "state": "paused"}, "facts": [["epoch", "epoch", "18 of 100", ""]], "step": 90, "steps": 500, "past": -1, "sure": False, "fork": "s-2", "message": "", "failed": False, "saved": "",
         "knobs": [{"key": "lambda", "kind": "power", "label": "lambda", "hint": "", "low": -3, "high": 3, "step": 0.1, "words": None}], "lambda": 1, "idle": {}},
        [["input[type=range]", "change", {}], ["details input, .fsnet-past input", "input", {}]], "Accuracy",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_nothing_outlives_its_view(page, root, name):
    """A person is in the midst of something, the kernel too, and the cell is cleared."""
    state, touch, shows = STATES[name]
    page.clock.install()
    mount(page, root, name, state)
    drawn(page, shows)
    page.evaluate(
        """touch => {
          hear('change');
          hear('msg:custom', {kind: 'all', number: 1, tracks: []});
          for (const [selector, event, more] of touch) document.querySelector(selector).dispatchEvent(Object.assign(new Event(event, {bubbles: true}), more));
          leave();
        }""",
        touch,
    )
    page.clock.run_for(10_000)  # whatever waits is due
    assert page.evaluate("did") == [] == page.evaluate("heard.map(([name]) => name)")
    assert uncaught(page) == []


def test_a_selector_that_the_schedule_does_not_settle(page, root):
    """The inspector promises no step after the last."""
    row = lambda k, p, at: [k, f"f{k}", p, 1, 0.1, "g", 0, 10, at, None, f"f{k}", p]  # noqa: E731
    state = {**STATES["anneal"][0], "rows": [row(0, 0.95, 60), row(1, 0.6, 400), row(2, 0.6, 501), row(3, 0.6, None)]}
    mount(page, root, "anneal", state)
    text = drawn(page, "f3")
    said = [line.split("\t")[7] for line in text.splitlines() if re.match(r"\d\tf\d", line)]
    assert said == ["✓ 60", "≈ 400", "after the end", "no trend"], text


@pytest.mark.parametrize(("epochs", "width"), [(60, 360), (123_457, 360), (5_000_000, 360), (200_000, 900)])
def test_the_epochs_of_a_schedule_are_written_whole(page, root, epochs, width):
    """No number is cut off at the edge of the plot, and none lies on another; they are round ones."""
    state = {**STATES["anneal"][0], "now": {**STATES["anneal"][0]["now"], "epochs": epochs}}
    page.add_style_tag(content=f".fsnet-anneal {{ {(root / 'widgets/views/frontend/anneal.css').read_text()} }} body {{ font-family: DejaVu Sans, sans-serif }}")
    mount(page, root, "anneal", state, width)
    plot = page.locator("svg.fsnet-schedule")
    page.wait_for_function("width => document.querySelector('svg.fsnet-schedule').viewBox.baseVal.width === width", arg=width)
    edge = plot.bounding_box()
    numbers = [(t.inner_html(), t.bounding_box()) for t in plot.locator(".fsnet-axis[text-anchor=middle]").all()][:-1]
    assert 2 < len(numbers) < 10 and all(len(text.rstrip("0")) <= 3 for text, _ in numbers), numbers
    assert [text for text, box in numbers if box["x"] + box["width"] > edge["x"] + edge["width"]] == []
    assert [(a[0], b[0]) for a, b in zip(numbers, numbers[1:]) if a[1]["x"] + a[1]["width"] + 4 > b[1]["x"]] == []  # fmt: skip


def test_an_answer_keeps_what_was_moved_since(page, root):
    """Points that a person has moved again while the kernel answered are sent, too."""
    mount(page, root, "anneal", STATES["anneal"][0])
    page.locator(".fsnet-handle").first.focus()
    page.evaluate(  # at one moment, so that no timer is due between the two
        "() => { document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', bubbles: true})); window.hear('change:answer') }"
    )
    page.wait_for_function("() => window.sent.length > 0")
    assert page.evaluate("window.sent") == [{"drawn": "tau", "points": [[50, 0.55], [100, 0.1]]}]
    page.evaluate("window.hear('change:answer')")
    page.locator('.fsnet-handle[aria-valuenow="0.5"]').wait_for()  # what is in force
    assert uncaught(page) == []


# The words that lie over the right edge of a canvas.
OVER = """() => {
  const fill = CanvasRenderingContext2D.prototype.fillText;
  window.over = []; window.written = [];
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    const m = this.getTransform(), right = m.a * x + m.c * y + m.e + m.a * this.measureText(text).actualBoundingBoxRight;
    window.written.push(text);
    if (right > this.canvas.width) window.over.push(text);
    return fill.call(this, text, x, y, ...more);
  };
}"""


def test_the_epochs_of_curves_are_written_whole(page, root):
    """200000 at the right edge is not 20000."""
    steps = [200_000 * i for i in range(1, 6)]
    track = {"name": "", "per_epoch": 5, "curves": {"loss": {"steps": steps, "values": [5, 4, 3, 2, 1]}}, "events": []}
    track |= formed(steps, [[7]] * 5, [[0.5]] * 5, {7: "Zyxin"})
    state = {**STATES["panel"][0], "saved": json.dumps({"tracks": [track]})}
    page.evaluate(OVER)
    mount(page, root, "panel", state)
    page.get_by_role("button", name="Loss").click()
    page.wait_for_function("() => window.written.filter(w => w === '200000').length >= 3")
    assert page.evaluate("window.over") == []


def test_what_has_not_come_yet_is_not_nothing(page, root):
    """A view says of no training that it has no selectors and no features."""
    for name, words in (("anneal", "0 of … selectors settled"), ("table", "… features · step 90")):
        state = {**STATES[name][0], "rows": []}
        mount(page, root, name, state)
        assert words in drawn(page, "step 90")


def test_a_session_that_is_only_looked_at_offers_no_more(page, root):
    """What would change it cannot be pressed; to look back and to fork can."""
    for read_only in (False, True):
        state = {**STATES["panel"][0], "head": {**STATES["panel"][0]["head"], "read_only": read_only}}
        mount(page, root, "panel", state)
        panel = page.locator(".fsnet-panel").last
        disabled = [b.inner_text() for b in panel.locator("button:disabled").all()]
        assert disabled == (["Step 1", "Step 10", "Step 100", "Step 1000", "Run", "Pause", "Now", "Rewind here", "Reset"] if read_only else ["Pause", "Now"])
        expect(panel.locator(".fsnet-lambda input:disabled")).to_have_count(2 * read_only)
        expect(panel.locator(".fsnet-past input:disabled")).to_have_count(0)


def test_what_the_choice_does_not_depend_on_cannot_be_turned(page, root):
    """The panel lists it with the reason, and its first slider is one that acts; the inspector opens on what acts."""
    state = dict(STATES["panel"][0])
    state["knobs"] = [{**state["knobs"][0], "key": key, "label": key} for key in ("lambda", "tau0", "sharpness")]
    state |= {"tau0": 10, "sharpness": 20, "idle": {"lambda": "lambda acts on the network only"}}
    mount(page, root, "panel", state)
    panel = page.locator(".fsnet-panel")
    keys = lambda: [k.get_attribute("class").split("fsnet-")[-1] for k in panel.locator(".fsnet-knob").all()]  # noqa: E731
    assert keys() == ["tau0", "sharpness"]
    expect(panel.locator(".fsnet-first .fsnet-tau0")).to_have_count(1)
    panel.locator("summary").press("Enter")
    expect(panel.locator(".fsnet-idle")).to_have_text("lambda = 1: lambda acts on the network only", use_inner_text=True)
    panel.locator(".fsnet-sharpness input[type=number]").focus()
    page.evaluate("() => { window.state.idle = {tau0: 'it waits'}; window.hear('change:idle') }")
    assert keys() == ["lambda", "sharpness"]
    expect(panel.locator(".fsnet-idle")).to_have_text("tau0 = 10: it waits", use_inner_text=True)
    assert page.evaluate("document.activeElement.closest('.fsnet-sharpness') !== null"), "a control that stays has lost the focus"

    state = {**STATES["anneal"][0], "now": {**STATES["anneal"][0]["now"], "idle": {"tau": "the choice does not depend on it"}}}
    mount(page, root, "anneal", state)
    inspector = page.locator(".fsnet-anneal")
    inspector.get_by_role("group", name="sharpness schedule").wait_for()
    assert inspector.get_by_role("button", name="temperature").is_disabled()
    inspector.get_by_text("temperature: the choice does not depend on it").wait_for()
    assert uncaught(page) == []


def test_every_control_sets_its_key(page, root):
    """A slider is read aloud as its number, not as its logarithm; an emptied field means auto, or shows what is in force."""
    knob = lambda key, kind, **more: {"key": key, "kind": kind, "label": key, "hint": "", "low": -3, "high": 3, "step": 1, "auto": False, "words": ["a", "b"], **more}  # noqa: E731
    knobs = [knob("lambda", "power"), knob("learning_rate", "power", auto=True), knob("dropout", "share", step=0.05), knob("epochs", "count", auto=True), knob("schedule", "word"), knob("stop", "choice")]
    values = {"lambda": 1, "learning_rate": 0.001, "dropout": 0.2, "epochs": 100, "schedule": "a", "stop": "a"}
    mount(page, root, "panel", {**STATES["panel"][0], "knobs": knobs, **values})
    page.locator("summary").press("Enter")
    for key, value in (("lambda", 1.12), ("dropout", 0.25)):
        slider = page.get_by_role("slider", name=key, exact=True)
        slider.press("ArrowRight")
        assert page.evaluate("key => state[key]", key) == value
        page.evaluate("key => hear(`change:${key}`)", key)
        expect(slider).to_have_attribute("aria-valuetext", str(value))
    for key, typed, value in (("lambda", "7", 7), ("lambda", "", 7), ("learning_rate", "", "auto"), ("epochs", "50", 50), ("epochs", "", "auto"), ("schedule", "hold:2", "hold:2")):
        field = page.locator(f".fsnet-{key} input:not([type=range])")
        field.fill(typed)
        field.press("Enter")
        assert page.evaluate("key => state[key]", key) == value
    expect(page.locator(".fsnet-lambda input[type=number]")).to_have_value("7")
    page.locator(".fsnet-stop select").select_option("b")
    assert page.evaluate("state.stop") == "b"
    assert uncaught(page) == []


COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#999933", "#882255", "#8f7ad6"]


def formed(steps, leaders, values, names, settled=None, summary="0 settled"):
    """The looks at P, and how the selection formed, as the kernel tells it."""
    k = len(leaders[0])
    settled = settled or [-1] * k
    order = sorted(range(k), key=lambda i: (settled[i] < 0, settled[i], i))
    features = {str(j): {"name": name, "colour": COLOURS[i % 10], "from": 0} for i, (j, name) in enumerate(names.items())}
    return {"looks": {"steps": [*steps], "leaders": leaders, "values": values},
            "formed": {"order": order, "settled": settled, "full": 1, "summary": summary, "features": features}}  # fmt: skip


def converging(leaders=(7, 5, 3)):
    """The panel with ten looks at two selectors: the second changes from CD33 to LYN at the sixth look."""
    steps = range(10, 101, 10)
    first, early, late = leaders
    curves = {"loss": [1 / s for s in steps], "entropy": [12 - s / 10 for s in steps], "unique_rows": [2] * 10}
    track = {"name": "", "per_epoch": 5, "curves": {m: {"steps": [*steps], "values": v} for m, v in curves.items()}, "events": []}
    track |= formed(steps, [[first, early if s < 60 else late] for s in steps], [[0.5 + s / 200, s / 200] for s in steps], {7: "Zyxin", 5: "CD33", 3: "LYN"},
                    [7, -1], "1 of 2 selectors settled · 2 different leaders")  # fmt: skip
    return {**STATES["panel"][0], "saved": json.dumps({"smooth": 0, "tracks": [track]})}


def test_the_curves_of_a_quantity_have_its_words(page, root):
    """R² where the accuracy stands, and the loss of the quantity where that of the class does."""
    points = {"steps": [10, 20, 30], "values": [2, 1, 0.5]}
    for metric, there, absent in (("accuracy_train", ("class 0.5", "Accuracy"), ("quantity", "R²")), ("r2_train", ("quantity 0.5", "R²"), ("class", "Accuracy"))):
        curves = {"loss": points, "loss_class": points, metric: {"steps": [10, 20, 30], "values": [-0.5, 0.1, 0.7]}}
        state = {**STATES["panel"][0], "saved": json.dumps({"tracks": [{"name": "", "per_epoch": 5, "curves": curves, "events": []}]})}
        mount(page, root, "panel", state)
        text = drawn(page, there[0])
        assert all(word in text for word in there) and not any(word in text for word in absent), text


def test_the_box_of_a_feature_is_of_the_step_of_the_map(page, root):
    """It names no step of its own, and shows its course up to the past step that the slider has chosen."""
    steps = [0, 30, 60, 90]
    feature = {"index": 3, "name": "FAH", "kept": True, "edges": [], "counts": [], "classes": [], "embedding": [], "labels": [],
               "course": {"steps": steps, "values": [0.1, 0.2, 0.3, 0.4], "selectors": [0] * 4}}
    for at, last in ((-1, "90"), (60, "60")):
        state = {**STATES["matrix"][0], "feature": feature, "at": at}
        mount(page, root, "matrix", {**state, "when": {**state["when"], "step": 60}})
        box = page.locator(".fsnet-feature").last
        expect(box.locator(".fsnet-feature-head")).to_have_text("FAHcolumn 3Close", use_inner_text=True)
        assert box.locator("svg text").all_text_contents()[2:4] == ["0", last]
    assert uncaught(page) == []


def test_the_panel_answers_where_it_was_pressed(page, root):
    """Rewind and Fork stand below the lanes, and the steps above them."""
    mount(page, root, "panel", {**converging(), "message": "what the kernel says"})
    answer = page.locator(".fsnet-message")
    for pressed, where in (("Rewind here", ".fsnet-past > div"), ("Step 10", ".fsnet-spot"), ("Fork here", ".fsnet-past > div"), ("Run", ".fsnet-spot")):
        page.get_by_role("button", name=pressed, exact=True).click()
        page.locator(where).filter(has=answer).get_by_text("what the kernel says").wait_for()
        button, line = page.get_by_role("button", name=pressed, exact=True).bounding_box(), answer.bounding_box()
        assert 0 < line["y"] - button["y"] < 130, f"{pressed} is answered {line['y'] - button['y']} pixels below"
    page.evaluate("window.leave()")
    assert uncaught(page) == []


def test_lanes_are_read_by_keyboard_and_pointer(page, root):
    """Keys and the pointer name selector, feature and epoch; Enter and a click ask for the feature. The last look is seen."""
    sheets = "".join(f".fsnet-{name} {{ {(root / f'widgets/views/frontend/{name}.css').read_text()} }}" for name in ("curves", "lanes"))
    page.add_style_tag(content=sheets)
    mount(page, root, "panel", {**converging(), "step": 100})
    plot, caption = page.locator(".fsnet-courses"), page.locator(".fsnet-lanes figcaption")
    caption.get_by_text("1 of 2 selectors settled · 2 different leaders").wait_for()
    titles = [f.inner_text() for f in page.locator(".fsnet-multiple figcaption button").all()]
    assert titles == ["Loss", "Accuracy", "Temperature, sharpness", "Largest probability", "Entropy of P, bits", "Different leaders"]
    assert "Lanes of the selectors: 1 of 2 selectors settled" in plot.get_attribute("aria-label")
    expect(plot).to_have_attribute("tabindex", "0")
    plot.focus()
    page.keyboard.press("End")
    caption.get_by_text("selector 0: Zyxin 1 at epoch 20, step 100").wait_for()
    page.keyboard.press("ArrowDown")
    caption.get_by_text("selector 1: LYN 0.5 at epoch 20").wait_for()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    caption.get_by_text("selector 1: CD33 0.25 at epoch 10").wait_for()
    assert page.evaluate("state.past") == 50, "the keys do not move the position"
    expect(page.locator(".fsnet-lanes .fsnet-reading"), "nothing is read aloud").to_contain_text("CD33")
    page.keyboard.press("Enter")
    page.keyboard.press("End")
    over = plot.locator(".u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    for lane, said in ((0, "selector 0: Zyxin 0.8 at epoch 12"), (1, "selector 1: LYN 0.3 at epoch 12")):
        page.mouse.move(box["x"] + box["width"] * 0.55 - 9, box["y"] + 14 * lane + 6)
        page.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 14 * lane + 6)
        caption.get_by_text(said).wait_for()
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("() => window.sent.filter(m => m.do === 'feature').length === 2")
    assert [m["column"] for m in page.evaluate("window.sent") if m["do"] == "feature"] == [5, 3]
    last = converging()
    track = json.loads(last["saved"])["tracks"][0]
    track["looks"]["leaders"][-1] = [7, 5]
    page.evaluate("window.leave()")
    mount(page, root, "panel", {**last, "saved": json.dumps({"smooth": 0, "tracks": [track]})})
    page.locator(".fsnet-courses canvas").wait_for()
    seen = "() => { const c = document.querySelector('.fsnet-courses canvas'), o = document.querySelector('.fsnet-courses .u-over'), r = devicePixelRatio; return [...c.getContext('2d').getImageData((o.offsetLeft + o.clientWidth - 6) * r, (o.offsetTop + 14 + 5) * r, 1, 1).data].slice(0, 3) }"
    page.wait_for_function(f"() => {{ const [r, g, b] = ({seen})(); return r > g && g > b && r - b > 50 }}")  # CD33's vermillion
    assert uncaught(page) == []
