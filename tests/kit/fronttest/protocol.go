package fronttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/jupyter"
)

// sent describes one kind of message that the kernel sends, according to the
// protocol.
type sent struct {
	socket string // "iopub", "reply" (on the socket of the request) or "stdin"
	parent string // "request" (the header of a request), "none" or "any"
	fields string // name:kind, with name? for an optional field; no other fields
}

// specification lists every message that a kernel sends, by type and, for
// replies, by status. It follows the published specification 5.5. makeKinds
// explains the kinds that JSON doesn't have.
func specification() map[string]sent {
	const failed = "status:string ename:string evalue:string traceback:strings"
	table := map[string]sent{
		"status":              {"iopub", "any", "execution_state:state"},
		"execute_input":       {"iopub", "request", "code:string execution_count:integer"},
		"stream":              {"iopub", "request", "name:stream text:string"},
		"display_data":        {"iopub", "request", "data:bundle metadata:object transient:transient"},
		"update_display_data": {"iopub", "request", "data:bundle metadata:object transient:named"},
		"execute_result":      {"iopub", "request", "data:bundle metadata:object execution_count:integer"},
		"error":               {"iopub", "request", "ename:string evalue:string traceback:strings"},
		"clear_output":        {"iopub", "request", "wait:boolean"},
		"comm_open":           {"iopub", "any", "comm_id:string target_name:string data:object"},
		"comm_msg":            {"iopub", "any", "comm_id:string data:object"},
		"comm_close":          {"iopub", "any", "comm_id:string data:object"},
		"iopub_welcome":       {"iopub", "none", "subscription:string"},
		"input_request":       {"stdin", "request", "prompt:string password:boolean"},

		"execute_reply ok": {
			"reply", "request", "status:string execution_count:integer payload:payload user_expressions:expressions",
		},
		"execute_reply error":   {"reply", "request", failed + " execution_count?:integer"},
		"execute_reply aborted": {"reply", "request", "status:string"},
		"kernel_info_reply ok": {"reply", "request", "status:string protocol_version:version implementation:string " +
			"implementation_version:string language_info:language banner:string help_links:links debugger:boolean supported_features:strings"},
		"complete_reply ok": {
			"reply", "request", "status:string matches:strings cursor_start:integer cursor_end:integer metadata:object",
		},
		"inspect_reply ok":             {"reply", "request", "status:string found:boolean data:object metadata:object"},
		"is_complete_reply complete":   {"reply", "request", "status:string"},
		"is_complete_reply incomplete": {"reply", "request", "status:string indent?:string"},
		"is_complete_reply invalid":    {"reply", "request", "status:string"},
		"history_reply ok":             {"reply", "request", "status:string history:history"},
		"comm_info_reply ok":           {"reply", "request", "status:string comms:comms"},
		"interrupt_reply ok":           {"reply", "request", "status:string"},
		"create_subshell_reply ok":     {"reply", "request", "status:string subshell_id:string"},
		"delete_subshell_reply ok":     {"reply", "request", "status:string"},
		"list_subshell_reply ok":       {"reply", "request", "status:string subshell_id:strings"},
		"shutdown_reply ok":            {"reply", "request", "status:string restart:boolean"},
	}
	for _, kind := range []string{
		"complete", "inspect", "is_complete", "history", "comm_info", "interrupt", "create_subshell", "delete_subshell",
	} {
		table[kind+"_reply error"] = sent{"reply", "request", failed}
	}
	return table
}

var mimeType = regexp.MustCompile(`^[\w+.-]+/[\w+.-]+$`)

// makeKinds returns the functions that check whether a value is of a kind.
func (p *protocol) makeKinds() map[string]func(any) bool {
	object := func(fields string) func(any) bool {
		return func(v any) bool {
			m, ok := v.(map[string]any)
			return ok && p.checkFields(m, fields) == nil
		}
	}
	list := func(each func(any) bool) func(any) bool {
		return func(v any) bool {
			l, ok := v.([]any)
			return ok && !slices.ContainsFunc(l, func(v any) bool { return !each(v) })
		}
	}
	values := func(each func(any) bool) func(any) bool {
		return func(v any) bool {
			m, ok := v.(map[string]any)
			for _, value := range m {
				ok = ok && each(value)
			}
			return ok
		}
	}
	text := func(v any) bool { _, ok := v.(string); return ok }
	integer := func(v any) bool { f, ok := v.(float64); return ok && f == math.Trunc(f) && f >= 0 }
	oneOf := func(words ...string) func(any) bool {
		return func(v any) bool { s, ok := v.(string); return ok && slices.Contains(words, s) }
	}
	bundle := func(v any) bool { // a MIME bundle with a form for every front end
		m, ok := v.(map[string]any)
		for key := range m {
			ok = ok && mimeType.MatchString(key)
		}
		return ok && text(m["text/plain"])
	}
	return map[string]func(any) bool{
		"string":    text,
		"boolean":   func(v any) bool { _, ok := v.(bool); return ok },
		"object":    func(v any) bool { _, ok := v.(map[string]any); return ok },
		"integer":   integer,
		"strings":   list(text),
		"state":     oneOf("starting", "busy", "idle"),
		"stream":    oneOf("stdout", "stderr"),
		"version":   func(v any) bool { return v == jupyter.ProtocolVersion },
		"bundle":    bundle,
		"transient": object("display_id?:string"),
		"named":     object("display_id:string"),
		"payload": list(func(v any) bool {
			return object("source:string data:bundle start:integer")(v) || object("source:string text:string replace:boolean")(v)
		}),
		"language": object("name:string version:string mimetype:string file_extension:string pygments_lexer?:string codemirror_mode?:string"),
		"links":    list(object("text:string url:string")),
		"comms":    values(object("target_name:string")),
		"history": list(func(v any) bool {
			entry, ok := v.([]any)
			if !ok || len(entry) != 3 || !integer(entry[0]) || !integer(entry[1]) {
				return false
			}
			if pair, ok := entry[2].([]any); ok {
				return len(pair) == 2 && text(pair[0]) && (pair[1] == nil || text(pair[1]))
			}
			return text(entry[2])
		}),
		"expressions": values(func(v any) bool {
			return object("status:string data:bundle metadata:object")(v) || object("status:string ename:string evalue:string traceback:strings")(v)
		}),
	}
}

// protocol is the specification in a form to check against.
type protocol struct {
	table map[string]sent
	kinds map[string]func(any) bool
}

func newProtocol() *protocol {
	p := &protocol{table: specification()}
	p.kinds = p.makeKinds()
	return p
}

// checkFields reports missing fields, unknown fields and fields of another
// kind.
func (p *protocol) checkFields(content map[string]any, fields string) error {
	known := map[string]bool{}
	for field := range strings.FieldsSeq(fields) {
		key, kind, _ := strings.Cut(field, ":")
		key, optional := strings.CutSuffix(key, "?")
		known[key] = true
		value, there := content[key]
		if !there && optional {
			continue
		}
		if !there || !p.kinds[kind](value) {
			return fmt.Errorf("%s is %v, want %s", key, value, kind)
		}
	}
	for key := range content {
		if !known[key] {
			return fmt.Errorf("%s is not specified", key)
		}
	}
	return nil
}

// nameOf returns a message's name in the specification.
func nameOf(m jupyter.Message) string {
	var content struct {
		Status string `json:"status"`
	}
	if strings.HasSuffix(m.Header.Type, "_reply") && m.Decode(&content) == nil {
		return m.Header.Type + " " + content.Status
	}
	return m.Header.Type
}

func (p *protocol) check(m jupyter.Message) error {
	h := m.Header
	if h.ID == "" || h.Session == "" || h.Username == "" || h.Version != jupyter.ProtocolVersion || !date.MatchString(h.Date) {
		return fmt.Errorf("header %+v", h)
	}
	as, known := p.table[nameOf(m)]
	if !known {
		return fmt.Errorf("%q is not specified", nameOf(m))
	}
	var content, parent, metadata map[string]any
	for _, part := range []struct {
		name string
		json json.RawMessage
		to   *map[string]any
	}{{"content", m.Content, &content}, {"parent", m.Parent, &parent}, {"metadata", m.Metadata, &metadata}} {
		if part.json == nil {
			part.json = json.RawMessage("{}")
		}
		if err := json.Unmarshal(part.json, part.to); err != nil || *part.to == nil {
			return fmt.Errorf("the %s is %s", part.name, part.json)
		}
	}
	switch {
	case as.parent == "request" && (parent["msg_id"] == nil || parent["msg_type"] == nil):
		return fmt.Errorf("the parent is %s", m.Parent)
	case as.parent == "none" && len(parent) > 0:
		return fmt.Errorf("the parent is %s, want none", m.Parent)
	}
	return p.checkFields(content, as.fields)
}

var date = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)

// conform checks an answer. Busy must come first and idle last, every message
// must be as specified, its parent must be the request's header, and the reply
// must come on the request's socket.
func conform(t testing.TB, request jupyter.Message, a Answer) {
	t.Helper()
	if want := strings.TrimSuffix(request.Header.Type, "_request") + "_reply"; a.Reply.Header.Type != want {
		t.Errorf("the reply is a %s, want %s", a.Reply.Header.Type, want)
	}
	if a.ReplySocket != a.RequestSocket {
		t.Errorf("the request went to %s, but %s came on %s", a.RequestSocket, a.Reply.Header.Type, a.ReplySocket)
	}
	if n := len(a.Published); n < 2 || State(a.Published[0]) != "busy" || State(a.Published[n-1]) != "idle" {
		t.Errorf("%s published %s, want busy first and idle last", request.Header.Type, a.Types())
	}
	p := newProtocol()
	for _, m := range append([]jupyter.Message{a.Reply}, a.Published...) {
		if err := p.check(m); err != nil {
			t.Errorf("%s: %v in %s", m.Header.Type, err, m.Content)
		}
		if !bytes.Equal(m.Parent, request.HeaderJSON()) {
			t.Errorf("%s has the parent %s, want the request's header %s", m.Header.Type, m.Parent, request.HeaderJSON())
		}
	}
}

// State returns the state in a status message. It returns "" for another
// message.
func State(m jupyter.Message) string {
	var s jupyter.Status
	if m.Header.Type != "status" || m.Decode(&s) != nil {
		return ""
	}
	return s.State
}
