package views

import (
	"encoding/json"
	"testing"

	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/widgets/ipywidgets"
)

// Whatever a page sends, what the panel shows of the training stays as it is.
func FuzzPanelMessages(f *testing.F) {
	for _, seed := range []string{
		`{"method":"custom","content":{"do":"curves"}}`, `{"method":"custom","content":{"do":7}}`,
		`{"method":"custom","content":[]}`, `{"method":"custom"}`,
		`{"method":"update","state":{"saved":"{}"},"buffer_paths":[]}`, `{"method":"update","state":{"_esm":"alert(1)"},"buffer_paths":[]}`,
		`{"method":"update","state":{"past":1e300},"buffer_paths":[]}`, `{"method":"request_state"}`,
		`{`, ``, `{"method":"custom","content":{"do":"rewind","step":null}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newPanelService()
		m := ipywidgets.NewManager(&pagetest.Page{}, ipywidgets.Options{})
		p := Panel(t.Context(), m, s, s.status)
		m.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: p.ID(), Data: json.RawMessage(data)})
		if p.Get("saved") != "" || p.Get("steps") != 100 {
			t.Errorf("%q changed %v of %v", data, p.Get("saved"), p.Get("steps"))
		}
	})
}
