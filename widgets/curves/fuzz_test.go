package curves_test

import (
	"encoding/json"
	"testing"

	"fsnetlab/widgets/ipywidgets"
)

// Whatever a page sends, the curves stay as they are.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"method":"custom","content":{"want":"all"}}`, `{"method":"custom","content":{"want":7}}`, `{"method":"custom","content":[]}`, `{"method":"custom"}`,
		`{"method":"update","state":{"saved":"{}"},"buffer_paths":[]}`, `{"method":"update","state":{"_esm":"alert(1)"},"buffer_paths":[]}`,
		`{"method":"request_state"}`, `{`, ``, `{"method":"custom","content":{"want":"all","want":null}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, m, c := newChart()
		c.Apply(changes(0, 10, 5, 10))
		m.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: c.ID(), Data: json.RawMessage(data)})
		if tracks := c.Tracks(); len(tracks) != 1 || len(tracks[0].History().Curves["loss"].Steps) != 2 || c.Get("saved") != "" {
			t.Errorf("%q changed %+v", data, tracks)
		}
	})
}
