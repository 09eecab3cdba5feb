// Package panel is the live panel of a training: buttons that step, run, pause, rewind and fork it, its live hyperparameters, its curves,
// and where it stands.
//
// # Basics
//
// A [View] shows one session. It is a module in the page (frontend's panel.js and curves.js) and its state. What a person presses arrives
// as a message and is a verb of package session; each live key is an entry of the state, and what a person does to it is the verb set. A key
// on which the choice does not depend under the session's settings has no control: it is listed, with the reason that config gives. What
// is shown is what the session's watch tells. So the panel shows the truth whoever steers: another tab, a cell, a magic.
//
//	v := panel.New(ctx, manager, service, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
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
