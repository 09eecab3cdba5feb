// Package curves is the live chart of a training's curves: losses, accuracies, temperature and the largest probability over the epochs.
//
// # Basics
//
// [Curves] are fed with the changes of a watched history; each goes on to the module that shows them as it is, so that an update is as
// small as what is new. A [Track] is one course of a training: the session's own, its pasts that a rewind took back, and other
// sessions with a part of its past. Those others are drawn faded.
//
//	c := curves.New(module)
//	service.Watch(ctx, name, session.WatchRequest{History: curves.Request()}, func(u session.Update) { c.Apply(*u.History, false) })
//
// # Caveats
//
// What the widget's state holds is at most saveInterval old: a notebook that is read without a kernel shows that. A page with a kernel asks
// for everything when it begins.
//
// Tracks are thinned as they grow, so memory does not grow with the length of a run: to the points that a picture of the whole run has.
package curves
