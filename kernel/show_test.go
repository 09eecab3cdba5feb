package kernel

import (
	"fmt"
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
)

// shownBy is what a cell shows, in the order in which it arrives: the text of displays, and of updates behind an arrow.
func shownBy(r result) (list []string) {
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

func TestShowInGoCells(t *testing.T) {
	l := newGoLab(t)
	// Many values of one cell arrive, in order, none lost.
	many := shownBy(l.ok("%%\nfor i := range 10_000 {\n\twidgets.Show(i)\n}"))
	if len(many) != 10_000 {
		t.Fatalf("%d of 10,000 arrived", len(many))
	}
	for i, text := range many {
		if text != fmt.Sprint(i) {
			t.Fatalf("%s arrived at place %d", text, i)
		}
	}
	r := l.ok("type gene struct {\n\tName string\n\tShare float64\n}\n%%\n" +
		"widgets.Show([]gene{{\"CST3\", .5}}, widgets.HTML(\"<b>x</b>\"))\nwidgets.Show(widgets.SVG(\"<svg/>\"))")
	var d jupyter.DisplayData
	shown := r.Of("display_data")
	if len(shown) != 3 || shown[0].Decode(&d) != nil || !strings.Contains(fmt.Sprint(d.Data["text/html"]), "CST3") ||
		!strings.Contains(fmt.Sprint(d.Data["text/plain"]), "CST3") {
		t.Errorf("shown are %q", shownBy(r))
	}

	// A place that has a name: one display in a cell, whose last value is seen; a later cell shows it again under the same name.
	r = l.ok("%%\nfor i := range 1000 {\n\twidgets.Display(\"place\", i)\n}\nwidgets.Show(\"end\")")
	list := shownBy(r)
	if n := len(list); list[0] != "0" || list[n-2] != "→999" || list[n-1] != "end" || n > 1000 {
		t.Errorf("%d values: %q … %q", n, list[0], list[max(n-2, 0):])
	}
	ids := map[string]int{}
	for _, r := range []result{r, l.ok("%%\nwidgets.Display(\"place\", \"again\")")} {
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
	l.fails("type sour struct{}\nfunc (sour) MimeBundle() map[string]any { panic(\"no\") }\n%%\nwidgets.Show(sour{})",
		"a main.sour cannot be shown: it panicked with no")
	l.ok("%%\nwidgets.Show(widgets.HTML(strings.Repeat(\"x\", 15_000_000)))") // larger than a request to a host may be

	// A silent cell shows nothing.
	if a := l.ask("execute_request", jupyter.ExecuteRequest{Code: "%%\nwidgets.Show(1)", Silent: true}); len(a.Of("display_data")) != 0 {
		t.Errorf("a silent cell shows %v", types(a))
	}
	r = l.ok("%%\nfor range widgets.Progress(100_000, \"counting\") {\n}")
	if list := shownBy(r); len(list) < 2 || !strings.Contains(list[len(list)-1], "100000 of 100000") {
		t.Errorf("progress: %q", list)
	}
}

// Nobody but a running cell's program shows anything, and what is not a value is explained.
func TestShowRefuses(t *testing.T) {
	l := newLab(t)
	for params, want := range map[string]string{
		`{"data":{"text/plain":"x"}}`:        "no cell is running",
		`{"data":{"text/html":"x"}}`:         "no text/plain",
		`{"data":{"text/plain":3}}`:          "no text/plain",
		`[]`:                                 "the parameters of a value to show",
		`{"data":{"text/plain":"x"},"id":3}`: "the parameters of a value to show",
		`{"data":{"text/plain":"x"},"id":"` + strings.Repeat("x", 300) + `"}`: "the name of a display has 300 bytes",
	} {
		if _, err := l.kernel.show(t.Context(), []byte(params)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
}
