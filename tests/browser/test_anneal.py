"""The annealing inspector: its schedule dragged and edited with keys, its selectors followed while the run goes on."""

import math
import re

import pytest
from painted import BLUE, GREEN, PURPLE, Screen
from playwright.sync_api import expect
from views import pictures, uncaught

# Five steps make an epoch: what mixes up steps and epochs is found.
CELLS = [
    "%fsnet open cooled data=ALLAML k=10 seed=1 epochs=2000 stop=never replace=true",
    "%fsnet anneal",
    "%fsnet step 1000",
    "%fsnet panel\n%fsnet matrix live=true\n%fsnet table",
    "%fsnet history",
]
OPEN, ANNEAL, STEP, OTHERS, HISTORY = range(5)


class Inspector:
    """The inspector below a cell."""

    def __init__(self, notebook, index=ANNEAL):
        self.root = notebook.code.nth(index).locator(".fsnet-anneal").last
        self.root.wait_for()
        self.handles = self.root.locator(".fsnet-handle")
        self.handles.first.wait_for()

    def wait_for(self, name, pattern):
        self.root.locator(f".fsnet-{name}").filter(has_text=re.compile(pattern)).wait_for()

    def point(self, i):
        """Epoch and temperature of a point ahead."""
        text = self.handles.nth(i).get_attribute("aria-label")
        return tuple(float(v) for v in re.search(r"epoch (\S+), [τσ] (\S+)$", text).groups())

    def points(self):
        return [self.point(i) for i in range(self.handles.count())]

    def middle(self, i):
        self.handles.nth(i).scroll_into_view_if_needed()
        box = self.handles.nth(i).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def history(notebook):
    notebook.finish(HISTORY)
    return [line for line in notebook.text(HISTORY).splitlines() if "schedule" in line]


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "cooled", first=(OPEN, ANNEAL))


@pytest.fixture
def page(notebook):
    return notebook.page


def test_a_point_is_dragged(notebook, page, foreign):
    """With all other views on the page, whose style sheets apply to the whole of it."""
    notebook.finish(OTHERS)
    for name in ("curves", "matrix", "table"):
        notebook.code.nth(OTHERS).locator(f".fsnet-{name}").last.wait_for()
    inspector = Inspector(notebook)
    assert inspector.root.locator("svg").bounding_box()["height"] == 230, "another view's style sheet has reached it"
    assert [e for e, _ in inspector.points()] == [0, 500, 1000, 1500, 2000]
    notebook.finish(STEP)
    inspector.wait_for("when", r"step 1000 of 10000 · epoch 200 of 2000")
    page.wait_for_function("() => document.querySelectorAll('.fsnet-handle').length === 4")
    before = inspector.points()
    assert [e for e, _ in before] == [500, 1000, 1500, 2000], "what lies behind cannot be moved"
    (left, high), (right, low) = inspector.middle(0), inspector.middle(3)
    a_pixel_right, a_pixel_up = 1500 / (right - left), math.log(before[0][1] / before[3][1]) / (low - high)  # in epochs, and of ln τ
    x, y = inspector.middle(1)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y - 20, steps=4)
    page.mouse.move(x + 40, y - 40, steps=4)
    page.mouse.up()
    inspector.wait_for("message", "schedule exponential → points:200=")
    inspector.wait_for("when", "schedule points")
    after = inspector.points()
    assert after[0] == before[0] and after[2:] == before[2:]
    epoch, tau = after[1]
    assert abs(epoch - 1000 - 40 * a_pixel_right) <= a_pixel_right, f"dragged to {epoch}, not {1000 + 40 * a_pixel_right}"
    assert abs(math.log(tau / before[1][1]) - 40 * a_pixel_up) <= a_pixel_up, f"dragged to τ {tau}, not {before[1][1] * math.exp(40 * a_pixel_up)}"
    assert len(history(notebook)) == 1, "a drag is one event"

    # The temperature goes through the point that was drawn.
    notebook.finish(STEP)
    inspector.wait_for("when", "step 2000 of")
    assert "points:200=" in history(notebook)[0]
    assert foreign(page) == []
    assert uncaught(page) == []


def test_the_sharpness_is_drawn_too(notebook, page):
    inspector = Inspector(notebook)
    notebook.finish(STEP)
    inspector.wait_for("when", r"τ \S+ · σ 1 ·")
    inspector.root.get_by_role("button", name="sharpness").click()
    inspector.root.get_by_role("group", name="sharpness schedule").wait_for()
    assert inspector.points() == [(500, 1), (1000, 1), (1500, pytest.approx(20**0.5, rel=1e-3)), (2000, 20)]
    inspector.handles.nth(0).focus()
    page.keyboard.press("ArrowDown")  # below 1 there is no sharpness
    inspector.wait_for("message", r"sharpness_schedule late → points:200=1,500=1,")
    inspector.root.get_by_role("button", name="temperature").click()
    inspector.root.get_by_role("group", name="temperature schedule").wait_for()
    assert [e for e, _ in inspector.points()] == [500, 1000, 1500, 2000] and inspector.point(3)[1] == 0.01
    assert uncaught(page) == []


def test_points_are_added_and_removed_with_mouse_and_keys(notebook, page):
    inspector = Inspector(notebook)
    notebook.finish(STEP)
    page.wait_for_function("() => document.querySelectorAll('.fsnet-handle').length === 4")
    first, second = inspector.middle(0), inspector.middle(1)
    page.mouse.dblclick((first[0] + second[0]) / 2, first[1])
    inspector.wait_for("message", "→ points:200=")
    expect(inspector.handles).to_have_count(5)
    epoch, tau = inspector.point(1)
    assert 500 < epoch < 1000

    inspector.handles.nth(1).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.wait_for_function("tau => Number(document.querySelectorAll('.fsnet-handle')[1].getAttribute('aria-valuenow')) > 1.2 * tau", arg=tau)
    page.wait_for_function("() => /points:.*→ points:/.test(document.querySelector('.fsnet-message').innerText)")
    assert abs(inspector.point(1)[1] / tau / 1.21 - 1) < 0.01
    page.keyboard.press("ArrowRight")
    page.wait_for_function("epoch => / (\\S+), τ/.exec(document.querySelectorAll('.fsnet-handle')[1].getAttribute('aria-label'))[1] - epoch > 15", arg=epoch)
    page.keyboard.press("Delete")
    page.wait_for_function("() => document.querySelectorAll('.fsnet-handle').length === 4")
    inspector.root.get_by_role("button", name="Add point").click()
    page.wait_for_function("() => document.querySelectorAll('.fsnet-handle').length === 5")

    # What lies behind stays.
    count = len(history(notebook))
    inspector.root.locator(".fsnet-schedule").dblclick(position={"x": 60, "y": 60})
    inspector.wait_for("message", "the past cannot be changed: put points after the present step")
    assert len(history(notebook)) == count
    expect(inspector.handles).to_have_count(5)


def test_pictures(desk, out):
    notebook = desk.lay(["%fsnet open annealed data=ALLAML k=10 seed=1 replace=true\n%fsnet step 1000", "%fsnet anneal"], "annealed", first=(OPEN, ANNEAL))
    page, inspector = notebook.page, Inspector(notebook)
    inspector.wait_for("when", "step 1000 of")
    inspector.handles.nth(1).focus()
    page.keyboard.press("ArrowUp")
    inspector.wait_for("message", "→ points:")

    def check(dark):
        screen = Screen(inspector.root)
        plot = inspector.root.locator("svg")
        screen.assert_filled(plot, PURPLE, least=700)  # more than the handles
        screen.assert_filled(plot, BLUE, least=100)  # the line of the present
        screen.assert_written(plot, 600)
        for row in inspector.root.locator("tbody tr").all():
            screen.assert_written(row, 200)
            share = float(row.locator("td").nth(2).inner_text())
            track = row.locator(".fsnet-track")
            if share != 0.9:  # rounded
                screen.assert_filled(track, GREEN if share > 0.9 else BLUE, least=share * 50 * 9 * 0.8 - 10)

    pictures(inspector.root, notebook, page, out, "anneal", "svg path", check)
