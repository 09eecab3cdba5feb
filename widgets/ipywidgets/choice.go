package ipywidgets

// Choice is a control that takes one of a list.
type Choice struct {
	Control
	Index Value[int] // −1: none
}

// NewDropdown makes a list that opens.
func NewDropdown(m *Manager, description string, options []string, index int) *Choice {
	return newChoice(m, "Dropdown", "DescriptionStyle", description, options, index, key{name: "disabled", value: false, check: isBool})
}

// NewToggleButtons makes a row of buttons of which one is down.
func NewToggleButtons(m *Manager, description string, options []string, index int) *Choice {
	return newChoice(m, "ToggleButtons", "ToggleButtonsStyle", description, options, index,
		key{name: "disabled", value: false, check: isBool}, key{name: "button_style", value: "", check: buttonStyle()},
		key{name: "icons", value: []string{}}, key{name: "tooltips", value: []string{}})
}

// NewSelectionSlider makes a slider over a list, which must not be empty.
func NewSelectionSlider(m *Manager, description string, options []string, index int) *Choice {
	return newChoice(m, "SelectionSlider", "SliderStyle", description, options, index, append(sliding(), key{name: "continuous_update", value: true, check: isBool})...)
}

func newChoice(m *Manager, name, style, description string, options []string, index int, more ...key) *Choice {
	c := newControl(m, name, name+"View", style, description, append(more,
		key{name: "_options_labels", value: append([]string{}, options...)},
		key{name: "index", value: indexOrNull(index), check: oneOf("_options_labels"), person: true})...)
	return &Choice{Control: c, Index: indexValue(c.Model, "index")}
}

// SetOptions replaces the list and what is taken of it.
func (c *Choice) SetOptions(options []string, index int) {
	c.set(map[string]any{"_options_labels": append([]string{}, options...), "index": indexOrNull(index)})
}

func indexValue(w *Model, name string) Value[int] {
	return Value[int]{model: w, key: name, to: func(v any) int {
		if n, ok := v.(int); ok {
			return n
		}
		return -1
	}, from: indexOrNull}
}

func indexOrNull(index int) any {
	if index < 0 {
		return nil
	}
	return index
}
