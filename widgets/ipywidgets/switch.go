package ipywidgets

// Switch is a control that is on or off.
type Switch struct {
	Control
	Value Value[bool]
}

// NewCheckbox makes a box to be ticked.
func NewCheckbox(m *Manager, description string, on bool) *Switch {
	return newSwitch(m, "Checkbox", "CheckboxStyle", description, on, key{name: "indent", value: true, check: isBool})
}

// NewToggleButton makes a button that stays down.
func NewToggleButton(m *Manager, text string, on bool) *Switch {
	return newSwitch(m, "ToggleButton", "ToggleButtonStyle", text, on,
		key{name: "button_style", value: "", check: buttonStyle()}, key{name: "icon", value: "", check: isText})
}

func newSwitch(m *Manager, name, style, description string, on bool, more ...key) *Switch {
	c := newControl(m, name, name+"View", style, description, append(more,
		key{name: "value", value: on, check: isBool, person: true}, key{name: "disabled", value: false, check: isBool})...)
	return &Switch{Control: c, Value: valueOf[bool](c.Model, "value")}
}
