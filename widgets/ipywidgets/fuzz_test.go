package ipywidgets_test

import (
	"encoding/json"
	"strings"
	"testing"

	"fsnetlab/widgets/ipywidgets"
)

// Whatever arrives, the state stays one that its checks let pass, and every explanation is one line.
func FuzzReceive(f *testing.F) {
	for _, seed := range []string{
		update("value", 3), update("value", "3"), update("brush", map[string]any{"a": []any{1}}), `{}`, `[]`, `{"method":"update"}`,
		`{"method":"update","state":{"brush":{"a":[null]}},"buffer_paths":[["brush","a",0]]}`, `{"method":"update","state":{"value":1e999}}`,
		press, `{"method":"request_state"}`, `{"method":"request_states"}`,
		`{"method":"update","state":{"brush":[]},"buffer_paths":[["brush",1e18]]}`, `{"method":"update","state":{"_esm":"x"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		b := newBench()
		s := b.number(0)
		a := ipywidgets.NewModel(b.Manager, ipywidgets.Module{ESM: "export default {}"}, map[string]ipywidgets.Entry{"brush": {Person: true}})
		b.Receive(ipywidgets.Message{Kind: ipywidgets.Open, Comm: "page", Target: ipywidgets.ControlTarget})
		b.channel.take()
		for _, comm := range []string{s.ID(), a.ID(), "page"} {
			if !b.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: comm, Data: json.RawMessage(data)}) {
				t.Errorf("%s was not taken", comm)
			}
		}
		if v, ok := s.Get("value").(float64); !ok || v < 0 || v > 10 {
			t.Errorf("value %v", s.Get("value"))
		}
		for _, m := range b.channel.take() {
			if body := read(t, m); len(body.Paths) != len(m.Buffers) {
				t.Errorf("%d buffers for %d paths", len(m.Buffers), len(body.Paths))
			}
		}
		for _, line := range b.reports() {
			if strings.ContainsAny(line, "\n\r") || len(line) > 1000 {
				t.Errorf("reported %q", line)
			}
		}
	})
}
