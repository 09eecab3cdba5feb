package ipywidgets_test

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
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
	Enum    []any  `json:"enum"`
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

// Every model that a control opens says what the published one says: the same entries, of the same types, with the same defaults.
func TestModelsAreThePublishedOnes(t *testing.T) {
	p := readPublished(t)
	makers := map[string]func(m *ipywidgets.Manager) ipywidgets.Widget{
		"Button":        func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewButton(m, "") },
		"ToggleButton":  func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewToggleButton(m, "", false) },
		"ToggleButtons": func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewToggleButtons(m, "", nil, -1) },
		"Checkbox":      func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewCheckbox(m, "", false) },
		"Dropdown":      func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewDropdown(m, "", nil, -1) },
		"SelectionSlider": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewSelectionSlider(m, "", []string{"a"}, 0)
		},
		"IntSlider": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewIntSlider(m, ipywidgets.Range[int]{})
		},
		"FloatSlider": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewFloatSlider(m, ipywidgets.Range[float64]{})
		},
		"FloatLogSlider": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewFloatLogSlider(m, ipywidgets.Range[float64]{Value: 1})
		},
		"BoundedIntText": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewBoundedIntText(m, ipywidgets.Range[int]{})
		},
		"BoundedFloatText": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewBoundedFloatText(m, ipywidgets.Range[float64]{})
		},
		"IntProgress": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewIntProgress(m, ipywidgets.Range[int]{})
		},
		"FloatProgress": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewFloatProgress(m, ipywidgets.Range[float64]{})
		},
		"Text":      func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewText(m, "", "") },
		"Combobox":  func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewCombobox(m, "", "", nil) },
		"HTML":      func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewHTML(m, "") },
		"Label":     func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewLabel(m, "") },
		"HBox":      func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewHBox(m) },
		"VBox":      func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewVBox(m) },
		"GridBox":   func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewGridBox(m) },
		"Tab":       func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewTab(m, nil) },
		"Accordion": func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewAccordion(m, nil) },
		"Output":    func(m *ipywidgets.Manager) ipywidgets.Widget { return ipywidgets.NewOutput(m) },
		"AnyWidget": func(m *ipywidgets.Manager) ipywidgets.Widget {
			return ipywidgets.NewAny(m, ipywidgets.Module{Name: "traitlets.traitlets.Any", ESM: "export default {}"}, nil)
		},
	}
	seen := map[string]bool{}
	for name, create := range makers {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			w := create(b.Manager)
			for _, m := range b.channel.take() {
				if m.Kind != ipywidgets.Open || m.Target != "jupyter.widget" || string(m.Metadata) != `{"version":"`+p.Protocol+`"}` {
					t.Errorf("opened as %s of %q, %s", m.Kind, m.Target, m.Metadata)
				}
				state := read(t, m).State
				model, _ := state["_model_name"].(string)
				kind := strings.TrimSuffix(model, "Model")
				if m.Comm == w.Root().ID() {
					kind = name
				}
				seen[kind] = true
				compare(t, kind, p.Models[kind], state)
			}
		})
	}
	for kind := range p.Models {
		if !seen[kind] {
			t.Errorf("no control opens a %s", kind)
		}
	}
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
		if !a.fits(value) {
			t.Errorf("%s: %s is %v, which is no %s", kind, name, value, a.Type)
		}
		if a.Type != "reference" && !reflect.DeepEqual(value, a.Default) && !differs(kind, name) {
			t.Errorf("%s: %s is %v, published is %v", kind, name, value, a.Default)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s has %s, which is not published", kind, name)
		}
	}
}

// differs are the defaults that are not taken over: a field without a step would accept any number, and the browser steps by 1 then.
func differs(kind, name string) bool { return kind == "BoundedFloatText" && name == "step" }

func (a attribute) fits(v any) bool {
	if v == nil {
		return a.None
	}
	if len(a.Enum) > 0 && !slices.Contains(a.Enum, v) {
		return false
	}
	switch x := v.(type) {
	case string:
		return a.Type == "string" || (a.Type == "reference" && strings.HasPrefix(x, "IPY_MODEL_"))
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
