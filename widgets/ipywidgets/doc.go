// Package ipywidgets implements the Jupyter widget messaging protocol, version
// 2.1. The state of a widget lives in this process. Its JavaScript module runs
// in every front end with the extensions of Jupyter widgets and anywidget.
//
// # Basics
//
// A [Manager] holds the widgets of one kernel. It sends through a [Channel],
// which the kernel implements, and receives through [Manager.Receive]. A
// [Model] is one comm with its [Module] and its state. The user may change an
// [Entry] that allows it. A model has Get and Set, OnChange for changes by the
// user, and Send and OnMessage for messages of its module. A [View] shows a
// model below a cell, with a picture for readers without widgets.
//
//	m := ipywidgets.NewManager(channel, ipywidgets.Options{Report: report})
//	state := map[string]ipywidgets.Entry{"n": {Value: 0, Person: true}}
//	counter := ipywidgets.NewModel(m, ipywidgets.Module{Name: "counter", ESM: code}, state)
//	counter.OnChange("n", func(n any) { fmt.Println(n) })
//	view := m.View(counter, nil) // publish view.Data as a display
//
// Start reading with [Model.Set] for changes by the program, and with
// Model.receive for those by the user.
//
// # Caveats
//
// The manager doesn't trust browsers. A message changes nothing if it names an
// unknown entry, an entry that the user may not change, or a value that the
// entry's check rejects. The manager reports such a message in one line, and
// the browser receives the true state.
//
// Handlers run outside the receiving loop: one after another for each model,
// concurrently with those of other models. If an entry changes again before its
// handler has run, the handler sees only the last value. No message is dropped.
// Set calls no handler.
//
// A model sends at most ten updates a second, after a short burst. Values that
// are set in between are merged, and the last one is always sent. Models live
// until the manager closes.
package ipywidgets
