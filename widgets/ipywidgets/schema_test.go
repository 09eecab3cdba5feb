package ipywidgets_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"fsnetlab/widgets/ipywidgets"
)

// A model has the entries and defaults of the published one, which
// testdata/models.json lists.
func TestModel_MatchesPublished(t *testing.T) {
	text, err := os.ReadFile("testdata/models.json")
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Protocol string                    `json:"protocol"`
		Models   map[string]map[string]any `json:"models"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		t.Fatal(err)
	}
	b := newBench()
	ipywidgets.NewModel(b.Manager, ipywidgets.Module{Name: "traitlets.traitlets.Any", ESM: "export default {}"}, nil)
	sent := b.channel.take()
	if m := sent[0]; len(sent) != 1 || m.Kind != ipywidgets.Open ||
		m.Target != "jupyter.widget" || string(m.Metadata) != `{"version":"`+published.Protocol+`"}` {
		t.Errorf("%d messages, the first opens %s of %q, %s", len(sent), m.Kind, m.Target, m.Metadata)
	}
	if got, want := read(t, sent[0]).State, published.Models["AnyWidget"]; len(want) == 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("a model has\n%v, published is\n%v", got, want)
	}
}
