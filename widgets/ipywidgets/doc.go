// Package ipywidgets is the Jupyter widget messaging protocol, version 2.1, from Go: widgets whose state lives here and whose module of
// JavaScript every front end runs that has the extensions of Jupyter widgets and anywidget.
//
// # Basics
//
// A [Manager] holds the widgets of one kernel. It speaks through a [Channel], which the kernel implements, and is told what arrives
// ([Manager.Receive]). A [Model] is one comm with its [Module] and its state, in which an [Entry] may be a person's to change: Get, Set,
// OnChange for what a person does, Send and OnMessage for messages of the module's own. A [View] shows a model under a cell, with a picture
// for readers without widgets.
//
//	m := ipywidgets.NewManager(channel, ipywidgets.Options{Report: report})
//	state := map[string]ipywidgets.Entry{"n": {Value: 0, Person: true}}
//	counter := ipywidgets.NewModel(m, ipywidgets.Module{Name: "counter", ESM: code}, state)
//	counter.OnChange("n", func(n any) { fmt.Println(n) })
//	view := m.View(counter, nil) // publish view.Data as a display
//
// # Caveats
//
// What a browser sends is not trusted: a message that names an unknown entry, or one that is not the person's to change, or a value that
// its check refuses, changes nothing; it is reported in one line, and the browser is told the true state.
//
// Handlers run outside the loop that receives: one after another for each model, and beside those of other models. Changes of one entry
// that arrive while its handler runs are one change, the last; messages are never merged. Handlers are not called for Set.
//
// A model sends at most ten updates a second, after a short burst at once; what is set in between is merged and the last is always sent.
// Models live until the manager closes.
package ipywidgets
