"""Chromium, a JupyterLab and a page, with everything that helps to understand a failure."""

import os
import pathlib
import shutil
import urllib.parse

import chromium
import pytest
from lab import Server
from playwright.sync_api import sync_playwright


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    setattr(item, "report_" + report.when, report)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        path = chromium.find(playwright)
        if not path:
            message = "no Chromium: install one, or name it in CHROMIUM. The notebook was NOT tried in a browser."
            if os.environ.get("CI"):
                pytest.fail(message)
            pytest.skip(message)
        browser = playwright.chromium.launch(executable_path=path, args=chromium.flags())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def work(out):
    """The directory that JupyterLab shows."""
    directory = out / "lab"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for notebook in (pathlib.Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"):
        shutil.copy(notebook, directory)
    return directory


@pytest.fixture(scope="session")
def server(work, out):
    server = Server(work, out / "lab.log")
    yield server
    server.stop()


@pytest.fixture
def page(browser, out, request):
    """A page that remembers what it asked for and what its console said; a failed test leaves both and a picture."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.asked, page.said = [], []
    context.on("request", lambda r: page.asked.append(r.url))
    page.on("websocket", lambda w: page.asked.append(w.url))
    page.on("console", lambda m: page.said.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda e: page.said.append(f"uncaught: {e}"))
    yield page
    failed = getattr(request.node, "report_call", None)
    if failed is not None and failed.failed:
        stem = out / f"failed-{request.node.name}"
        page.screenshot(path=f"{stem}.png")
        print(f"screenshot: {stem}.png")
        print("console of the page:", *page.said[-40:], sep="\n  ")
        log = out / "lab.log"
        if log.exists():
            print("JupyterLab and its kernels:", *log.read_text().splitlines()[-60:], sep="\n  ")
    context.close()


@pytest.fixture
def foreign():
    """What a page asked for that is not on this machine."""

    def find(page):
        own = {"127.0.0.1", "localhost", None}
        return sorted({url for url in page.asked if urllib.parse.urlsplit(url).hostname not in own})

    return find
