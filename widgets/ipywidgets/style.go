package ipywidgets

// Style is how a control looks, apart from its place: colours, fonts, the width of its description.
type Style struct{ model *Model }

// styleKeys are the entries of each kind of style besides its identity.
func styleKeys(kind string) []string {
	font := []string{"font_family", "font_size", "font_style", "font_variant", "font_weight", "text_color", "text_decoration"}
	switch kind {
	case "ButtonStyle":
		return append(font, "button_color")
	case "ToggleButtonStyle":
		return append(font, "description_width")
	case "ToggleButtonsStyle":
		return []string{"button_width", "description_width", "font_weight"}
	case "SliderStyle":
		return []string{"description_width", "handle_color"}
	case "ProgressStyle":
		return []string{"bar_color", "description_width"}
	case "CheckboxStyle":
		return []string{"background", "description_width"}
	case "HTMLStyle", "TextStyle":
		return []string{"background", "description_width", "font_size", "text_color"}
	case "LabelStyle":
		return append(font, "background", "description_width")
	}
	return []string{"description_width"}
}

func newStyle(m *Manager, kind string) Style {
	var keys []key
	for _, name := range styleKeys(kind) {
		var value any
		if name == "description_width" || kind == "ToggleButtonsStyle" {
			value = "" // these three are texts, the others texts or null
		}
		keys = append(keys, key{name: name, value: value, check: orNull(isText)})
	}
	return Style{newModel(m, identity(controlsModule, moduleVersion, kind+"Model", baseModule, "StyleView"), keys)}
}

// Set changes entries by their names in the protocol, such as "button_color" or "description_width".
func (s Style) Set(entries map[string]string) { s.model.set(anyValues(entries)) }

func anyValues(texts map[string]string) map[string]any {
	values := make(map[string]any, len(texts))
	for name, text := range texts {
		values[name] = text
	}
	return values
}
