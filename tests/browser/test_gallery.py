"""A page of every picture that the program draws, in all cases of its tests: one selector and fifty, short names and long ones, nothing and too
much. It is laid out light and dark, at 800 and at 1400 pixels: tests/out/gallery/index.html, to be looked at."""

import html
import re
import subprocess

import pytest
from lab import PATIENCE

CHARTS = ("matrix", "curves", "convergence", "feature", "heatmap", "pca", "distributions", "stability", "replicas", "sweep", "path", "tuning", "comparison")

PAGE = """<!doctype html><meta charset="utf-8"><title>FsNet Lab: every picture</title>
<style>
  body {{ font: 14px sans-serif; margin: 16px; background: #fff; color: #212121 }}
  figure {{ display: inline-block; vertical-align: top; margin: 0 24px 32px 0; max-width: 100% }}
  img {{ max-width: 100%; display: block }}
  .dark {{ display: none }}
  @media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #eee }} .light {{ display: none }} .dark {{ display: block }} }}
</style>{figures}"""


@pytest.fixture(scope="module")
def gallery(root, out):
    directory = out / "gallery"
    directory.mkdir(exist_ok=True)
    for old in directory.glob("*.png"):
        old.unlink()
    packages = ["./widgets/chart", "./widgets/chart/samples", "./widgets/chart/trials"]
    subprocess.run(["go", "test", *packages, "-vet=off", "-run", "Conform|EveryForm", "-args", "-gallery", str(directory)], cwd=root, check=True, capture_output=True)
    figures = ""
    for path in sorted(directory.glob("*.png")):
        if path.name.endswith(".dark.png"):
            continue
        name = html.escape(path.stem)
        figures += f'<figure><figcaption>{name}</figcaption><img class="light" src="{name}.png" alt=""><img class="dark" src="{name}.dark.png" alt=""></figure>\n'
    (directory / "index.html").write_text(PAGE.format(figures=figures))
    return directory


def test_every_chart_is_in_it(gallery):
    names = [path.stem for path in gallery.glob("*.png") if not path.name.endswith(".dark.png")]
    assert [chart for chart in CHARTS if not any(re.match(rf"{chart}-", name) for name in names)] == []
    assert all((gallery / f"{name}.dark.png").is_file() for name in names)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1400])
def test_it_fits_its_page(browser, gallery, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 1000}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto((gallery / "index.html").as_uri())
    shown = page.locator(f"img.{scheme}")
    assert shown.count() > 40
    sizes = shown.evaluate_all("list => list.map(e => [e.src, e.naturalWidth, e.getBoundingClientRect().right])")
    assert [src for src, natural, _ in sizes if not natural] == []
    assert [src for src, _, right in sizes if right > width] == []
    context.close()
