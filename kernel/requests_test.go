package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fsnetlab/kernel/jupyter"
	"fsnetlab/tests/kit/fronttest"
)

func TestKernelInfo(t *testing.T) {
	l := newLab(t)
	for _, a := range []fronttest.Answer{l.ask("kernel_info_request", nil), l.askControl("kernel_info_request", nil)} {
		var info jupyter.KernelInfo
		if err := a.Reply.Decode(&info); err != nil {
			t.Fatal(err)
		}
		if info.ProtocolVersion != "5.5" || info.Debugger || !slices.Contains(info.SupportedFeatures, "kernel subshells") ||
			slices.Contains(info.SupportedFeatures, "debugger") || !slices.Contains(info.SupportedFeatures, "iopub_welcome") {
			t.Errorf("it claims %s", a.Reply.Content)
		}
		if i := info.LanguageInfo; i.Name != "go" || i.FileExtension != ".go" || i.MIMEType != "text/x-go" || info.Implementation != "fsnet" {
			t.Errorf("%+v", info)
		}
	}
}

func TestIsComplete(t *testing.T) {
	l := newLab(t)
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
		a := l.ask("is_complete_request", jupyter.IsCompleteRequest{Code: code})
		var reply jupyter.IsCompleteReply
		if err := a.Reply.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		if reply.Status != want {
			t.Errorf("%q is %s, want %s", code, reply.Status, want)
		}
	}
	if got := completeness("func f() {\n\tg("); got.Indent != "\t\t" {
		t.Errorf("the indent is %q", got.Indent)
	}
}

func TestHistory(t *testing.T) {
	l := newLab(t)
	for _, code := range []string{"%fsnet version", "%fsnet help", "%fsnet version", "%fsnet sessions"} {
		l.ok(code)
	}
	l.ask("execute_request", jupyter.ExecuteRequest{Code: "%fsnet clear", StoreHistory: false})
	l.ask("execute_request", jupyter.ExecuteRequest{Code: "%fsnet clear", StoreHistory: true, Silent: true})
	for _, c := range []struct {
		request jupyter.HistoryRequest
		want    string
	}{
		{jupyter.HistoryRequest{Access: "tail", N: 2}, "3 %fsnet version, 4 %fsnet sessions"},
		{jupyter.HistoryRequest{Access: "tail", N: 99}, "1 %fsnet version, 2 %fsnet help, 3 %fsnet version, 4 %fsnet sessions"},
		{jupyter.HistoryRequest{Access: "range", Start: 2, Stop: 4}, "2 %fsnet help, 3 %fsnet version"},
		{jupyter.HistoryRequest{Access: "range", Start: 3}, "3 %fsnet version, 4 %fsnet sessions"},
		{jupyter.HistoryRequest{Access: "range", Session: -1}, ""},
		{jupyter.HistoryRequest{Access: "search", Pattern: "*ver*"}, "1 %fsnet version, 3 %fsnet version"},
		{jupyter.HistoryRequest{Access: "search", Pattern: "*ver*", N: 1}, "3 %fsnet version"},
		{jupyter.HistoryRequest{Access: "search", Pattern: "*", Unique: true}, "2 %fsnet help, 3 %fsnet version, 4 %fsnet sessions"},
		{jupyter.HistoryRequest{Access: "search", Pattern: "["}, ""},
		{jupyter.HistoryRequest{Access: "search", Pattern: "%fsnet ?elp"}, "2 %fsnet help"},
		{jupyter.HistoryRequest{Access: "search", Pattern: "version"}, ""},
		{jupyter.HistoryRequest{Access: "unknown"}, ""},
	} {
		var reply struct{ History [][]any }
		if err := l.ask("history_request", c.request).Reply.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, entry := range reply.History {
			got = append(got, fmt.Sprint(entry[1], " ", entry[2]))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%+v finds %q, want %q", c.request, got, c.want)
		}
	}
	var reply struct{ History [][]any }
	if err := l.ask("history_request", jupyter.HistoryRequest{Access: "tail", N: 1, Output: true}).Reply.Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if pair, ok := reply.History[0][2].([]any); !ok || len(pair) != 2 || pair[0] != "%fsnet sessions" || pair[1] != nil {
		t.Errorf("with output it is %v", reply.History)
	}
	if err := l.ask("history_request",
		jupyter.HistoryRequest{Access: "range", Start: 3, Stop: 4, Output: true}).Reply.Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if pair, ok := reply.History[0][2].([]any); !ok || len(pair) != 2 ||
		pair[0] != "%fsnet version" || !strings.Contains(fmt.Sprint(pair[1]), "test") {
		t.Errorf("of a cell with a result it is %v", reply.History)
	}
}

func TestCompleteAndInspectOfMagics(t *testing.T) {
	l := newLab(t)
	for _, c := range []struct {
		code string
		want string
	}{
		{"%fsnet sta", "status"},
		{"%fsnet set lam", "lambda="},
		{"%fsnet open a data=ALL", "data=ALLAML"},
		{"x := 1\n%fsnet ev", "evaluate"},
	} {
		var reply jupyter.CompleteReply
		a := l.ask("complete_request", jupyter.CompleteRequest{Code: c.code, CursorPos: len([]rune(c.code))})
		if err := a.Reply.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		if types, _ := reply.Metadata[typesKey].([]any); len(types) != len(reply.Matches) {
			t.Errorf("%q: %d types for %d matches", c.code, len(types), len(reply.Matches))
		}
		if !slices.Contains(reply.Matches, c.want) || reply.CursorEnd != len([]rune(c.code)) {
			t.Errorf("%q completes to %+v, want %s", c.code, reply, c.want)
		}
	}
	if l.kernel.host.Current() != nil {
		t.Error("completing started a training process")
	}
	var reply jupyter.InspectReply
	if err := l.ask("inspect_request", jupyter.InspectRequest{Code: "%fsnet set lambda=1", CursorPos: 12}).Reply.Decode(&reply); err != nil {
		t.Fatal(err)
	}
	if text, _ := reply.Data["text/plain"].(string); !reply.Found || !strings.Contains(text, "λ") {
		t.Errorf("lambda is explained as %+v", reply)
	}
	l.ask("complete_request", jupyter.CompleteRequest{Code: "fmt.Pri", CursorPos: 7})
	l.ask("inspect_request", jupyter.InspectRequest{Code: "fmt.Println", CursorPos: 7})
}

func TestComms(t *testing.T) {
	l := newLab(t)
	l.ask("comm_info_request", nil)
	e, err := l.front.Start("comm_open", map[string]any{"comm_id": "c1", "target_name": "nobody", "data": map[string]any{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Until(l.context(), func(m jupyter.Message) bool { return m.Header.Type == "comm_close" }); err != nil {
		t.Error("a comm that nobody knows is not closed:", err)
	}
}

func TestOddContents(t *testing.T) {
	l := newLab(t)
	for _, kind := range []string{"execute", "complete", "inspect", "is_complete", "history"} {
		m := l.client.Request(kind+"_request", map[string]any{"code": 3, "hist_access_type": 4})
		e, err := l.front.Start(m.Header.Type, m.Content)
		if err != nil {
			t.Fatal(err)
		}
		a, err := e.Wait(l.context())
		if err != nil {
			t.Fatal(kind, err)
		}
		var reply jupyter.ErrorReply
		if err := a.Reply.Decode(&reply); err != nil || reply.Status != "error" || reply.Value == "" {
			t.Errorf("%s: %s", kind, a.Reply.Content)
		}
	}
	// A cursor that is nowhere.
	for _, at := range []int{-1, 1 << 30} {
		l.ask("complete_request", jupyter.CompleteRequest{Code: "%fsnet st", CursorPos: at})
		l.ask("inspect_request", jupyter.InspectRequest{Code: "%fsnet st", CursorPos: at})
	}
	l.ok("%fsnet version")
}

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

// asking runs a cell of a front end that can ask its user.
func (l *lab) asking(code string) *fronttest.Exchange {
	l.Helper()
	e, err := l.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, StoreHistory: true, AllowStdin: true})
	if err != nil {
		l.Fatal(err)
	}
	return e
}

// question waits for what a cell asks.
func (l *lab) question(e *fronttest.Exchange, prompt string, secret bool) jupyter.Message {
	l.Helper()
	select {
	case m := <-l.client.Stdin():
		var request jupyter.InputRequest
		if err := m.Decode(&request); err != nil || m.Header.Type != "input_request" ||
			m.ParentID() != e.Request.Header.ID || !strings.Contains(request.Prompt, prompt) || request.Password != secret {
			l.Errorf("asked was %s of %s, %v", m.Content, m.Parent, err)
		}
		if err := specified(m); err != nil {
			l.Error(err)
		}
		return m
	case <-time.After(limit):
		l.Fatal("nothing was asked")
	}
	return jupyter.Message{}
}

func (l *lab) answer(m jupyter.Message) {
	l.Helper()
	if err := l.client.SendStdin(m); err != nil {
		l.Fatal(err)
	}
}

// unasked answers where nothing was asked, and waits until the kernel has taken notice: it reads answers and cells side by side, and one
// that it reads late would be the first question's.
func (l *lab) unasked(value string) {
	l.Helper()
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: value}))
	read := make(chan struct{})
	var hook func(jupyter.Message)
	hook = func(m jupyter.Message) {
		if !strings.Contains(string(m.Content), "behind it") { // it was read late
			l.kernel.questions.ask("", hook)
			return
		}
		close(read)
	}
	l.kernel.questions.ask("", hook)
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: "behind it"}))
	select {
	case <-read:
	case <-time.After(limit):
		l.Fatal("answers are not read")
	}
}

func TestInput(t *testing.T) {
	l := newGoLab(t)
	l.unasked("nobody asked")
	e := l.asking("%with_inputs\n!read x; echo got $x")
	question := l.question(e, "", false)
	l.answer(question.Answer("client", "input_reply", jupyter.InputReply{Value: "seven"}))
	if r := l.finish(e); r.stream("stdout") != "got seven\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A Go cell asks, twice; jupyter_client's answers have no parent.
	e = l.asking("%%\nfmt.Println(widgets.Ask(\"whose data? \"), widgets.AskSecretly(\"password: \"))")
	l.question(e, "whose data? ", false)
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: "mine"}))
	l.question(e, "password: ", true)
	l.answer(l.client.Request("input_reply", jupyter.InputReply{Value: "x <> y"}))
	if r := l.finish(e); r.stream("stdout") != "mine x <> y\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A question that is interrupted; its answer comes too late, and is not the next cell's.
	e = l.asking("%%\nwidgets.Ask(\"more? \")")
	late := l.question(e, "more? ", false)
	l.askControl("interrupt_request", nil)
	l.failed("interrupted", l.finish(e), "Interrupted")
	l.answer(late.Answer("client", "input_reply", jupyter.InputReply{Value: "late"}))
	e = l.asking("%%\nfmt.Println(widgets.Ask(\"again? \"))")
	question = l.question(e, "again? ", false)
	l.answer(late.Answer("client", "input_reply", jupyter.InputReply{Value: "late again"}))
	l.answer(question.Answer("client", "input_reply", jupyter.InputReply{Value: "in time"}))
	if r := l.finish(e); r.stream("stdout") != "in time\n" {
		t.Errorf("%s", types(r.Answer))
	}

	// A front end that cannot ask is not asked.
	l.fails("%%\nwidgets.Ask(\"name? \")", "cannot ask", "name? ")
	select {
	case m := <-l.client.Stdin():
		t.Errorf("%s %s", m.Header.Type, m.Content)
	default:
	}
	l.ok("%%\nfmt.Println(1)")
}

// evaluated asks for expressions behind a cell.
func (l *lab) evaluated(code string, expressions map[string]string) result {
	l.Helper()
	e, err := l.front.Start("execute_request", jupyter.ExecuteRequest{Code: code, UserExpressions: expressions, Silent: true})
	if err != nil {
		l.Fatal(err)
	}
	return l.finish(e)
}

func TestUserExpressionsOfMagics(t *testing.T) {
	l := newLab(t)
	l.ok(openShort)
	r := l.evaluated("%fsnet step 3", map[string]string{
		"status": "%fsnet status", "matrix": "%fsnet matrix", "version": "%fsnet version",
		"wrong": "%fsnet nonsense", "go": "1 + 1", "mixed": "%fsnet status\n1",
	})
	if r.reply.Status != "ok" || len(r.reply.Expressions) != 6 {
		t.Fatalf("%s", r.Reply.Content)
	}
	for name, want := range map[string]string{"status": "step 3 ", "version": "test", "matrix": "P"} {
		got := r.reply.Expressions[name]
		if text, _ := got.Data["text/plain"].(string); got.Status != "ok" || !strings.Contains(text, want) {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{"wrong": "nonsense", "go": "is no %fsnet line", "mixed": "is no %fsnet line"} {
		if got := r.reply.Expressions[name]; got.Status != "error" || got.Name == "" ||
			!strings.Contains(got.Value, want) || len(got.Traceback) != 1 {
			t.Errorf("%s is %+v, want %q", name, got, want)
		}
	}
	if r := l.evaluated("%fsnet nonsense", map[string]string{"a": "%fsnet version"}); r.reply.Status != "error" ||
		len(r.reply.Expressions) != 0 {
		t.Errorf("of a failed cell: %s", r.Reply.Content)
	}
}
