// Package panel is the live panel of a training: buttons that step, run, pause, rewind and fork it, its live hyperparameters, its curves,
// and where it stands.
//
// # Basics
//
// A [Panel] is built of standard controls (package ipywidgets) and speaks to a session by its name: what is pressed is a verb of
// session.Service, what is shown is what the session's watch tells. So it shows the truth whoever steers: another tab, a cell, a magic.
//
//	p := panel.New(ctx, manager, service, status)
//	p.Follow()
//	view := manager.View(p, p.Picture)
//
// # Caveats
//
// Presses of Step that come while steps are made are added up and made next: 10 × step 1 is step 10, bit for bit. Pause forgets them.
//
// Other sessions with a part of this one's past are drawn beside its curves: those that the panel forked at once, those that others
// forked when the session comes to rest next.
//
// A panel of a session that was closed says so, and is alive again when a session of that name is.
package panel
