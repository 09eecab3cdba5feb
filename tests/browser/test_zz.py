from test_panel import Panel
CELLS = ["%fsnet open zz data=ALLAML k=10 seed=1 epochs=2000 stop=never validation_fraction=0.2 replace=true", "%fsnet panel"]
def test_zz(desk):
    nb = desk.lay("zz.ipynb", CELLS, "zz", first=(0, 1))
    p = Panel(nb)
    def look(what):
        nb.page.wait_for_timeout(700)
        print("ZZ", what, p.points(), p.last_point(), p.fact("step"), repr(p.root.locator("figcaption").first.inner_text()), repr(p.root.locator(".fsnet-message").first.inner_text()))
    look("begin")
    n = 0
    for k in [1]*6 + [100] + [1]*7:
        n += k
        p.press(f"Step {k}"); p.wait_for("step", rf"^{n} of"); look(k)
    nb.page.screenshot(path="/tmp/zz.png")
