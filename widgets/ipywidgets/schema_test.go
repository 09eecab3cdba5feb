package ipywidgets_test

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"testing"

	"fsnetlab/widgets/ipywidgets"
)

// published is testdata/models.json: what the reference implementation says of a model's entries.
type published struct {
	Protocol string                          `json:"protocol"`
	Models   map[string]map[string]attribute `json:"models"`
}

type attribute struct {
	Type    string `json:"type"` // string · int · float · bool · array · object · reference
	None    bool   `json:"none"` // null is a value
	Default any    `json:"default"`
}

func readPublished(t *testing.T) published {
	t.Helper()
	text, err := os.ReadFile("testdata/models.json")
	if err != nil {
		t.Fatal(err)
	}
	var p published
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// A model says what the published one says: the same entries, of the same types, with the same defaults.
func TestModelsAreThePublishedOnes(t *testing.T) {
	p := readPublished(t)
	b := newBench()
	ipywidgets.NewModel(b.Manager, ipywidgets.Module{Name: "traitlets.traitlets.Any", ESM: "export default {}"}, nil)
	sent := b.channel.take()
	if m := sent[0]; len(sent) != 1 || m.Kind != ipywidgets.Open ||
		m.Target != "jupyter.widget" || string(m.Metadata) != `{"version":"`+p.Protocol+`"}` {
		t.Errorf("%d messages, the first opens %s of %q, %s", len(sent), m.Kind, m.Target, m.Metadata)
	}
	compare(t, "AnyWidget", p.Models["AnyWidget"], read(t, sent[0]).State)
}

func compare(t *testing.T, kind string, want map[string]attribute, got map[string]any) {
	t.Helper()
	if want == nil {
		t.Fatalf("%s is not published", kind)
	}
	for name, a := range want {
		value, ok := got[name]
		if !ok {
			t.Errorf("%s has no %s", kind, name)
			continue
		}
		if name == "layout" && value == nil { // the front ends' code takes that for none
			continue
		}
		if !a.fits(value) {
			t.Errorf("%s: %s is %v, which is no %s", kind, name, value, a.Type)
		}
		if !reflect.DeepEqual(value, a.Default) {
			t.Errorf("%s: %s is %v, published is %v", kind, name, value, a.Default)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s has %s, which is not published", kind, name)
		}
	}
}

func (a attribute) fits(v any) bool {
	if v == nil {
		return a.None
	}
	switch x := v.(type) {
	case string:
		return a.Type == "string"
	case bool:
		return a.Type == "bool"
	case float64:
		return a.Type == "float" || (a.Type == "int" && x == math.Trunc(x))
	case []any:
		return a.Type == "array"
	case map[string]any:
		return a.Type == "object"
	}
	return false
}
