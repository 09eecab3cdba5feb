// Package ipywidgets is the Jupyter widget messaging protocol, version 2.1, from Go: controls whose state lives here and is shown by every
// front end that has the Jupyter widgets extension.
//
// # Basics
//
// A [Manager] holds the models of one kernel. It speaks through a [Channel], which the kernel implements, and is told what arrives
// ([Manager.Receive]). A [Model] is one comm with its state: a control, a layout, a style. A control has typed values ([Value]): Get, Set,
// and OnChange for what a person does. A [View] shows a control under a cell, with a picture for readers without widgets.
//
//	m := ipywidgets.NewManager(channel, ipywidgets.Options{Report: report})
//	slider := ipywidgets.NewIntSlider(m, ipywidgets.Range[int]{Max: 10, Description: "K"})
//	label := ipywidgets.NewLabel(m, "")
//	slider.Value.OnChange(func(k int) { label.Value.Set(fmt.Sprint(k, " features")) })
//	view := m.View(ipywidgets.NewHBox(m, slider, label), nil) // publish view.Data as a display
//
// The kinds of controls: [Button]; [Number] (sliders, number fields, progress); [Switch] (checkbox, toggle button); [Choice] (dropdown,
// toggle buttons, slider over a list); [Text] (HTML, label); [Box] (rows, columns, grids) and [Pages] (tabs, accordion); [Output]; and [Any],
// a module of one's own.
//
// # Caveats
//
// What a browser sends is not trusted: a message that names an unknown key, or one that is not the person's to change, or a value of
// another type or outside its range, changes nothing; it is reported in one line, and the browser is told the true state.
//
// Handlers run outside the loop that receives: one after another for each model, and beside those of other models. Changes of one value
// that arrive while its handler runs are one change, the last; clicks are never merged. Handlers are not called for Set.
//
// A model sends at most ten updates a second, after a short burst at once; what is set in between is merged and the last is always sent.
// Models live until the manager closes.
package ipywidgets
