"""The live table of all sessions: where each stands, what it chose, its panel below, and several compared."""

import re

import pytest
from views import eventually, theme, too_wide, uncaught

CELLS = [
    "%fsnet open cold data=ALLAML k=4 seed=1 epochs=200 stop=never replace=true",
    "%fsnet open warm data=ALLAML k=4 seed=1 epochs=200 stop=never lambda=0.1 replace=true",
    "%fsnet run cold",
    "%fsnet sessions",
    "%fsnet step warm 50",
]
COLD, WARM, RUN, TABLE, STEP = range(5)


@pytest.fixture
def notebook(desk):
    desk.clear()  # other sessions would be rows, too
    yield desk.lay(CELLS, "cold", first=(COLD, WARM, RUN, TABLE))
    desk.clear()


def test_the_table_of_sessions(notebook, foreign, out):
    page, table = notebook.page, notebook.code.nth(TABLE).locator(".fsnet-runs")
    rows = table.locator("tbody tr")
    rows.nth(1).wait_for()
    titles = [title for title in table.locator("thead th").all_inner_texts() if title]
    assert titles == ["session", "state", "step", "settled", "lambda", "chosen", "accuracy"], titles
    rows.nth(0).locator(".fsnet-square").nth(3).wait_for()  # what the finished one has chosen
    assert rows.nth(1).locator(".fsnet-square").count() == 0, "a session without a step has chosen something"
    assert table.locator("td.fsnet-differs").all_inner_texts() == ["1", "0.1"]
    assert int(table.locator("td.fsnet-differs").first.evaluate("e => getComputedStyle(e).fontWeight")) >= 600

    # It follows what a cell does.
    notebook.finish(STEP)
    rows.nth(1).get_by_text(re.compile("^50 of")).wait_for()
    rows.nth(1).locator(".fsnet-square").nth(3).wait_for()

    # Two are compared, by another measure, too; a name opens its panel, and both are closed.
    for name in ("cold", "warm"):
        table.get_by_label(f"compare {name}").check()
    table.get_by_role("button", name="Compare", exact=True).click()
    picture = table.locator("img.fsnet-compared")
    page.wait_for_function("e => e.complete && e.naturalWidth > 400", arg=picture.element_handle())
    assert re.search(r"setting +cold +warm\nlambda +1 +0\.1\n", picture.get_attribute("alt"))
    first = picture.get_attribute("src")
    table.get_by_label("measure to compare").select_option("accuracy_train")
    page.wait_for_function("([e, first]) => e.src !== first", arg=[picture.element_handle(), first])
    table.get_by_role("button", name="open warm", exact=True).click()
    table.locator(".fsnet-panel .fsnet-name").get_by_text("warm", exact=True).wait_for()
    for width, light in ((1400, True), (800, False), (400, True)):
        theme(notebook, page, "Light" if light else "Dark", "true" if light else "false")
        page.set_viewport_size({"width": width, "height": 1500})
        if width == 400:
            notebook.menu("View", "Appearance", "Show Left Sidebar")  # it would leave 30 pixels
        table.get_by_role("button", name="Compare", exact=True).click()  # for the width that there is now
        eventually(page, lambda: fits(table, picture))
        table.screenshot(path=out / f"runs-{width}-{'light' if light else 'dark'}.png")
    page.set_viewport_size({"width": 1280, "height": 900})
    notebook.menu("View", "Appearance", "Show Left Sidebar")
    table.get_by_role("button", name="Close", exact=True).click()
    table.locator(".fsnet-panel").wait_for(state="detached")
    picture.wait_for(state="hidden")
    assert foreign(page) == []
    assert uncaught(page) == []


def fits(table, picture):
    """Nothing stands out, and the picture has about its own size, so that its letters are as large as they are drawn."""
    assert too_wide(table) <= 1, f"it is {too_wide(table)} pixels too wide: {table.evaluate(WIDEST)}"
    assert picture.evaluate("e => e.clientWidth / e.naturalWidth") > 0.95


WIDEST = "e => [...e.querySelectorAll('*')].filter(c => !c.parentElement.closest('.fsnet-scroll, .fsnet-curves .fsnet-plot')).sort((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right).slice(0, 3).map(c => c.outerHTML.slice(0, 200))"
