// Package live is what the live views have in common. Each shows one session and is one module in the page (package frontend) with a small
// half in Go: what its state is, what a person does to it, and how it is drawn for readers without widgets.
//
// # Basics
//
// A view embeds a [View] and gives it what is its own: the module, its state, what it does with an update, and how it is drawn.
//
//	v.View = live.New(life, manager, service, status, frontend.Module("table"), state)
//	v.Watch(request, v.tell, v.draw)
//
// What all say alike is said here: that the session was closed, or why something cannot be shown, until it can.
//
// [OneOf], [Between], [Whole], [Text] and [YesOrNo] check what a browser may set. [Snapshot] makes a picture one that may stand for a live
// view. The last one is an entry of the state: when the kernel is restarted or killed, the module (frontend's last_picture.js) puts it
// into the notebook, as the kernel itself does where it is asked to shut down. And where a notebook is saved while the view lives, the
// module saves it beside the view, for readers without widgets.
//
// # Caveats
//
// The entries "message", "failed" and "snapshot" of the state are the View's: a line for a person, whether it says what went wrong, and the
// last picture.
//
// A watch ends when its session is closed. Follow begins another, which is what the kernel calls when a session of that name was opened
// again; it does nothing while there is one. A view that panics over what it is told fails so, too, and the stack goes to standard error.
//
// Pictures are large beside other updates: a session at rest is drawn a moment after it came to rest, one that runs every twenty seconds.
// So the picture of a run whose kernel was killed may be that old; it says its step.
package live
