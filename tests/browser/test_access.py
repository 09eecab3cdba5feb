"""Every view can be used without a pointer and without eyes: whatever takes the keyboard says what it is and what it is called, and a handle
says its value. Chromium's own accessibility tree is asked, as a screen reader asks it."""

import pytest
from test_modules import STATES, converging, mount
from views import uncaught

MUTE = {"generic", "GenericContainer", "image", "img", "none", "presentation", "paragraph", "StaticText"}
HANDLES = {"slider", "spinbutton", "progressbar"}


def tree(page):
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        {
            "role": node.get("role", {}).get("value"),
            "name": node.get("name", {}).get("value", ""),
            "value": node.get("value", {}).get("value"),
            "focusable": any(p["name"] == "focusable" and p["value"]["value"] for p in node.get("properties", [])),
        }
        for node in nodes
        if not node["ignored"] and node.get("role", {}).get("value") != "RootWebArea"
    ]


def faults(nodes):
    """What a person without a pointer, or without eyes, would stumble over."""
    for node in nodes:
        if node["focusable"] and (node["role"] in MUTE or not node["name"].strip()):
            yield f"takes the keyboard, and says only: {node}"
        if node["role"] in HANDLES and node["value"] in (None, ""):
            yield f"says no value: {node}"


@pytest.mark.parametrize("name", STATES)
def test_each_view_says_what_it_is(page, root, name):
    state, _, shows = STATES[name]
    mount(page, root, name, converging() if name == "panel" else state)
    page.get_by_text(shows).first.wait_for()
    nodes = tree(page)
    assert list(faults(nodes)) == []
    roles = {node["role"] for node in nodes if node["focusable"]}
    assert {"panel": {"button", "slider", "application"}, "matrix": {"application", "slider"}, "anneal": {"slider", "button"}, "table": {"button"}}[name] <= roles, roles
    assert uncaught(page) == []
