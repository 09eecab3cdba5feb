// Package views has the live views of a session: [Panel], [Matrix], [Annealing]
// and [Table]. Each is one module in the page (frontend/) with a small
// counterpart in Go: its state, its reaction to the user, and its picture for
// readers without widgets.
//
//	v := views.Panel(ctx, manager, host, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
//
// Start reading with [View] in view.go, which all four share, and then [Table],
// the smallest of them.
//
// # Modules
//
// frontend/NAME.js has a default export with render({model, el}). It puts an
// element of the class fsnet-NAME, the view's root, into el. NAME.css is its
// sheet. common.js precedes every module, and libraries.json lists the other
// files of each view, in order. Every sheet of a page applies to the whole
// page, so common.css and NAME.css are wrapped in a rule for the view's root
// (CSS nesting), and a library's sheet in a rule for its root inside that.
// There is no build step: the files here are the files that run. Modules make
// no network request, insert data into the page as text and never as HTML, and
// follow JupyterLab's light and dark theme.
//
// # Caveats
//
// The entries "message", "failed" and "snapshot" of the state belong to [View]:
// a line for the user, whether it reports an error, and the last picture. When
// the kernel is restarted or killed, last_picture.js inserts that picture into
// the notebook. If a notebook is saved while the view lives, last_picture.js
// saves the picture together with the view.
//
// A watch ends when its session is closed. Follow starts another one. The
// kernel calls it when a session of that name is opened again. If a view panics
// over an update, it says so in its message, and writes the stack to standard
// error.
//
// Pictures are large compared with other updates. A session at rest is drawn a
// moment after it came to rest, and a running one every twenty seconds. If the
// kernel of a run is killed, the picture may be that old, and it states its
// step.
package views
