package ipywidgets

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// anywidgetVersion is the version of the front end's extension that runs modules.
const anywidgetVersion = "~0.11.*"

// Module is the code of a widget of one's own: an ES module whose default export has render({model, el}), and its style sheet.
type Module struct {
	Name string // the same for all widgets that this code makes
	ESM  string
	CSS  string
}

// Entry is one entry of such a widget's state.
type Entry struct {
	// Value at the start: what JSON can say, or []byte, or lists and maps ([]any, map[string]any) with such in them.
	Value any
	// Person says that the browser may change it.
	Person bool
	// Check, which may be nil, says why a value of the browser's is none. Numbers arrive as float64.
	Check func(value any) error
}

// Any is a widget of one's own, run by the extension anywidget.
type Any struct {
	Control
}

// NewAny makes a widget of a module and its state. Names that begin with _ are the protocol's.
func NewAny(m *Manager, module Module, state map[string]Entry) *Any {
	layout := newLayout(m)
	keys := identity("anywidget", anywidgetVersion, "AnyModel", "anywidget", "AnyView")
	own := []key{{name: "_anywidget_id", value: module.Name}, {name: "_esm", value: module.ESM}, {name: "_css", value: module.CSS}}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		entry := state[name]
		k := key{name: name, value: entry.Value, person: entry.Person, check: sayable}
		if entry.Check != nil {
			k.doubt = func(_ func(string) any, v any) (any, error) { return v, entry.Check(v) }
		}
		own = append(own, k)
	}
	return &Any{Control{Layout: layout, Model: newModel(m, keys, shown(layout), own)}}
}

// sayable is what can be sent.
func sayable(_ func(string) any, v any) (any, error) {
	var s splitter
	if _, err := json.Marshal(s.split(v, nil)); err != nil {
		return nil, fmt.Errorf("cannot be sent: %w", err)
	}
	return v, nil
}

// Get is one entry of the state.
func (a *Any) Get(name string) any { return a.get(name) }

// Set changes entries of the state, all at once.
func (a *Any) Set(values map[string]any) { a.set(values) }

// OnChange is called when a person, or the module for them, has changed the entry.
func (a *Any) OnChange(name string, handler func(any)) { a.onChange(name, handler) }
