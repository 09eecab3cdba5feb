"""Chromium, a JupyterLab and a page, with everything that helps to understand a failure."""

import os
import pathlib
import shutil
import urllib.parse

import chromium
import pytest
from desk import Desk, explain, new_page
from lab import PATIENCE, Server
from playwright.sync_api import expect, sync_playwright

expect.set_options(timeout=PATIENCE)


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
    """A page of the test's own."""
    page = new_page(browser)
    yield page
    explain(page, out, request)
    page.context.close()


@pytest.fixture(scope="session")
def shared_desk(browser, server, work):
    desk = Desk(browser, server, work)
    yield desk
    desk.clear()


@pytest.fixture
def desk(shared_desk, out, request):
    yield shared_desk
    if shared_desk.page is not None and explain(shared_desk.page, out, request):
        shared_desk.clear()


@pytest.fixture
def foreign():
    """What a page asked for that is not on this machine."""

    def find(page):
        own = {"127.0.0.1", "localhost", None}
        return sorted({url for url in page.asked if urllib.parse.urlsplit(url).hostname not in own})

    return find
