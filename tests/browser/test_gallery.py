"""A page of every picture that the program draws, in all cases of its tests - one selector and fifty, short names and long ones, nothing and
too much -, and of every live view with 3, 10 and 50 selectors and names of 3 to 60 letters. It is laid out light and dark, at 800 and at
1400 pixels: tests/out/gallery/index.html, to be looked at."""

import html

import pytest
from gallery import ARRIVED, FITTED, VIEWS, Case, crowded, cut
from lab import PATIENCE, wait_until_painted
from vega import write_charts
from views import theme, too_wide

CHARTS = ("matrix", "curves", "convergence", "feature", "heatmap", "pca", "distributions", "stability", "replicas", "sweep", "path", "tuning", "comparison")
WIDTHS = (800, 1400)
CASES = (Case(3, shortest=3, longest=3), Case(10, shortest=3, longest=60), Case(50, shortest=60, longest=60))

PAGE = """<!doctype html><meta charset="utf-8"><title>FsNet Lab: every picture</title>
<style>
  body {{ font: 14px sans-serif; margin: 16px; background: #fff; color: #212121 }}
  figure {{ display: inline-block; vertical-align: top; margin: 0 24px 32px 0; max-width: 100% }}
  img {{ max-width: 100%; display: block }}
  .dark {{ display: none }}
  @media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} .light {{ display: none }} .dark {{ display: block }} }}
</style>{figures}"""


@pytest.fixture(scope="module")
def directory(out):
    directory = out / "gallery"
    directory.mkdir(exist_ok=True)
    for old in (*directory.glob("*.png"), *directory.glob("*.svg")):
        old.unlink()
    return directory


@pytest.fixture(scope="module")
def notebook(shared_desk, work):
    """All live views of all cases on one page."""
    for case in CASES:
        case.write(work)
    shared_desk.clear()  # k is a key, too, and stays as it is on a new desk
    return shared_desk.lay([case.cell for case in CASES], "k", first=range(len(CASES)))


@pytest.fixture(scope="module")
def gallery(root, directory, shown):
    write_charts(root, "gallery", directory)
    figures = ""
    for path in sorted(directory.glob("*.png")):
        if path.name.endswith(".dark.png"):
            continue
        name = html.escape(path.stem)
        dark = f"{name}.svg" if path.with_suffix(".svg").is_file() else f"{name}.dark.png"
        figures += f'<figure><figcaption>{name}</figcaption><img class="light" src="{name}.png" alt=""><img class="dark" src="{dark}" alt=""></figure>\n'
    (directory / "index.html").write_text(PAGE.format(figures=figures))
    return directory


@pytest.fixture(scope="module")
def shown(notebook, directory):
    """A picture of each live view in both themes and widths, by its name, and what is wrong with it."""
    page = notebook.page
    found = {}
    for i, case in enumerate(CASES):
        for name, root in VIEWS.items():
            view = found[f"{name}-k{case.k}"] = notebook.code.nth(i).locator(root).last
            page.wait_for_function(ARRIVED, arg=[view.element_handle(), case.k, case.steps])
    wrong = {}

    def look(scheme, width):
        page.set_viewport_size({"width": width, "height": 2000})
        for name, view in found.items():
            page.wait_for_function(FITTED, arg=[view.element_handle(), width])
            wait_until_painted(page)
            path = directory / f"live-{name}-{width}{'.dark' if scheme == 'Dark' else ''}.png"
            view.screenshot(path=path)
            wrong[path.name] = [*(["too wide"] if too_wide(view) > 1 else []), *cut(view), *crowded(view)]

    for scheme, light in (("Light", "true"), ("Dark", "false")):
        theme(notebook, page, scheme, light)
        for width in WIDTHS:
            look(scheme, width)
    theme(notebook, page, "Light", "true")
    return wrong


def test_live_views(shown):
    assert {name: what for name, what in shown.items() if what} == {}
    assert len(shown) == 2 * len(WIDTHS) * len(VIEWS) * len(CASES)


def test_every_chart_is_in_it(browser, gallery):
    """And Chromium reads each picture, of charts the PNG and the SVG."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto((gallery / "index.html").as_uri())
    found = page.locator("img").evaluate_all("list => list.map(e => [decodeURIComponent(e.src.split('/').pop()), e.naturalWidth])")
    assert len(found) > 80 and [name for name, wide in found if not wide] == []
    assert [chart for chart in CHARTS if not any(name.startswith(f"{chart}-") for name, _ in found)] == []
    context.close()
