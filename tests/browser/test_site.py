"""The documentation as a site, read from its files: no server and no network. Its search finds words, and what it finds leads there."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from lab import PATIENCE
from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    directory = tmp_path_factory.mktemp("docs") / "site"
    subprocess.run([sys.executable, ROOT / "install/site/build.py", shutil.which("fsnet"), directory], check=True, timeout=600)
    return directory


@pytest.fixture
def reader(browser):
    """A page of somebody without a network."""
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.asked, page.failed = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("requestfailed", lambda request: page.failed.append(request.url))
    page.on("pageerror", lambda error: page.failed.append(str(error)))
    yield page
    context.close()


@pytest.mark.parametrize("begin", ["index.html", "notebooks/quickstart.html"])
def test_search_works_from_files(site, reader, out, begin):
    reader.goto((site / begin).as_uri())
    expect(reader.locator("h1").first).to_be_visible()
    reader.locator("input.md-search__input").click()
    reader.keyboard.type("leader")
    found = reader.locator(".md-search-result__item a").filter(has_text=re.compile("Glossary", re.I)).first
    found.wait_for()
    reader.screenshot(path=out / f"site-search-{pathlib.Path(begin).stem}.png")
    found.click()
    reader.wait_for_url(re.compile(r"/reference\.html.*#glossary"))
    expect(reader.locator("article")).to_contain_text("leader")
    assert reader.failed == []
    assert [url for url in reader.asked if not url.startswith(("file:", "data:", "blob:"))] == []


# What a page does wrong, as Lighthouse would find it: pictures without words, text that stands out from its paper by less than 4.5 to 1
# (3 to 1 where it is large), controls without a name, a page wider than the window, no language, not one first heading.
FAULTS = """() => {
  const found = [], seen = e => e.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) && e.getClientRects().length;
  const numbers = colour => { const c = colour.match(/[\\d.]+/g).map(Number); return c.length > 3 ? c : [...c, 1]; };
  const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
  const light = c => c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
  const paper = e => {
    const layers = [];
    for (; e; e = e.parentElement) {
      const c = numbers(getComputedStyle(e).backgroundColor);
      if (c[3] > 0) layers.unshift(c);
      if (c[3] === 1) break;
    }
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  if (!document.documentElement.lang) found.push('no language');
  if (document.querySelectorAll('h1').length !== 1) found.push(`${document.querySelectorAll('h1').length} first headings`);
  for (const img of document.images) if (!img.alt && seen(img)) found.push(`no words for ${img.src.split('/').pop().slice(0, 60)}`);
  for (const e of document.querySelectorAll('a[href], button, input:not([type=checkbox], [type=hidden])'))
    if (seen(e) && !(e.innerText || e.title || e.ariaLabel || e.placeholder || e.value || e.querySelector('img[alt], svg[aria-label], title') || e.closest('[aria-label]'))) found.push(`no name: ${e.outerHTML.slice(0, 90)}`);
  const width = document.documentElement.scrollWidth - innerWidth;
  if (width > 1) found.push(`${width} pixels too wide`);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), pale = new Set();
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement, style = getComputedStyle(e), words = texts.currentNode.data.trim();
    if (!words || !seen(e) || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(e.tagName) || e.closest('svg, [hidden], [disabled]')) continue;
    const below = paper(e), a = light(over(numbers(style.color), below)), b = light(below);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.6 && style.fontWeight >= 700) ? 3 : 4.5;
    if (ratio < least) pale.add(`${e.tagName.toLowerCase()}.${e.className}: ${ratio.toFixed(1)} to 1, ${style.color} on ${below.map(Math.round)}`);
  }
  return [...found, ...[...pale].slice(0, 12)];
}"""


@pytest.mark.parametrize("light", [True, False], ids=["light", "dark"])
def test_everyone_can_read_every_page(site, reader, out, light):
    """At 1280 and 800 pixels, and Tab leads from the top to the contents."""
    reader.emulate_media(color_scheme="light" if light else "dark")
    wrong = {}
    for page in sorted(p for p in site.rglob("*.html") if p.name != "404.html" and "schemas" not in p.parts):
        for width in (1280, 800):
            reader.set_viewport_size({"width": width, "height": 900})
            reader.goto(page.as_uri())
            faults = reader.evaluate(FAULTS)
            if faults:
                wrong[f"{page.relative_to(site)} at {width}"] = faults
    reader.goto((site / "tour.html").as_uri())
    reader.keyboard.press("Tab")
    assert "#" in reader.evaluate("document.activeElement.getAttribute('href')"), "the first Tab does not offer to skip the menu"
    reader.screenshot(path=out / f"site-tour-{'light' if light else 'dark'}.png")
    assert wrong == {}
