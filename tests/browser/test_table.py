"""The live table of the selected features: followed, sorted with pointer and keyboard, copied and saved."""

import csv
import io
import math
import re

import pytest
from painted import BLUE, GREEN, Screen
from playwright.sync_api import expect
from views import EVIL, no_script, pictures, uncaught, write_table

CELLS = [
    "%fsnet open chosen data=evil.csv label=label k=3 seed=1 epochs=50000 stop=never replace=true",
    "%fsnet table",
    "%fsnet step 100",
    "%fsnet selection",
]
OPEN, TABLE, STEP, SELECTION = range(4)
TITLES = ["rank", "feature", "column", "probability", "margin", "selector", "information", "mean class 0", "mean class 1"]


class Table:
    """The live table below a cell."""

    def __init__(self, notebook, index=TABLE):
        self.root = notebook.code.nth(index).locator(".fsnet-table").last
        self.root.wait_for()

    def wait_for(self, name, pattern):
        self.root.locator(f".fsnet-{name}").filter(has_text=re.compile(pattern)).wait_for()

    @property
    def rows(self):
        return [[cell.strip() for cell in row.locator("td").all_inner_texts()] for row in self.root.locator("tbody tr").all()]

    def column(self, title):
        return [row[TITLES.index(title)] for row in self.rows]

    def head(self, title):
        return self.root.get_by_role("button", name=re.compile(rf"^{title}( [▾▴])?$"))


@pytest.fixture
def notebook(desk, work):
    write_table(work, "evil.csv")
    return desk.lay(CELLS, "chosen", first=(OPEN, TABLE))


@pytest.fixture
def page(notebook):
    with no_script(notebook.page) as page:
        yield page


def all_known(page):
    page.wait_for_function("() => !document.querySelector('.fsnet-features tbody').innerText.includes('…')")


def test_it_follows_and_is_sorted(notebook, page, foreign):
    table = Table(notebook)
    table.wait_for("when", "^3 features · step 0 ")
    notebook.finish(STEP)
    table.wait_for("when", "step 100 ")
    all_known(page)
    assert table.column("rank") == ["1", "2", "3"]
    assert EVIL in table.column("feature")
    expect(table.root.locator("script")).to_have_count(0)
    notebook.finish(SELECTION)
    for name in table.column("feature"):
        assert name in notebook.text(SELECTION)

    # The two features that carry the class say so; the means are those of the table as it was written.
    row = next(r for r in table.rows if r[1] == EVIL)
    assert float(row[6]) > 0.5 and abs(float(row[7])) < 0.3 and abs(float(row[8]) - 1) < 0.3

    table.head("feature").click()
    page.wait_for_function("() => document.querySelector('.fsnet-features th:nth-child(2)').getAttribute('aria-sort') === 'ascending'")
    names = table.column("feature")
    table.head("feature").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.fsnet-features th:nth-child(2)').getAttribute('aria-sort') === 'descending'")
    assert table.column("feature") == names[::-1]
    table.head("information").click()
    page.wait_for_function("() => document.querySelector('.fsnet-features th:nth-child(7)').getAttribute('aria-sort') === 'descending'")
    values = [float(v) for v in table.column("information")]
    assert values == sorted(values, reverse=True)
    assert foreign(page) == []
    assert uncaught(page) == []


def test_copy_and_csv(notebook, page, work):
    """Names with quotes and commas come through, and those that a spreadsheet would take for formulas have an apostrophe before them."""
    formulas = ["=1+1", "+1", "-1", "@SUM(A1)"]
    write_table(work, "formulas.csv", names=(*formulas, '"a,b"', '"say ""so"""'))
    notebook.answer(OPEN, f"%fsnet open {notebook.session} data=formulas.csv label=label k=6 seed=1 epochs=50000 stop=never replace=true")
    table = Table(notebook)
    notebook.finish(STEP)
    table.wait_for("when", "^6 features · step 100 ")
    all_known(page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    table.root.get_by_role("button", name="Copy").click()
    table.wait_for("copied", "6 rows copied")
    copied = [line.split("\t") for line in page.evaluate("() => navigator.clipboard.readText()").splitlines()]
    assert sorted(table.column("feature")) == sorted([*formulas, "a,b", 'say "so"'])
    assert copied[0] == TITLES and [line[1] for line in copied[1:]] == [("'" if name in formulas else "") + name for name in table.column("feature")]
    figures = [cell for line in copied[1:] for cell in line[3:]]
    assert any(cell.startswith("-") for cell in figures) and all(math.isfinite(float(cell)) for cell in figures), "numbers stay numbers"

    with page.expect_download() as download:
        table.root.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == f"{notebook.session}-features.csv"
    saved = list(csv.reader(io.StringIO(open(download.value.path(), newline="").read())))
    assert saved == copied


def test_pictures(notebook, page, out):
    notebook.answer(OPEN, "%fsnet open golub data=ALLAML k=10 seed=1 replace=true\n%fsnet run")
    notebook.answer(TABLE, "%fsnet table golub")
    table = Table(notebook)
    table.wait_for("when", "settled|done")
    all_known(page)

    def check(dark):
        screen = Screen(table.root)
        rows = table.root.locator("tbody tr").all()
        assert len(rows) == 10
        for row in rows:
            screen.assert_written(row, 200)
            share = float(row.locator("td").nth(TITLES.index("probability")).inner_text())
            screen.assert_filled(row.locator(".fsnet-track"), GREEN if share >= 0.9 else BLUE, least=share * 50 * 9 * 0.8 - 10)

    pictures(table.root, notebook, page, out, "table", ".fsnet-track span", check)
