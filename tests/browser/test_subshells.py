"""JupyterLab's own subshells: a console that answers, and a panel that is pressed, while a Go cell computes."""

import re

import pytest

from test_panel import BUSY, LOOP, OPEN, PANEL, Panel
from test_panel import CELLS as PANEL_CELLS

# The subshells that the kernel says it has.
LIST = """async () => {
  const kernel = [...jupyterapp.shell.widgets('main')].find(w => w.context?.path?.endsWith('.ipynb')).context.sessionContext.session.kernel;
  return (await kernel.requestListSubshell({}).done).content.subshell_id;
}"""

# The subshells that widgets' messages name, heard from now on.
HEAR = """() => {
  const kernel = jupyterapp.shell.currentWidget.context.sessionContext.session.kernel;
  window.named = [];
  kernel.anyMessage.connect((_, {direction, msg}) => {
    if (direction === 'send' && msg.header.msg_type === 'comm_msg') window.named.push(msg.header.subshell_id);
  });
}"""

# The console knows its subshell. The kernel knows it a moment earlier: what is said in that moment goes to the main shell, and waits.
CONNECTED = """() => [...jupyterapp.shell.widgets('main')]
    .some(w => w.console?.sessionContext.session?.kernel?.subshellId)"""


@pytest.fixture
def notebook(desk):
    return desk.lay(PANEL_CELLS, "steered", first=(OPEN, PANEL))


def test_subshells_answer_while_a_go_cell_runs(notebook, desk, foreign):
    page = notebook.page
    panel = Panel(notebook)
    page.evaluate(HEAR)
    notebook.run(LOOP)
    page.wait_for_function(BUSY, arg=LOOP)

    # The panel's messages go through the subshell that JupyterLab made for widgets.
    panel.press("Step 10")
    panel.wait_for("step", r"^10 of")
    made = page.evaluate(LIST)
    named = page.evaluate("() => window.named")
    assert made and named and set(named) <= set(made)

    # A console with a subshell of its own runs %fsnet lines at once.
    page.evaluate("() => jupyterapp.commands.execute('notebook:create-subshell-console')")
    console = page.locator(".jp-CodeConsole")
    console.wait_for()
    page.wait_for_function(CONNECTED)
    page.wait_for_function(f"async made => (await ({LIST})()).length > made", arg=len(made))
    prompt = console.locator(".jp-CodeConsole-promptCell .cm-content")

    def say(text):
        prompt.click()
        prompt.fill(text)
        page.keyboard.press("Shift+Enter")
        prompt.filter(has_text=re.compile(r"^\s*$")).wait_for()

    say("%fsnet step 5")
    console.locator(".jp-OutputArea-output").filter(has_text=re.compile(r"step 15 of")).first.wait_for()
    panel.wait_for("step", r"^15 of")

    # A Go cell there says that it waits.
    say('%%\nfmt.Println("six times seven is", 6*7)')
    console.locator(".jp-OutputArea-output").filter(has_text="this cell waits").first.wait_for()
    assert "*" in notebook.prompt(LOOP)
    assert foreign(page) == []
    page.evaluate("() => [...jupyterapp.shell.widgets('main')].find(w => w.context?.path?.endsWith('.ipynb')).context.sessionContext.session.kernel.interrupt()")
    notebook.wait_until_run(LOOP)
    desk.clear()  # of the console
