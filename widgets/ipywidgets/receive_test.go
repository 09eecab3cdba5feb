package ipywidgets_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"fsnetlab/widgets/ipywidgets"
)

// What a person does is echoed to all front ends, with the request as its
// parent, and passed to the handler once.
func TestReceive_EchoesUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		s := b.number(0)
		var got []any
		s.OnChange("value", func(v any) { got = append(got, v) })
		b.channel.take()
		b.tell(s, update("value", 7))
		synctest.Wait()
		sent := b.channel.take()
		if len(sent) != 1 || sent[0].Cause != "asked" {
			t.Fatalf("sent %v", sent)
		}
		if echo := read(t, sent[0]); echo.Method != "echo_update" || !reflect.DeepEqual(echo.State, map[string]any{"value": 7.0}) {
			t.Errorf("echo %+v", echo)
		}
		if s.Get("value") != 7.0 || !reflect.DeepEqual(got, []any{7.0}) {
			t.Errorf("value %v, handler saw %v", s.Get("value"), got)
		}
		if lines := b.reports(); len(lines) > 0 {
			t.Errorf("reported %q", lines)
		}
	})
}

// A state that doesn't fit changes nothing, is explained in one line, and the
// browser is told the true one.
func TestReceive_RejectsBadState(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for _, c := range []struct{ name, data, says string }{
		{"type", update("value", "7"), "value is not a whole number from 0 to 10"},
		{"fraction", update("value", 7.5), "not a whole number"},
		{"too large", update("value", 11), "from 0 to 10"},
		{"huge", update("value", 1e300), "from 0 to 10"},
		{"beyond all numbers", `{"method":"update","state":{"value":1e999}}`, "value = 1e999 is out of range"},
		{"null", update("value", nil), "not a whole number"},
		{"object", update("value", map[string]int{"a": 1}), "not a whole number"},
		{"unknown key", update("colour", "red"), `there is no "colour"`},
		{"long unknown key", update(strings.Repeat("x", 5000), 1), "x…"},
		{"not the browser's", update("max", 1000), "max cannot be changed in the browser"},
		{"identity", update("_model_name", "ButtonModel"), "_model_name cannot be changed in the browser"},
		{"good and bad together", `{"method":"update","state":{"value":3,"max":5}}`, "max cannot be changed in the browser"},
		{"binary value", `{"method":"update","state":{},"buffer_paths":[["value"]]}`, "the browser may not send binary values"},
		{"empty path", `{"method":"update","state":{"value":1},"buffer_paths":[[]]}`, "the browser may not send binary values"},
		{"method", `{"method":"explode"}`, `unknown method "explode"`},
		{"no method", `{}`, `unknown method ""`},
		{"not an object", `[1]`, "cannot be read"},
		{"state not an object", `{"method":"update","state":[1]}`, "cannot be read"},
		{"deep", `{"method":"update","state":{"value":` + deep + `}}`, ""},
		{"long", `{"method":"update","state":{"value":"` + strings.Repeat("x", 9<<20) + `"}}`, "is too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench()
				s := b.number(2)
				s.OnChange("value", func(v any) { t.Errorf("the handler saw %v", v) })
				b.channel.take()
				b.tell(s, c.data)
				synctest.Wait()
				if s.Get("value") != 2.0 || s.Get("max") != 10 {
					t.Errorf("value %v, max %v", s.Get("value"), s.Get("max"))
				}
				for _, m := range b.channel.take() {
					for name, v := range read(t, m).State {
						if want := map[string]any{"value": 2.0, "max": 10.0, "_model_name": "AnyModel"}[name]; v != want {
							t.Errorf("the browser was told %s = %v", name, v)
						}
					}
				}
				lines := b.reports()
				if len(lines) != 1 || !strings.Contains(lines[0], c.says) || strings.Contains(lines[0], "\n") || len(lines[0]) > 300 {
					t.Errorf("reported %q, wanted one line with %q", lines, c.says)
				}
			})
		})
	}
}

// Every message reaches its handler, and a slow handler doesn't delay another
// model's.
func TestReceive_NeverMergesMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		button, other := b.number(0), b.number(0)
		held, clicks, others := make(chan bool), 0, 0
		button.OnMessage(func(json.RawMessage) { <-held; clicks++ })
		other.OnMessage(func(json.RawMessage) { others++ })
		for range 200 {
			b.tell(button, press)
		}
		b.tell(other, press)
		synctest.Wait()
		if others != 1 {
			t.Error("a slow handler held up another model's")
		}
		for range 200 {
			held <- true
		}
		synctest.Wait()
		if clicks != 200 {
			t.Errorf("%d of 200 clicks", clicks)
		}
	})
}

// If a value changes while its handler runs, the handler sees the last one.
func TestReceive_SlowHandlerSeesLastValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		s := b.number(0)
		held := make(chan bool)
		var got []any
		s.OnChange("value", func(v any) { <-held; got = append(got, v) })
		b.tell(s, update("value", 1))
		synctest.Wait()
		for v := 2; v <= 9; v++ {
			b.tell(s, update("value", v))
		}
		held <- true
		held <- true
		synctest.Wait()
		if !reflect.DeepEqual(got, []any{1.0, 9.0}) {
			t.Errorf("handler saw %v", got)
		}
	})
}

// A handler's panic is reported, and the next message is handled.
func TestReceive_HandlerPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		button := b.number(0)
		count := 0
		button.OnMessage(func(json.RawMessage) {
			if count++; count == 1 {
				panic("no such row")
			}
		})
		for range 2 {
			b.tell(button, press)
			synctest.Wait()
		}
		if lines := b.reports(); count != 2 || len(lines) != 1 || !strings.Contains(lines[0], "no such row") {
			t.Errorf("%d clicks, reported %q", count, lines)
		}
	})
}

// A request for a model's state is answered with all of it.
func TestReceive_RequestState(t *testing.T) {
	b := newBench()
	s := b.number(4)
	b.channel.take()
	b.tell(s, `{"method":"request_state"}`)
	sent := b.channel.take()
	if len(sent) != 1 || sent[0].Cause != "asked" {
		t.Fatalf("sent %v", sent)
	}
	if m := read(t, sent[0]); m.Method != "update" || m.State["value"] != 4.0 || m.State["_model_name"] != "AnyModel" {
		t.Errorf("answer %+v", m)
	}
}

// A page that was reloaded asks for all states at once, and gets them with
// their binary values.
func TestReceive_RequestStates(t *testing.T) {
	b := newBench()
	s := b.number(4)
	a := ipywidgets.NewModel(b.Manager, ipywidgets.Module{ESM: "export default {}"}, map[string]ipywidgets.Entry{
		"matrix": {Value: []byte("abc")}, "rows": {Value: []any{"x"}},
	})
	b.channel.take()
	if comms := b.Comms(); len(comms) != b.count {
		t.Errorf("%d comms for %d models", len(comms), b.count)
	}
	control := func(kind ipywidgets.Kind, data string) bool {
		return b.Receive(
			ipywidgets.Message{Kind: kind, Comm: "page", Target: ipywidgets.ControlTarget, Data: json.RawMessage(data), Cause: "asked"})
	}
	if control(ipywidgets.Tell, `{}`) {
		t.Error("a control comm that was not opened was taken")
	}
	control(ipywidgets.Open, `{}`)
	control(ipywidgets.Tell, `{"method":"request_states"}`)
	sent := b.channel.take()
	if len(sent) != 1 || sent[0].Comm != "page" || sent[0].Cause != "asked" {
		t.Fatalf("sent %v", sent)
	}
	m := read(t, sent[0])
	if m.Method != "update_states" || len(m.States) != b.count {
		t.Fatalf("%s with %d of %d states", m.Method, len(m.States), b.count)
	}
	if state := m.States[s.ID()]; state.Name != "AnyModel" || state.State["value"] != 4.0 {
		t.Errorf("number %+v", state)
	}
	found := map[string]string{}
	for i, path := range m.Paths {
		found[fmt.Sprint(path)] = string(sent[0].Buffers[i])
	}
	want := map[string]string{fmt.Sprintf("[%s state matrix]", a.ID()): "abc"}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("binary values %v, want %v", found, want)
	}
	if rows := m.States[a.ID()].State["rows"]; !reflect.DeepEqual(rows, []any{"x"}) {
		t.Errorf("rows %v", rows)
	}
	control(ipywidgets.Tell, `{"method":"explode"}`)
	if lines := b.reports(); len(lines) != 1 || !strings.Contains(lines[0], `"explode"`) {
		t.Errorf("reported %q", lines)
	}
	control(ipywidgets.Close, `{}`)
	if control(ipywidgets.Tell, `{"method":"request_states"}`) {
		t.Error("a closed control comm was taken")
	}
}

// A browser can't make models. Messages to models of others are ignored.
func TestReceive_ForeignComms(t *testing.T) {
	b := newBench()
	if !b.Receive(ipywidgets.Message{Kind: ipywidgets.Open, Comm: "x", Target: ipywidgets.Target}) {
		t.Error("a model from the browser was left to others")
	}
	if sent := b.channel.take(); len(sent) != 1 || sent[0].Kind != ipywidgets.Close || sent[0].Comm != "x" {
		t.Errorf("sent %v", sent)
	}
	for _, kind := range []ipywidgets.Kind{ipywidgets.Open, ipywidgets.Tell, ipywidgets.Close} {
		if b.Receive(ipywidgets.Message{Kind: kind, Comm: "y", Target: "other"}) {
			t.Errorf("%s of another's comm was taken", kind)
		}
	}
}

// Binary values travel next to the text.
func TestUpdate_BinaryValues(t *testing.T) {
	b := newBench()
	a := ipywidgets.NewModel(b.Manager, ipywidgets.Module{}, map[string]ipywidgets.Entry{"image": {Value: []byte{}}})
	b.channel.take()
	a.Set(map[string]any{"image": []byte{1, 2, 3}})
	sent := b.channel.take()
	if len(sent) != 1 || len(sent[0].Buffers) != 1 || !bytes.Equal(sent[0].Buffers[0], []byte{1, 2, 3}) {
		t.Fatalf("sent %v", sent)
	}
	if m := read(t, sent[0]); !reflect.DeepEqual(m.Paths, [][]any{{"image"}}) || len(m.State) != 0 {
		t.Errorf("update %+v", m)
	}
}
