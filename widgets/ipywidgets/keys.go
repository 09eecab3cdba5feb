package ipywidgets

// The modules of the reference implementation, with the versions that this protocol has.
const (
	baseModule     = "@jupyter-widgets/base"
	controlsModule = "@jupyter-widgets/controls"
	outputModule   = "@jupyter-widgets/output"
	moduleVersion  = "2.0.0"
	outputVersion  = "1.0.0"
)

// identity says which classes of which module the browser makes of a model and its views.
func identity(module, version, model, viewModule, view string) []key {
	viewVersion := version
	if viewModule == baseModule {
		viewVersion = moduleVersion
	}
	return []key{
		{name: "_model_module", value: module}, {name: "_model_module_version", value: version}, {name: "_model_name", value: model},
		{name: "_view_module", value: viewModule}, {name: "_view_module_version", value: viewVersion}, {name: "_view_name", value: view},
		{name: "_view_count"},
	}
}

// control is the identity of one of the controls.
func control(name, view string) []key {
	return identity(controlsModule, moduleVersion, name+"Model", controlsModule, view)
}

// shown are the entries of everything that has a place on the page.
func shown(layout Layout) []key {
	return []key{
		{name: "_dom_classes", value: []string{}}, {name: "layout", value: layout.model}, {name: "tabbable"}, {name: "tooltip", check: orNull(isText)},
	}
}

// described are the entries of everything that has a description.
func described(description string, style Style) []key {
	return []key{
		{name: "description", value: description, check: isText}, {name: "description_allow_html", value: false}, {name: "style", value: style.model},
	}
}

// orNull lets null pass.
func orNull(c check) check {
	return func(now func(string) any, v any) (any, error) {
		if v == nil {
			return nil, nil
		}
		return c(now, v)
	}
}
