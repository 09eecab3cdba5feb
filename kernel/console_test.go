package kernel

import (
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
)

// A console asks whether a line is complete, and then runs it. It is shown progress in one line, and its end as a display.
func TestAConsoleSeesProgressAndItsEnd(t *testing.T) {
	l := newLab(t)
	l.ok(openShort)
	const code = "%fsnet run"
	l.ask("is_complete_request", jupyter.IsCompleteRequest{Code: code})
	r := l.ok(code)
	if n := len(r.Of("update_display_data")); n > 0 {
		t.Errorf("%d updates, which jupyter console does not show", n)
	}
	if shown := r.texts(); len(shown) != 1 || !strings.Contains(shown[0], "step 60 of 60") {
		t.Errorf("the end is shown as %q", shown)
	}
	for line := range strings.SplitSeq(r.stream("stdout"), "\r") {
		if n := len([]rune(line)); n > consoleColumns {
			t.Errorf("%d characters: %q", n, line)
		}
	}
	if s := r.stream("stdout"); s != "" && !strings.HasSuffix(s, "\r") {
		t.Errorf("the line is not cleared: %q", s)
	}
	// A notebook that runs the same code is shown a display that is updated.
	r = l.ok("%fsnet rewind 0\n%fsnet run")
	if r.stream("stdout") != "" {
		t.Errorf("a notebook is shown %q", r.stream("stdout"))
	}
}

func TestWhatAConsoleTypesIsForgotten(t *testing.T) {
	var c consoles
	c.ask("a", "x ")
	if c.typed("b", "x") || c.typed("a", "y") || c.typed("a", "x") {
		t.Error("code is taken for typed that was not asked about last")
	}
	c.ask("a", "x")
	if !c.typed("a", "x\n") || c.typed("a", "x") {
		t.Error("code that was asked about is typed once")
	}
	for i := range 10 * mostConsoles {
		c.ask(itoa(i), "x")
	}
	if len(c.asked) > mostConsoles {
		t.Errorf("%d are remembered", len(c.asked))
	}
}
