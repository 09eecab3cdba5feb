// Package views has the live views of a session: [Panel], [Matrix], [Annealing] and [Table]. Each is one module in the page (frontend/) with
// a small half in Go: its state, what a person does to it, and how it is drawn for readers without widgets.
//
//	v := views.Panel(ctx, manager, host, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
//
// # Modules
//
// frontend/NAME.js has a default export with render({model, el}), which puts an element of the class fsnet-NAME into el: the view's root.
// NAME.css is its sheet. common.js comes before every module; libraries.json names what else does, in this order. Every sheet of a page
// applies to the whole page, so common.css and NAME.css are put inside one rule for the view's root (CSS nesting), and a library's sheet
// inside a rule for its own root in there. There is nothing to build: what is read here is what runs. Modules make no network request, put
// data into the page as text and never as HTML, and follow JupyterLab's light and dark theme.
//
// # Caveats
//
// The entries "message", "failed" and "snapshot" of the state are the [View]'s: a line for a person, whether it says what went wrong, and the
// last picture. When the kernel is restarted or killed, last_picture.js puts that picture into the notebook; where a notebook is saved while
// the view lives, it saves the picture beside the view.
//
// A watch ends when its session is closed. Follow begins another, which the kernel calls when a session of that name is opened again. A view
// that panics over an update says so in its message, and the stack goes to standard error.
//
// Pictures are large beside other updates: a session at rest is drawn a moment after it came to rest, a running one every twenty seconds. So
// the picture of a run whose kernel was killed may be that old; it says its step.
package views
