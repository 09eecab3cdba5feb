package ipywidgets

// Control is what all widgets with a place on the page have in common.
type Control struct {
	*Model
	Layout Layout
	Style  Style // of a box, an output and a module: none
}

// SetTooltip says in words what the control is for: shown when the pointer rests on it.
func (c Control) SetTooltip(text string) { c.set(map[string]any{"tooltip": text}) }

// AddClass gives the control's element a CSS class.
func (c Control) AddClass(names ...string) {
	have, _ := c.get("_dom_classes").([]string)
	c.set(map[string]any{"_dom_classes": append(have[:len(have):len(have)], names...)})
}

// Description is the text before the control, or on it.
func (c Control) Description() Value[string] { return valueOf[string](c.Model, "description") }

// Disabled says whether the control takes no input.
func (c Control) Disabled() Value[bool] { return valueOf[bool](c.Model, "disabled") }

// newControl makes a control with a description.
func newControl(m *Manager, name, view, style, description string, keys ...key) Control {
	c := Control{Layout: newLayout(m), Style: newStyle(m, style)}
	c.Model = newModel(m, control(name, view), shown(c.Layout), described(description, c.Style), keys)
	return c
}
