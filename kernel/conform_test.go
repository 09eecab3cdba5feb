package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fsnetlab/kernel/wire"
)

// The specification of every message that the kernel sends: its fields and the kind of JSON value of each. A ? makes one optional.
func specification() map[string]string {
	const errorFields = " ename:string evalue:string traceback:array"
	return map[string]string{
		"status":              "execution_state:string",
		"execute_input":       "code:string execution_count:number",
		"stream":              "name:string text:string",
		"display_data":        "data:object metadata:object transient:object",
		"update_display_data": "data:object metadata:object transient:object",
		"execute_result":      "data:object metadata:object execution_count:number",
		"error":               errorFields,
		"clear_output":        "wait:boolean",
		"comm_close":          "comm_id:string data:object",
		"input_request":       "prompt:string password:boolean",

		"execute_reply ok":             "status:string execution_count:number payload:array user_expressions:object",
		"execute_reply error":          "status:string execution_count:number" + errorFields,
		"execute_reply aborted":        "status:string",
		"kernel_info_reply ok":         "status:string protocol_version:string implementation:string implementation_version:string language_info:object banner:string help_links:array debugger:boolean",
		"complete_reply ok":            "status:string matches:array cursor_start:number cursor_end:number metadata:object",
		"inspect_reply ok":             "status:string found:boolean data:object metadata:object",
		"is_complete_reply complete":   "status:string",
		"is_complete_reply incomplete": "status:string indent?:string",
		"is_complete_reply invalid":    "status:string",
		"history_reply ok":             "status:string history:array",
		"comm_info_reply ok":           "status:string comms:object",
		"interrupt_reply ok":           "status:string",
		"shutdown_reply ok":            "status:string restart:boolean",
	}
}

// conform checks an answer: busy first, idle last, every message as specified, its parent the request's own header.
func conform(t *testing.T, request wire.Message, a wire.Answer) {
	t.Helper()
	if want := strings.TrimSuffix(request.Header.Type, "_request") + "_reply"; a.Reply.Header.Type != want {
		t.Errorf("the reply is a %s, want %s", a.Reply.Header.Type, want)
	}
	if n := len(a.Published); n < 2 || state(a.Published[0]) != "busy" || state(a.Published[n-1]) != "idle" {
		t.Errorf("%s published %s, want busy first and idle last", request.Header.Type, types(a))
	}
	for _, m := range append([]wire.Message{a.Reply}, a.Published...) {
		if err := specified(m); err != nil {
			t.Errorf("%s: %v in %s", m.Header.Type, err, m.Content)
		}
		if !bytes.Equal(m.Parent, request.HeaderJSON()) {
			t.Errorf("%s has the parent %s, want the request's header %s", m.Header.Type, m.Parent, request.HeaderJSON())
		}
	}
}

func state(m wire.Message) string {
	var s wire.Status
	if m.Header.Type != "status" || m.Decode(&s) != nil {
		return ""
	}
	return s.State
}

func specified(m wire.Message) error {
	h := m.Header
	if h.ID == "" || h.Session == "" || h.Username == "" || h.Date == "" || h.Version != wire.ProtocolVersion {
		return fmt.Errorf("header %+v", h)
	}
	var content map[string]any
	if err := json.Unmarshal(m.Content, &content); err != nil {
		return err
	}
	name := h.Type
	if strings.HasSuffix(name, "_reply") {
		name += " " + fmt.Sprint(content["status"])
	}
	fields, known := specification()[name]
	if !known {
		return fmt.Errorf("%q is not specified", name)
	}
	for field := range strings.FieldsSeq(fields) {
		key, kind, _ := strings.Cut(field, ":")
		key, optional := strings.CutSuffix(key, "?")
		value, there := content[key]
		if !there && optional {
			continue
		}
		if got := kindOf(value); got != kind {
			return fmt.Errorf("%s is %s, want %s", key, got, kind)
		}
	}
	if data, ok := content["data"].(map[string]any); ok && h.Type != "inspect_reply" && h.Type != "comm_close" {
		if _, ok := data["text/plain"].(string); !ok {
			return fmt.Errorf("no text/plain among %v", data)
		}
	}
	return nil
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "nothing"
}

func TestSpecificationFindsFaults(t *testing.T) {
	good := wire.NewMessage("s", "stream", wire.Stream{Name: "stdout", Text: "x"})
	if err := specified(good); err != nil {
		t.Error(err)
	}
	for _, bad := range []wire.Message{
		wire.NewMessage("s", "stream", map[string]any{"name": "stdout"}),
		wire.NewMessage("s", "stream", map[string]any{"name": "stdout", "text": 3}),
		wire.NewMessage("s", "nonsense", nil),
		wire.NewMessage("", "stream", wire.Stream{}),
		wire.NewMessage("s", "execute_reply", wire.StatusReply{Status: "perhaps"}),
	} {
		if specified(bad) == nil {
			t.Errorf("%s %s passes", bad.Header.Type, bad.Content)
		}
	}
}
