package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
