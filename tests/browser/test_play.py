"""▶ plays the past of the panel and of the matrix, and leaves both as they were."""

import pytest
from test_matrix import Matrix
from test_panel import Panel
from views import eventually

CELLS = ["%fsnet open played data=ALLAML k=10 seed=1 replace=true", "%fsnet panel", "%fsnet matrix live=true", "%fsnet run"]
OPEN, PANEL, MATRIX, RUN = range(4)


@pytest.fixture
def notebook(desk):
    return desk.lay(CELLS, "played", first=(OPEN, PANEL, MATRIX))


def test_the_past_is_played(notebook, out):
    page, panel, matrix = notebook.page, Panel(notebook), Matrix(notebook, MATRIX)
    notebook.finish(RUN)
    panel.wait_for("state", "settled|done")
    end = panel.step
    panel.wait_for_curves(end)
    legend = panel.root.locator(".fsnet-leaders").inner_text()
    for view, reached in ((panel, panel.last_point), (matrix, lambda: matrix.step)):
        view.root.get_by_label("length of the playing").select_option("5")
        button = view.root.get_by_role("button", name="▶ Play")
        button.click()
        seen = []
        while view.root.get_by_role("button", name="■ Stop").count():
            seen.append(reached())
            if end * 0.4 < seen[-1] < end * 0.6:
                view.root.screenshot(path=out / f"played-{'panel' if view is panel else 'matrix'}.png")
            page.wait_for_timeout(60)
        seen = [step for i, step in enumerate(seen) if not i or step != seen[i - 1]]
        seen = seen[seen[0] == end :]  # it may have been looked at before its first moment was drawn
        assert len(seen) >= 4 and seen[0] < end * 0.3, seen
        assert seen[:-1] == sorted(seen[:-1]), seen

        def present():
            assert reached() == end, "it does not show the present when it has played"

        eventually(page, present)
    assert panel.root.locator(".fsnet-leaders").inner_text() == legend

    # A press stops it, and the present is shown.
    panel.press("Play")
    page.wait_for_function("e => Number(e.dataset.step) > 0", arg=panel.curves.element_handle())
    panel.press("Stop")
    panel.wait_for_curves(end)
    assert [line for line in page.said if line.startswith("uncaught")] == []
