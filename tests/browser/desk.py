"""A page, what helps to understand its failure, and a notebook that several tests share."""

import re

from lab import PATIENCE, Notebook
from views import listen, write

VIEWPORT = {"width": 1280, "height": 900}


def new_page(browser, **options):
    context = browser.new_context(viewport=VIEWPORT, **options)
    context.set_default_timeout(PATIENCE)
    return listen(context.new_page())


def explain(page, out, request):
    """A failed test leaves a picture, and what the page and JupyterLab said."""
    report = getattr(request.node, "report_call", None) or getattr(request.node, "report_setup", None)
    if report is None or not report.failed:
        return False
    stem = out / f"failed-{request.node.name}"
    page.screenshot(path=f"{stem}.png")
    print(f"screenshot: {stem}.png")
    print("console of the page:", *page.said[-40:], sep="\n  ")
    log = out / "lab.log"
    if log.exists():
        print("JupyterLab and its kernels:", *log.read_text().splitlines()[-60:], sep="\n  ")
    return True


class Desk:
    """One page with one notebook and one kernel, which the tests share: to open them takes longer than most tests do. Each test has a session
    of its own, and so views of its own."""

    CELLS = 9  # that a notebook has: as many as a test needs
    TESTS = 12  # that share a kernel

    def __init__(self, browser, server, work):
        self.browser, self.server, self.work = browser, server, work
        self.page, self.notebook, self.count, self.names = None, None, 0, {}

    def lay(self, cells, session, first):
        """A notebook of these cells, without outputs, its first cells run. A name of a session that another test had gets a number."""
        if self.count == self.TESTS:
            self.clear()
        self.count += 1
        again = self.names[session] = self.names.get(session, 0) + 1
        name = session if again == 1 else f"{session}{again}"
        cells = [re.sub(rf"\b{session}\b", name, cell) for cell in cells]
        if self.notebook is None:
            write(self.work, "desk.ipynb", cells + [""] * (self.CELLS - len(cells)))
            self.page = new_page(self.browser)
            self.notebook = Notebook(self.page, self.server, "desk.ipynb")
        else:
            self.page.asked.clear()
            self.page.said.clear()
            self.page.set_viewport_size(VIEWPORT)
            self.page.keyboard.press("Escape")
            self.notebook.menu("Edit", "Clear Outputs of All Cells")
            for index, cell in enumerate(cells):
                self.notebook.fill(index, cell)
        self.notebook.session = name
        self.notebook.finish(*first)
        return self.notebook

    def clear(self):
        """The next test begins with another page and another kernel."""
        if self.page is not None:
            self.page.context.close()
        if self.notebook is not None:
            self.server.end(self.notebook.path)
        self.page, self.notebook, self.count, self.names = None, None, 0, {}
