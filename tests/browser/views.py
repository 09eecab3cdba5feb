"""What the tests of the live views share."""

import random

import nbformat

EVIL = "<script>alert(1)</script>"

# What a cell says before a run that is to be seen, however late the page looks: with 2000 epochs it is over in seconds.
ENDLESS = "%fsnet set epochs=1000000"


def write(work, name, cells):
    """A notebook of these code cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in cells]
    kernel = {"name": "fsnet", "display_name": "FsNet (Go)", "language": "go"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), work / name)


def write_table(work, name, rows=40):
    """A table of two classes in which two features carry them; one feature's name would be a script if it were taken for HTML."""
    draw = random.Random(1)
    lines = [f'label,{EVIL},plain,"a,b",noise1,noise2,noise3']
    for i in range(rows):
        label = i % 2
        values = [label + draw.gauss(0, 0.3), -label + draw.gauss(0, 0.3)] + [draw.gauss(0, 1) for _ in range(4)]
        lines.append(f"class {label}," + ",".join(f"{v:.4f}" for v in values))
    (work / name).write_text("\n".join(lines) + "\n")


def theme(notebook, page, name, light):
    notebook.menu("Settings", "Theme", f"JupyterLab {name}")
    page.locator(f'body[data-jp-theme-light="{light}"]').wait_for(state="attached")
    page.locator("#jupyterlab-splash").wait_for(state="detached")
    page.wait_for_timeout(500)  # charts follow the size of their place a moment later


def too_wide(locator):
    """By how many pixels anything stands out of the view; what can be scrolled does not, and what is cut off or not to be seen."""
    hidden = ".fsnet-scroll, .fsnet-curves .fsnet-plot"
    return locator.evaluate(
        "(e, hidden) => Math.max(...[...e.querySelectorAll('*')].filter(c => !c.parentElement.closest(hidden) && !c.matches('.fsnet-reading')).map(c => c.getBoundingClientRect().right)) - e.getBoundingClientRect().right",
        hidden,
    )


def pictures(view, notebook, page, out, name):
    """The view in the light and the dark theme, and at 800 pixels."""
    theme(notebook, page, "Light", "true")
    for stem, width in ((name, 1280), (f"{name}-800", 800)):
        page.set_viewport_size({"width": width, "height": 1500})
        page.wait_for_timeout(500)
        for _ in range(100):  # on a busy machine they follow later
            if too_wide(view) <= 1:
                break
            page.wait_for_timeout(100)
        view.screenshot(path=out / f"{stem}.png")
        assert too_wide(view) <= 1, f"{name} is {too_wide(view)} pixels too wide at {width}"
    page.set_viewport_size({"width": 1280, "height": 1500})
    theme(notebook, page, "Dark", "false")
    view.screenshot(path=out / f"{name}-dark.png")
    theme(notebook, page, "Light", "true")


def listen(page):
    """The page remembers what it asked for, and what its console said."""
    page.asked, page.said = [], []
    page.on("request", lambda r: page.asked.append(r.url))
    page.on("websocket", lambda w: page.asked.append(w.url))
    page.on("console", lambda m: page.said.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda e: page.said.append(f"uncaught: {e}"))
    return page


def uncaught(page):
    return [line for line in page.said if line.startswith("uncaught")]


def watch_traffic(page):
    """Counts what comes through the page's sockets from now on."""
    traffic = {"bytes": 0, "frames": 0}

    def came(payload):
        traffic["bytes"] += len(payload)
        traffic["frames"] += 1

    page.on("websocket", lambda socket: socket.on("framereceived", came))
    return traffic


def heap(page):
    """The bytes that the page's objects take, without what is to be thrown away."""
    tools = page.context.new_cdp_session(page)
    tools.send("HeapProfiler.collectGarbage")
    used = page.evaluate("performance.memory.usedJSHeapSize")
    tools.detach()
    return used
