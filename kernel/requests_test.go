package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

// A cell is complete if its magics and its Go code are, so that a console runs
// it.
func TestIsComplete_Code(t *testing.T) {
	k := &Kernel{}
	for code, want := range map[string]string{
		"":                                      "complete",
		"%fsnet status":                         "complete",
		"%fsnet status\n%fsnet step 3":          "complete",
		`%fsnet open a data="my`:                "incomplete",
		"x := 1":                                "complete",
		"var x = 1\n":                           "complete",
		"func f() {":                            "incomplete",
		"func f() {\n\tif x {\n":                "incomplete",
		"func f() {\n}":                         "complete",
		"x := f(1,":                             "incomplete",
		"x := 1 +":                              "incomplete",
		"x++":                                   "complete",
		"return":                                "complete",
		"import":                                "incomplete",
		"x := `raw":                             "incomplete",
		"x := `raw\n`":                          "complete",
		"/* comment":                            "incomplete",
		"// comment":                            "complete",
		"}":                                     "invalid",
		"f(]":                                   "invalid",
		`x := "abc`:                             "invalid",
		"%%":                                    "incomplete",
		"%%\nfmt.Println(1)":                    "complete",
		"%%\nfor {":                             "incomplete",
		"%fsnet step 1\nfunc f() {":             "incomplete",
		"%fsnet step 1\nx := 1":                 "complete",
		"!ls":                                   "complete",
		"!ls \\":                                "incomplete",
		"%%bash":                                "incomplete",
		"%%bash\nfor x in a b; do":              "incomplete",
		"%%bash\nfor x in a b; do echo; done\n": "complete",
		"type T struct { // {":                  "incomplete",
		`fmt.Println("}")`:                      "complete",
	} {
		if reply := k.IsComplete(code); reply.Status != want {
			t.Errorf("%q is %s, want %s", code, reply.Status, want)
		}
	}
	if got := k.IsComplete("func f() {\n\tg("); got.Indent != "\t\t" {
		t.Errorf("the indent is %q", got.Indent)
	}
}

// Magics are completed and explained, and that starts no training process.
func TestKernel_CompletesMagics(t *testing.T) {
	l := newLab(t)
	const code = "x := 1\n%fsnet ev"
	var completed jupyter.CompleteReply
	if err := l.Ask("complete_request", jupyter.CompleteRequest{Code: code, CursorPos: len(code)}).Reply.Decode(&completed); err != nil {
		t.Fatal(err)
	}
	if types, _ := completed.Metadata[typesKey].([]any); len(types) != len(completed.Matches) || completed.CursorEnd != len(code) ||
		!slices.Contains(completed.Matches, "evaluate") {
		t.Errorf("it completes to %+v", completed)
	}
	if l.kernel.host.Current() != nil {
		t.Error("completing started a training process")
	}
	var reply jupyter.InspectReply
	if err := l.Ask("inspect_request", jupyter.InspectRequest{Code: "%fsnet set lambda=1", CursorPos: 12}).Reply.Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if text, _ := reply.Data["text/plain"].(string); !reply.Found || !strings.Contains(text, "λ") {
		t.Errorf("lambda is explained as %+v", reply)
	}
	l.Ask("complete_request", jupyter.CompleteRequest{Code: "fmt.Pri", CursorPos: 7})
	l.Ask("inspect_request", jupyter.InspectRequest{Code: "fmt.Println", CursorPos: 7})
}

// shownBy is what a cell shows, in the order in which it arrives: the text of displays, and of updates behind an arrow.
func shownBy(r fronttest.Result) (list []string) {
	for _, m := range r.Published {
		var d jupyter.DisplayData
		if m.Header.Type == "display_data" && m.Decode(&d) == nil {
			list = append(list, fmt.Sprint(d.Data["text/plain"]))
		}
		if m.Header.Type == "update_display_data" && m.Decode(&d) == nil {
			list = append(list, "→"+fmt.Sprint(d.Data["text/plain"]))
		}
	}
	return list
}

func testShowInGoCells(t *testing.T, l *lab) {
	// Many values of one cell arrive, in order, none lost.
	many := shownBy(l.OK("%%\nfor i := range 10_000 {\n\twidgets.Show(i)\n}"))
	if len(many) != 10_000 {
		t.Fatalf("%d of 10,000 arrived", len(many))
	}
	for i, text := range many {
		if text != fmt.Sprint(i) {
			t.Fatalf("%s arrived at place %d", text, i)
		}
	}
	r := l.OK("type gene struct {\n\tName string\n\tShare float64\n}\n%%\n" +
		"widgets.Show([]gene{{\"CST3\", .5}}, widgets.HTML(\"<b>x</b>\"))\nwidgets.Show(widgets.SVG(\"<svg/>\"))")
	var d jupyter.DisplayData
	shown := r.Of("display_data")
	if len(shown) != 3 || shown[0].Decode(&d) != nil || !strings.Contains(fmt.Sprint(d.Data["text/html"]), "CST3") ||
		!strings.Contains(fmt.Sprint(d.Data["text/plain"]), "CST3") {
		t.Errorf("shown are %q", shownBy(r))
	}

	// A place that has a name: one display in a cell, whose last value is seen; a later cell shows it again under the same name.
	r = l.OK("%%\nfor i := range 1000 {\n\twidgets.Display(\"place\", i)\n}\nwidgets.Show(\"end\")")
	list := shownBy(r)
	if n := len(list); list[0] != "0" || list[n-2] != "→999" || list[n-1] != "end" || n > 1000 {
		t.Errorf("%d values: %q … %q", n, list[0], list[max(n-2, 0):])
	}
	ids := map[string]int{}
	for _, r := range []fronttest.Result{r, l.OK("%%\nwidgets.Display(\"place\", \"again\")")} {
		for _, m := range r.Published {
			if d := (jupyter.DisplayData{}); strings.HasSuffix(m.Header.Type, "display_data") && m.Decode(&d) == nil && d.Transient.DisplayID != "" {
				ids[d.Transient.DisplayID]++
			}
		}
	}
	if len(ids) != 1 {
		t.Errorf("the place has the names %v", ids)
	}

	// What goes wrong is one line.
	l.Fails("type sour struct{}\nfunc (sour) MimeBundle() map[string]any { panic(\"no\") }\n%%\nwidgets.Show(sour{})",
		"a main.sour cannot be shown: it panicked with no")
	l.OK("%%\nwidgets.Show(widgets.HTML(strings.Repeat(\"x\", 15_000_000)))") // larger than a request to a host may be

	// A silent cell shows nothing.
	if r := l.Silently("%%\nwidgets.Show(1)", nil); len(r.Of("display_data")) != 0 {
		t.Errorf("a silent cell shows %s", r.Types())
	}
	r = l.OK("%%\nfor range widgets.Progress(100_000, \"counting\") {\n}")
	if list := shownBy(r); len(list) < 2 || !strings.Contains(list[len(list)-1], "100000 of 100000") {
		t.Errorf("progress: %q", list)
	}
}

func testInput(t *testing.T, l *lab) {
	e := l.Asking("%with_inputs\n!read x; echo got $x")
	question := l.Question(e, "", false)
	l.Reply(question, "seven")
	if r := l.Finish(e); r.Stream("stdout") != "got seven\n" {
		t.Errorf("%s", r.Types())
	}

	// A Go cell asks, twice; jupyter_client's answers have no parent.
	e = l.Asking("%%\nfmt.Println(widgets.Ask(\"whose data? \"), widgets.AskSecretly(\"password: \"))")
	l.Question(e, "whose data? ", false)
	l.Reply(jupyter.Message{}, "mine")
	l.Question(e, "password: ", true)
	l.Reply(jupyter.Message{}, "x <> y")
	if r := l.Finish(e); r.Stream("stdout") != "mine x <> y\n" {
		t.Errorf("%s", r.Types())
	}

	// It is interrupted while it asks.
	e = l.Asking("%%\nwidgets.Ask(\"more? \")")
	l.Question(e, "more? ", false)
	l.Interrupt()
	l.HasFailed("interrupted", l.Finish(e), "Interrupted")

	// A front end that cannot ask is not asked.
	l.Fails("%%\nwidgets.Ask(\"name? \")", "cannot ask", "name? ")
	select {
	case m := <-l.Client.Stdin():
		t.Errorf("%s %s", m.Header.Type, m.Content)
	default:
	}
	l.OK("%%\nfmt.Println(1)")
}

// A user expression may be a magic; each has its own result or error.
func TestKernel_UserExpressions(t *testing.T) {
	l := newLab(t)
	l.OK(openShort)
	r := l.Silently("%fsnet step 3", map[string]string{
		"status": "%fsnet status", "matrix": "%fsnet matrix", "version": "%fsnet version",
		"wrong": "%fsnet nonsense", "go": "1 + 1", "mixed": "%fsnet status\n1",
	})
	if r.Status != "ok" || len(r.Expressions) != 6 {
		t.Fatalf("%s", r.Reply.Content)
	}
	for name, want := range map[string]string{"status": "step 3 ", "version": "test", "matrix": "P"} {
		got := r.Expressions[name]
		if text, _ := got.Data["text/plain"].(string); got.Status != "ok" || !strings.Contains(text, want) {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"wrong": "nonsense", "go": "is no %fsnet line", "mixed": "is no %fsnet line"} {
		if got := r.Expressions[name]; got.Status != "error" || got.Name == "" ||
			!strings.Contains(got.Value, want) || len(got.Traceback) != 1 {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
}
