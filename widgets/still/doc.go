// Package still keeps the last picture of a live view, which takes its place when the kernel that draws it has gone.
//
// # Basics
//
// [Bundle] makes a picture one that may stand for a live view: without a specification, which a front end would prefer to the view, and
// with a line that says what it is. A [Keeper] keeps such a picture in the state of a view's module, entry [Entry]: when its kernel is
// restarted or killed, the module (frontend's common.js) puts the picture into the notebook, as the kernel itself does where it is asked to
// shut down. And where a notebook is saved while the view lives, the module saves the picture beside it, for readers without widgets.
//
//	keeper := still.New(ctx, module, view.draw)
//	keeper.Changed(status.State == session.Running)
//	last := keeper.Last(true) // costs nothing where nothing changed
//
// # Caveats
//
// Pictures are large beside other updates: a session at rest is drawn a moment after it came to rest, one that runs every twenty seconds.
// So the picture of a run whose kernel was killed may be that old; it says its step.
package still
