package ipywidgets

// Text is a control that shows text.
type Text struct {
	Control
	Value Value[string]
}

// NewHTML makes a place for HTML. What comes from elsewhere must be escaped by the caller.
func NewHTML(m *Manager, html string) *Text { return newText(m, "HTML", html) }

// NewLabel makes a place for a line of text.
func NewLabel(m *Manager, text string) *Text { return newText(m, "Label", text) }

func newText(m *Manager, name, text string) *Text {
	c := newControl(m, name, name+"View", name+"Style", "", key{name: "value", value: text, check: isText}, key{name: "placeholder", value: "\u200b"})
	return &Text{Control: c, Value: valueOf[string](c.Model, "value")}
}
