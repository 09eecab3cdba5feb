package ipywidgets

// Layout is where a widget is and how large: CSS by its names with _ for -.
type Layout struct{ model *Model }

// layoutKeys are the CSS properties that a layout has.
func layoutKeys() []string {
	return []string{
		"align_content", "align_items", "align_self", "border_bottom", "border_left", "border_right", "border_top", "bottom", "display", "flex",
		"flex_flow", "grid_area", "grid_auto_columns", "grid_auto_flow", "grid_auto_rows", "grid_column", "grid_gap", "grid_row",
		"grid_template_areas", "grid_template_columns", "grid_template_rows", "height", "justify_content", "justify_items", "left", "margin",
		"max_height", "max_width", "min_height", "min_width", "object_fit", "object_position", "order", "overflow", "padding", "right", "top",
		"visibility", "width",
	}
}

func newLayout(m *Manager) Layout {
	var keys []key
	for _, name := range layoutKeys() {
		keys = append(keys, key{name: name, check: orNull(isText)})
	}
	return Layout{newModel(m, identity(baseModule, moduleVersion, "LayoutModel", baseModule, "LayoutView"), keys)}
}

// Set changes properties: Set(map[string]string{"width": "6em", "grid_gap": "4px"}).
func (l Layout) Set(css map[string]string) { l.model.set(anyValues(css)) }
