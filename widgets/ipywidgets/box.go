package ipywidgets

// Box holds other widgets.
type Box struct {
	Control
}

// NewHBox puts widgets in a row.
func NewHBox(m *Manager, children ...Widget) *Box { return newBox(m, "HBox", children) }

// NewVBox puts widgets in a column.
func NewVBox(m *Manager, children ...Widget) *Box { return newBox(m, "VBox", children) }

// NewGridBox puts widgets in a grid, which its layout describes.
func NewGridBox(m *Manager, children ...Widget) *Box { return newBox(m, "GridBox", children) }

func newBox(m *Manager, name string, children []Widget, more ...key) *Box {
	layout := newLayout(m)
	keys := append([]key{
		{name: "children", value: roots(children)}, {name: "box_style", value: "", check: word("success", "info", "warning", "danger", "")},
	}, more...)
	return &Box{Control{Layout: layout, Model: newModel(m, control(name, name+"View"), shown(layout), keys)}}
}

// SetChildren replaces what the box holds.
func (b *Box) SetChildren(children ...Widget) { b.set(map[string]any{"children": roots(children)}) }

func roots(children []Widget) []*Model {
	models := make([]*Model, len(children))
	for i, c := range children {
		models[i] = c.Root()
	}
	return models
}

// Pages is a box that shows one of its widgets at a time.
type Pages struct {
	Box
	Selected Value[int] // −1: none
}

// NewTab makes pages with tabs, the first selected.
func NewTab(m *Manager, titles []string, children ...Widget) *Pages {
	return newPages(m, "Tab", titles, children)
}

// NewAccordion makes pages below each other, of which none or one is open.
func NewAccordion(m *Manager, titles []string, children ...Widget) *Pages {
	return newPages(m, "Accordion", titles, children)
}

func newPages(m *Manager, name string, titles []string, children []Widget) *Pages {
	var selected any
	if name == "Tab" && len(children) > 0 {
		selected = 0
	}
	b := newBox(m, name, children, key{name: "titles", value: append([]string{}, titles...)},
		key{name: "selected_index", value: selected, check: oneOf("children"), person: true})
	return &Pages{Box: *b, Selected: indexValue(b.Model, "selected_index")}
}
