// Package views has the live views of a session: [Panel], [Matrix], [Annealing] and [Table]. Each
// is one module in the page (frontend/) with a small counterpart in Go: its state, its reaction to
// a person, and its picture for readers without widgets.
//
//	v := views.Panel(ctx, manager, host, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
//
// # Modules
//
// frontend/NAME.js has a default export with render({model, el}), which puts an element of the
// class fsnet-NAME, the view's root, into el. NAME.css is its sheet. common.js precedes every
// module; libraries.json lists the other files of each view, in order. Every sheet of a page
// applies to the whole page, so common.css and NAME.css are wrapped in a rule for the view's root
// (CSS nesting), and a library's sheet in a rule for its own root inside it. There is no build
// step: the files here are the files that run. Modules make no network request, insert data into
// the page as text and never as HTML, and follow JupyterLab's light and dark theme.
//
// # Caveats
//
// The entries "message", "failed" and "snapshot" of the state belong to [View]: a line for a
// person, whether it reports an error, and the last picture. When the kernel is restarted or
// killed, last_picture.js inserts that picture into the notebook; if a notebook is saved while the
// view lives, it saves the picture beside the view.
//
// A watch ends when its session is closed. Follow starts another one; the kernel calls it when a
// session of that name is opened again. A view that panics over an update says so in its message,
// and writes the stack to standard error.
//
// Pictures are large compared with other updates: a session at rest is drawn a moment after it came
// to rest, a running one every twenty seconds. The picture of a run whose kernel was killed may be
// that old; it states its step.
package views
