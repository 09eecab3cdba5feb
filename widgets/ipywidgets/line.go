package ipywidgets

// Line is a field for a line of text.
type Line struct {
	Control
	Value Value[string]
}

// NewText makes a field for a line of text.
func NewText(m *Manager, description, text string) *Line {
	return newLine(m, "Text", description, text)
}

// NewCombobox makes a field for a line of text that offers some, and takes any.
func NewCombobox(m *Manager, description, text string, options []string) *Line {
	return newLine(m, "Combobox", description, text,
		key{name: "options", value: append([]string{}, options...)}, key{name: "ensure_option", value: false, check: isBool})
}

func newLine(m *Manager, name, description, text string, more ...key) *Line {
	c := newControl(m, name, name+"View", "TextStyle", description, append(more,
		key{name: "value", value: text, check: isText, person: true}, key{name: "placeholder", value: "\u200b", check: isText},
		key{name: "continuous_update", value: true, check: isBool}, key{name: "disabled", value: false, check: isBool})...)
	return &Line{Control: c, Value: valueOf[string](c.Model, "value")}
}

// Continuous says whether the field reports every key that is pressed, or only where Enter is or the field is left.
func (l *Line) Continuous() Value[bool] { return valueOf[bool](l.Model, "continuous_update") }

// Placeholder is shown while the field is empty.
func (l *Line) Placeholder() Value[string] { return valueOf[string](l.Model, "placeholder") }
