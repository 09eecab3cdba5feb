"""The live selection matrix: chosen, moved through time, picked with pointer and keyboard, followed while the run goes on."""

import re

import pytest
from painted import BLUE, GREEN, SKY, VERMILLION, Screen
from playwright.sync_api import expect
from views import pictures, uncaught

CELLS = [
    "%fsnet open heat data=ALLAML k=10 seed=1 epochs=2000 stop=never replace=true",
    "%fsnet matrix live=true",
    "%fsnet step 200",
    "%fsnet anneal",
]
OPEN, MATRIX, STEP, ANNEAL = range(4)


class Matrix:
    """The live matrix below a cell."""

    def __init__(self, notebook, index=MATRIX):
        self.root = notebook.code.nth(index).locator(".fsnet-matrix").last
        self.root.wait_for()
        self.cells = self.root.locator(".fsnet-cells")

    def part(self, name):
        return self.root.locator(f".fsnet-{name}")

    def wait_for(self, name, pattern):
        self.part(name).filter(has_text=re.compile(pattern)).wait_for()

    @property
    def step(self):
        return int(re.search(r"step (\d+)", self.part("when").inner_text())[1])

    def cell(self, row, column):
        """Where a cell is, relative to the canvas: as heat_map.js places it for 10 rows and 40 columns or fewer."""
        return {"x": 52 + (column + 0.5) * self.cell_width, "y": 16 + (row + 0.5) * 24}

    @property
    def cell_width(self):
        columns = int(self.part("left-out").inner_text().split()[0])
        room = self.root.evaluate("e => e.clientWidth")
        return min(28, max(2, (room - 52 - 44 - 130) / columns))


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "heat", first=(OPEN, MATRIX))


@pytest.fixture
def page(notebook):
    return notebook.page


def test_it_shows_what_is_chosen(notebook, page, foreign):
    m = Matrix(notebook)
    m.wait_for("when", "^P: probability.* step 0 ")
    notebook.finish(STEP)
    m.wait_for("when", "step 200 ")
    again = re.search(r"(\d+) have the leader of a surer row", m.cells.get_attribute("aria-label"))
    notebook.finish(ANNEAL)
    notebook.code.nth(ANNEAL).locator(".fsnet-anneal tbody tr").nth(9).wait_for()
    assert int(again[1]) > 0
    expect(notebook.code.nth(ANNEAL).locator(".fsnet-duplicate"), "the inspector marks others").to_have_count(int(again[1]))
    m.part("of").select_option("sample")
    m.wait_for("when", "^M: sample at τ = ")
    for name, typed, left in (("top", "12", "^12 of 7129 features shown"), ("least", "1", "^1 of 7129 "), ("least", "0", "^12 of 7129 ")):
        m.part(name).fill(typed)
        m.part(name).press("Enter")
        m.wait_for("left-out", left)
    before = m.cells.evaluate("c => c.toDataURL()")
    m.part("log").uncheck()
    m.wait_for("legend", r"^0\s*1$")
    page.wait_for_function("before => document.querySelector('.fsnet-cells').toDataURL() !== before", arg=before)
    m.part("top").fill("100000")
    m.part("top").press("Enter")
    m.wait_for("message", "100000 is out of range - choose 1 to 200")
    page.wait_for_function("e => e.value === '12'", arg=m.part("top").element_handle())

    # The slider goes back in time, look by look, and a run shows the present first.
    slider = m.part("at")
    expect(slider).to_have_attribute("max", "200")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => !document.querySelector('.fsnet-follow').checked")
    m.wait_for("when", r"step 1?\d?\d ")
    page.keyboard.press("Home")
    m.wait_for("when", "step 0 ")
    notebook.finish(STEP)
    m.wait_for("when", "step 400 ")
    assert foreign(page) == []
    assert uncaught(page) == []


def test_a_click_shows_the_feature(notebook, page):
    m = Matrix(notebook)
    notebook.finish(STEP)
    m.wait_for("when", "step 200 ")
    m.cells.hover(position=m.cell(0, 0))
    m.wait_for("tip", r"^selector \d+, .+ \(column \d+\): \S+$")
    name = re.search(r", (.+) \(column", m.part("tip").inner_text())[1]
    m.cells.click(position=m.cell(0, 0))
    m.part("feature-name").filter(has_text=name).wait_for()
    figures = m.root.locator(".fsnet-feature-figure")
    expect(figures).to_have_count(3)
    expect(figures.first.locator("rect")).to_have_count(2 * 10)
    expect(figures.nth(2).locator("polyline")).to_have_count(1)
    m.root.get_by_role("button", name="Close").click()
    m.part("feature-name").wait_for(state="detached")

    # The same with the keyboard.
    expect(m.cells).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    m.wait_for("tip", "selector")
    other = re.search(r", (.+) \(column", m.part("tip").inner_text())[1]
    page.keyboard.press("Enter")
    m.part("feature-name").filter(has_text=other).wait_for()
    page.keyboard.press("Escape")
    m.part("feature-name").wait_for(state="detached")


def test_pictures(desk, out):
    notebook = desk.lay(["%fsnet open selected data=ALLAML k=10 seed=1 replace=true\n%fsnet step 1100", "%fsnet matrix live=true"], "selected", first=(OPEN, MATRIX))
    page, m = notebook.page, Matrix(notebook)
    m.wait_for("when", "step 1100 ")
    m.cells.click(position=m.cell(1, 1))
    m.root.locator(".fsnet-feature-figure").nth(2).wait_for()

    def check(dark):
        screen = Screen(m.root)
        screen.assert_filled(m.cells, "#440154", "#5ec962", least=300, slack=70)  # the ends of viridis
        screen.assert_written(m.cells, 5000)
        rows, embedding, course = m.root.locator(".fsnet-feature-figure svg").all()
        screen.assert_filled(rows, BLUE, VERMILLION, least=300)
        screen.assert_filled(embedding, SKY, least=300)
        screen.assert_filled(course, GREEN, least=100)
        for figure in (rows, embedding, course):
            screen.assert_written(figure, 300)

    pictures(m.root, notebook, page, out, "matrix-live", "canvas", check)
