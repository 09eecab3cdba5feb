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

// What a person does is echoed to all front ends, with the asking message as its parent, and handed to the handler once.
func TestUpdateIsEchoed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		s := ipywidgets.NewIntSlider(b.Manager, ipywidgets.Range[int]{Max: 10})
		var got []int
		s.Value.OnChange(func(v int) { got = append(got, v) })
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
		if s.Value.Get() != 7 || !reflect.DeepEqual(got, []int{7}) {
			t.Errorf("value %d, handler saw %v", s.Value.Get(), got)
		}
		if lines := b.reports(); len(lines) > 0 {
			t.Errorf("reported %q", lines)
		}
	})
}

// What does not fit changes nothing, is explained in one line, and the browser is told what is true.
func TestBadStateChangesNothing(t *testing.T) {
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for _, c := range []struct{ name, data, says string }{
		{"type", update("value", "7"), `value is "7", which is no whole number`},
		{"fraction", update("value", 7.5), "no whole number"},
		{"too large", update("value", 11), "value is 11, which is not from 0 to 10"},
		{"too small", update("value", -1), "not from 0 to 10"},
		{"huge", update("value", 1e300), "no whole number"},
		{"beyond all numbers", `{"method":"update","state":{"value":1e999}}`, "value = 1e999 is out of all range"},
		{"null", update("value", nil), "value is null"},
		{"list", update("value", []int{1}), "a list of 1"},
		{"object", update("value", map[string]int{"a": 1}), "an object"},
		{"unknown key", update("colour", "red"), `there is no "colour"`},
		{"long unknown key", update(strings.Repeat("x", 5000), 1), "x…"},
		{"not the browser's", update("max", 1000), "max is not the browser's to change"},
		{"identity", update("_model_name", "ButtonModel"), "_model_name is not the browser's to change"},
		{"good and bad together", `{"method":"update","state":{"value":3,"max":5}}`, "max is not the browser's"},
		{"buffer in the value", `{"method":"update","state":{},"buffer_paths":[["value"]]}`, "3 bytes"},
		{"path without end", `{"method":"update","state":{"value":1},"buffer_paths":[["value","x"]]}`, "leads nowhere"},
		{"empty path", `{"method":"update","state":{"value":1},"buffer_paths":[[]]}`, "path of a binary value is empty"},
		{"path without buffer", `{"method":"update","state":{"value":1},"buffer_paths":[["value"],["value"]]}`, "1 binary values for 2 paths"},
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
				s := ipywidgets.NewIntSlider(b.Manager, ipywidgets.Range[int]{Max: 10, Value: 2})
				s.Value.OnChange(func(v int) { t.Errorf("the handler saw %d", v) })
				b.channel.take()
				b.tell(s, c.data, []byte("abc"))
				synctest.Wait()
				if s.Value.Get() != 2 || s.Max.Get() != 10 {
					t.Errorf("value %d, max %d", s.Value.Get(), s.Max.Get())
				}
				for _, m := range b.channel.take() {
					for name, v := range read(t, m).State {
						if want := map[string]any{"value": 2.0, "max": 10.0, "_model_name": "IntSliderModel"}[name]; v != want {
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

// The values that a person may give, by kind of control, and those just outside.
func TestRanges(t *testing.T) {
	b := newBench()
	number := func(n *ipywidgets.Number[float64]) func() any { return func() any { return n.Value.Get() } }
	logarithmic := ipywidgets.NewFloatLogSlider(b.Manager, ipywidgets.Range[float64]{Value: 1, Min: -3, Max: 3})
	field := ipywidgets.NewBoundedFloatText(b.Manager, ipywidgets.Range[float64]{Max: 1})
	bar := ipywidgets.NewFloatProgress(b.Manager, ipywidgets.Range[float64]{})
	box := ipywidgets.NewCheckbox(b.Manager, "", false)
	list := ipywidgets.NewDropdown(b.Manager, "", []string{"a", "b"}, 0)
	tabs := ipywidgets.NewTab(b.Manager, []string{"one"}, box)
	output := ipywidgets.NewOutput(b.Manager)
	for _, c := range []struct {
		of    ipywidgets.Widget
		key   string
		value any
		taken bool
		get   func() any
	}{
		{logarithmic, "value", 1000, true, number(logarithmic)},
		{logarithmic, "value", 1000.0000001, true, nil},
		{logarithmic, "value", 1001, false, nil},
		{logarithmic, "value", 0, false, nil},
		{field, "value", 0.5, true, number(field)},
		{field, "value", -0.1, false, nil},
		{bar, "value", 3, false, nil},
		{box, "value", true, true, func() any { return box.Value.Get() }},
		{box, "value", 1, false, nil},
		{list, "index", 1.0, true, func() any { return float64(list.Index.Get()) }},
		{list, "index", 2, false, nil},
		{list, "index", -1, false, nil},
		{list, "index", nil, true, nil},
		{tabs, "selected_index", 0, true, nil},
		{tabs, "selected_index", 1, false, nil},
		{output, "outputs", []any{map[string]any{"output_type": "stream"}}, true, nil},
		{output, "outputs", []any{"stream"}, false, nil},
	} {
		b.tell(c.of, update(c.key, c.value))
		if taken := len(b.reports()) == 0; taken != c.taken {
			t.Errorf("%T %s = %v: taken %v", c.of, c.key, c.value, taken)
		}
		if c.get != nil {
			if got := c.get(); fmt.Sprint(got) != fmt.Sprint(c.value) {
				t.Errorf("%T %s = %v, want %v", c.of, c.key, got, c.value)
			}
		}
	}
}

func TestClicksAreNeverMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		button := ipywidgets.NewButton(b.Manager, "Step")
		other := ipywidgets.NewButton(b.Manager, "Pause")
		held, clicks, others := make(chan bool), 0, 0
		button.OnClick(func() { <-held; clicks++ })
		other.OnClick(func() { others++ })
		for range 200 {
			b.tell(button, `{"method":"custom","content":{"event":"click"}}`)
		}
		b.tell(button, `{"method":"custom","content":{"event":"hover"}}`)
		b.tell(other, `{"method":"custom","content":{"event":"click"}}`)
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

// Of a value that changes while its handler runs, the handler sees the last.
func TestSlowHandlerSeesTheLastValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		s := ipywidgets.NewIntSlider(b.Manager, ipywidgets.Range[int]{})
		held := make(chan bool)
		var got []int
		s.Value.OnChange(func(v int) { <-held; got = append(got, v) })
		b.tell(s, update("value", 1))
		synctest.Wait()
		for v := 2; v <= 50; v++ {
			b.tell(s, update("value", v))
		}
		held <- true
		held <- true
		synctest.Wait()
		if !reflect.DeepEqual(got, []int{1, 50}) {
			t.Errorf("handler saw %v", got)
		}
	})
}

func TestHandlerThatPanicsIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		button := ipywidgets.NewButton(b.Manager, "")
		count := 0
		button.OnClick(func() {
			if count++; count == 1 {
				panic("no such row")
			}
		})
		for range 2 {
			b.tell(button, `{"method":"custom","content":{"event":"click"}}`)
			synctest.Wait()
		}
		if lines := b.reports(); count != 2 || len(lines) != 1 || !strings.Contains(lines[0], "no such row") {
			t.Errorf("%d clicks, reported %q", count, lines)
		}
	})
}

func TestRequestState(t *testing.T) {
	b := newBench()
	s := ipywidgets.NewIntSlider(b.Manager, ipywidgets.Range[int]{Value: 4})
	b.channel.take()
	b.tell(s, `{"method":"request_state"}`)
	sent := b.channel.take()
	if len(sent) != 1 || sent[0].Cause != "asked" {
		t.Fatalf("sent %v", sent)
	}
	if m := read(t, sent[0]); m.Method != "update" || m.State["value"] != 4.0 || m.State["_model_name"] != "IntSliderModel" {
		t.Errorf("answer %+v", m)
	}
}

// A page that was reloaded asks for everything at once, binary values included.
func TestRequestStates(t *testing.T) {
	b := newBench()
	s := ipywidgets.NewIntSlider(b.Manager, ipywidgets.Range[int]{Value: 4})
	a := ipywidgets.NewAny(b.Manager, ipywidgets.Module{ESM: "export default {}"}, map[string]ipywidgets.Entry{
		"matrix": {Value: map[string]any{"shape": []any{1, 3}, "bytes": []byte("abc")}},
		"rows":   {Value: []any{"x", []byte("d")}},
	})
	b.channel.take()
	if comms := b.Comms(); len(comms) != b.count {
		t.Errorf("%d comms for %d models", len(comms), b.count)
	}
	control := func(kind ipywidgets.Kind, data string) bool {
		return b.Receive(ipywidgets.Message{Kind: kind, Comm: "page", Target: ipywidgets.ControlTarget, Data: json.RawMessage(data), Cause: "asked"})
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
	if state := m.States[s.ID()]; state.Name != "IntSliderModel" || state.State["value"] != 4.0 {
		t.Errorf("slider %+v", state)
	}
	found := map[string]string{}
	for i, path := range m.Paths {
		found[fmt.Sprint(path)] = string(sent[0].Buffers[i])
	}
	want := map[string]string{fmt.Sprintf("[%s state matrix bytes]", a.ID()): "abc", fmt.Sprintf("[%s state rows 1]", a.ID()): "d"}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("binary values %v, want %v", found, want)
	}
	if rows := m.States[a.ID()].State["rows"]; !reflect.DeepEqual(rows, []any{"x", nil}) {
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

// A browser cannot make models; messages to models that are not here are somebody else's.
func TestForeignComms(t *testing.T) {
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

// Binary values travel beside the text, in both directions.
func TestBinaryValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		a := ipywidgets.NewAny(b.Manager, ipywidgets.Module{ESM: "export default {}"}, map[string]ipywidgets.Entry{
			"brush": {Person: true}, "image": {Value: []byte{}},
		})
		var got any
		a.OnChange("brush", func(v any) { got = v })
		b.channel.take()
		a.Set(map[string]any{"image": []byte{1, 2, 3}})
		sent := b.channel.take()
		if len(sent) != 1 || len(sent[0].Buffers) != 1 || !bytes.Equal(sent[0].Buffers[0], []byte{1, 2, 3}) {
			t.Fatalf("sent %v", sent)
		}
		if m := read(t, sent[0]); !reflect.DeepEqual(m.Paths, [][]any{{"image"}}) || len(m.State) != 0 {
			t.Errorf("update %+v", m)
		}
		b.tell(a, `{"method":"update","state":{"brush":{"rows":[0,null]}},"buffer_paths":[["brush","rows",1]]}`, []byte{9})
		synctest.Wait()
		if want := (map[string]any{"rows": []any{0.0, []byte{9}}}); !reflect.DeepEqual(got, want) {
			t.Errorf("handler saw %v", got)
		}
		echo := b.channel.take()
		if len(echo) != 1 || len(echo[0].Buffers) != 1 || echo[0].Buffers[0][0] != 9 {
			t.Errorf("echo %v", echo)
		}
	})
}
