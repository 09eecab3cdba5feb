"""What all live views have in common: two tabs agree, a reload shows the truth, and when the kernel has gone the last picture stays - in the
page, in the file, and for those who read the file elsewhere."""

import os
import pathlib
import re
import signal
import subprocess

import nbformat
import pytest
from lab import Notebook
from playwright.sync_api import expect
from views import ENDLESS, EVIL, eventually, listen, no_script, uncaught, write_table

VIEW = "application/vnd.jupyter.widget-view+json"
NOTE = "a snapshot of a live view: run its cell again to continue"
CELLS = [
    "%fsnet open common data=ALLAML k=10 seed=1 epochs=2000 stop=never validation_fraction=0.2 replace=true",
    "%fsnet panel",
    "%fsnet matrix live=true",
    "%fsnet anneal",
    "%fsnet table",
    "%fsnet step 40",
]
OPEN, PANEL, MATRIX, ANNEAL, TABLE, STEP = range(6)
VIEWS = {"panel": PANEL, "matrix": MATRIX, "anneal": ANNEAL, "table": TABLE}
# Where each says at which step it stands.
STANDS = {"panel": ("step", "^{} of"), "matrix": ("when", "step {} "), "anneal": ("when", "step {} of"), "table": ("when", "step {} ")}


def view(notebook, name, cell=None):
    return notebook.code.nth(VIEWS[name] if cell is None else cell).locator(f".fsnet-{name}").last


def wait_for(notebook, name, part, pattern):
    view(notebook, name).locator(f".fsnet-{part}").filter(has_text=re.compile(pattern)).first.wait_for()


def all_stand_at(notebook, step):
    for name, (part, pattern) in STANDS.items():
        wait_for(notebook, name, part, pattern.format(step))


def wait_for_pictures(notebook, step):
    """No view is left: each is its last picture, with the step it shows and a line that says what it is."""
    for name, index in VIEWS.items():
        if name == "table":
            notebook.wait_for_text(index, re.escape(NOTE))
        else:
            notebook.outputs(index).locator("img").wait_for()
        view(notebook, name).wait_for(state="detached")
        assert "not found" not in notebook.text(index)
        words = notebook.page.evaluate("i => jupyterapp.shell.currentWidget.context.model.cells.get(i).outputs.get(0).data['text/plain']", index)
        assert NOTE in words and (name == "table" or f"step {step} " in words), f"{name}: {words}"


def saved_pictures(path, step, alive):
    """What the file has of each view, for readers without widgets."""
    outputs = nbformat.read(path, 4).cells
    for name, index in VIEWS.items():
        data = outputs[index].outputs[0].data
        assert (VIEW in data) == alive, name
        assert len(data["image/png"]) > 5000 and NOTE in data["text/plain"], name
        if name != "table":
            assert f"step {step} " in data["text/plain"], name


@pytest.fixture
def notebook(desk):
    notebook = desk.lay(CELLS, "common", first=range(6))
    all_stand_at(notebook, 40)
    view(notebook, "table").locator("tbody").filter(has_not_text="…").wait_for()  # the means of all features are there
    return notebook


def rest(notebook, work, step):
    """Saves until the file has the last pictures, which are drawn a moment after a session came to rest."""

    def saved():
        notebook.save()
        cells = nbformat.read(work / notebook.path, 4).cells
        for name, index in VIEWS.items():
            assert name == "table" or f"step {step} " in cells[index].outputs[0].data["text/plain"], f"the picture of step {step} does not come: {name}"

    eventually(notebook.page, saved)


def reopened(page, server, path):
    """The notebook in a second tab."""
    second = listen(page.context.new_page())
    second.goto(f"{server.address}/lab/workspaces/second/tree/{path}?token={server.token}&reset")
    return Notebook.reopened(second, path)


def test_two_tabs_and_a_reload(notebook, server):
    page = notebook.page
    notebook.save()
    second = reopened(page, server, notebook.path)
    both = (notebook, second)
    all_stand_at(second, 40)

    # What one does the other sees, once.
    view(second, "panel").get_by_role("button", name="Step 1", exact=True).click()
    for each in both:
        all_stand_at(each, 41)
    slider = view(notebook, "panel").locator(".fsnet-lambda input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    for each in both:
        wait_for(each, "panel", "message", "lambda 1 → 1.12")
    expect(view(second, "panel").locator(".fsnet-lambda input[type=number]")).to_have_value("1.12")
    view(second, "matrix").locator(".fsnet-of").select_option("soft")
    for each in both:
        wait_for(each, "matrix", "when", "^soft: ")
    view(second, "table").get_by_role("button", name=re.compile("^feature")).click()
    for each in both:
        view(each, "table").locator('th[aria-sort="ascending"]').filter(has_text="feature").wait_for()
    view(notebook, "anneal").locator(".fsnet-handle").last.focus()
    page.keyboard.press("ArrowUp")
    for each in both:
        wait_for(each, "anneal", "message", "schedule exponential → points:")

    # Loaded again in mid-run all show it.
    notebook.answer(STEP, ENDLESS)
    view(second, "panel").get_by_role("button", name=re.compile(r"\bRun$")).click()
    wait_for(notebook, "panel", "state", "running")
    page.reload()
    notebook = Notebook.reopened(page, notebook.path)
    both = (notebook, second)
    for name, part, pattern in (("panel", "state", "running"), ("anneal", "when", "running"), ("table", "when", "running"), ("matrix", "when", r"^soft: .* step \d{3,} ")):
        wait_for(notebook, name, part, pattern)
    view(notebook, "panel").get_by_role("button", name=re.compile(r"\bPause$")).click()
    for each in both:
        wait_for(each, "panel", "state", "paused")
    at = int(view(second, "panel").locator(".fsnet-step").inner_text().split()[0])
    assert at > 41
    for each in both:
        all_stand_at(each, at)
    for each in (page, second.page):
        assert uncaught(each) == []
    second.page.close()


def test_they_follow_a_run_from_go(notebook):
    """Those that a Go cell shows, too."""
    calls = "TrainingPanel(s)", 'LiveMatrix(s, session.MatrixRequest{Of: "soft"})', "AnnealingInspector(s)", "FeatureTable(s)"
    notebook.answer(OPEN, f'var s = session.Use("{notebook.session}", session.Config{{}})\n%%\n' + "\n".join(f"widgets.{call}" for call in calls))
    wait_for(notebook, "matrix", "when", "^soft: ")
    notebook.answer(STEP, ENDLESS)
    view(notebook, "panel", OPEN).get_by_role("button", name=re.compile(r"\bRun$")).click()
    for name, part in (("panel", "state"), ("anneal", "when"), ("table", "when")):
        for each in (view(notebook, name), view(notebook, name, OPEN)):
            each.locator(f".fsnet-{part}").filter(has_text="running").first.wait_for()
    # A point that is moved in mid-run is in force from then on.
    view(notebook, "anneal", OPEN).locator(".fsnet-handle").last.focus()
    notebook.page.keyboard.press("ArrowUp")
    wait_for(notebook, "anneal", "message", "→ points:")
    at = re.search(r"step (\d+) of", notebook.answer(STEP, "%fsnet pause"))[1]
    for name, (part, pattern) in STANDS.items():
        for each in (view(notebook, name), view(notebook, name, OPEN)):
            each.locator(f".fsnet-{part}").filter(has_text=re.compile(pattern.format(at))).first.wait_for()
    assert uncaught(notebook.page) == []


def test_names_are_text(notebook, work):
    write_table(work, "evil.csv")
    with no_script(notebook.page):
        notebook.answer(OPEN, "%fsnet open evil data=evil.csv label=label k=2 seed=1 epochs=2000 replace=true\n%fsnet step 50")
        for name, index in VIEWS.items():
            notebook.answer(index, f"%fsnet {name} evil" + " live=true" * (name == "matrix"))
        matrix = view(notebook, "matrix")
        matrix.locator(".fsnet-cells").focus()
        for key in ("Enter", *["ArrowRight"] * 6):  # column by column, until it is picked
            notebook.page.keyboard.press(key)
            if EVIL in matrix.locator(".fsnet-tip").inner_text():
                notebook.page.keyboard.press("Enter")
                break
        matrix.locator(".fsnet-feature-name").filter(has_text=EVIL).wait_for()
        for name in ("anneal", "table"):
            view(notebook, name).locator("td").filter(has_text=EVIL).first.wait_for()
        expect(notebook.panel.locator(".jp-OutputArea-output script")).to_have_count(0)


def test_saved_while_it_lives(notebook, server, work, browser):
    """What others see of the file: an untrusted copy, a JupyterLab without widgets, a page of nbconvert's."""
    rest(notebook, work, 40)
    saved_pictures(work / notebook.path, 40, alive=True)
    copy = nbformat.read(work / notebook.path, 4)
    copy.cells[0].source += "\n# changed elsewhere"
    nbformat.write(copy, work / "foreign.ipynb")
    page = notebook.page.context.new_page()

    page.goto(f"{server.address}/lab/workspaces/foreign/tree/foreign.ipynb?token={server.token}&reset")
    wait_for_pictures(Notebook.reopened(page, "foreign.ipynb"), 40)

    def without_widgets(route):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"disabledExtensions": []', '"disabledExtensions": ["@jupyter-widgets/jupyterlab-manager"]'))

    page.route(re.compile(r"/lab/workspaces/without/"), without_widgets)
    page.goto(f"{server.address}/lab/workspaces/without/tree/{notebook.path}?token={server.token}&reset")
    assert page.evaluate("JSON.parse(document.getElementById('jupyter-config-data').textContent).disabledExtensions") == ["@jupyter-widgets/jupyterlab-manager"]
    wait_for_pictures(Notebook.reopened(page, notebook.path), 40)
    page.close()

    convert = pathlib.Path(os.environ["FSNET_HOME"]) / "venv/bin/jupyter-nbconvert"
    subprocess.run([convert, "--to", "html", work / notebook.path], check=True, timeout=300, capture_output=True)
    context = browser.new_context(offline=True, java_script_enabled=False)
    page = context.new_page()
    page.goto((work / notebook.path).with_suffix(".html").as_uri())
    cells = page.locator(".jp-CodeCell")
    for name, index in VIEWS.items():
        shown = cells.nth(index).locator("table" if name == "table" else "img")
        expect(shown).to_have_count(1)
        assert shown.bounding_box()["height"] > 100, name
    context.close()


def test_the_last_state_outlives_the_kernel(notebook, desk, server, work):
    page = notebook.page
    rest(notebook, work, 40)
    second = reopened(page, server, notebook.path)
    all_stand_at(second, 40)
    notebook.restart()
    for each in (second, notebook):
        wait_for_pictures(each, 40)
    second.page.close()
    notebook.save()
    saved_pictures(work / notebook.path, 40, alive=False)

    # The cells run again give live views, of the session as it was kept.
    notebook.answer(OPEN, f"%fsnet open {notebook.session}")
    notebook.finish(PANEL, MATRIX, ANNEAL, TABLE)
    all_stand_at(notebook, 40)
    rest(notebook, work, 40)
    os.kill(server.kernel_process(notebook.path), signal.SIGKILL)
    wait_for_pictures(notebook, 40)

    # Killed while no page looks, and saved before.
    page.locator(".jp-Dialog", has_text="appears to have died").locator(".jp-mod-accept").click()
    notebook.wait_until_idle()
    notebook.answer(OPEN, f"%fsnet open {notebook.session}")
    notebook.finish(PANEL, MATRIX, ANNEAL, TABLE, STEP)
    all_stand_at(notebook, 80)
    rest(notebook, work, 80)
    kernel = server.kernel_process(notebook.path)
    page.goto("about:blank")
    os.kill(kernel, signal.SIGKILL)
    notebook = Notebook(page, server, notebook.path)
    wait_for_pictures(notebook, 80)

    notebook.answer(OPEN, f"%fsnet open {desk.notebook.session}")
    notebook.finish(PANEL, MATRIX, ANNEAL, TABLE)
    all_stand_at(notebook, 80)
    notebook.menu("Kernel", "Shut Down Kernel")
    wait_for_pictures(notebook, 80)
    notebook.save()
    saved_pictures(work / notebook.path, 80, alive=False)
    assert uncaught(page) == []
    desk.clear()
