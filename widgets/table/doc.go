// Package table is the live table of the selected features: what was chosen, how surely, and what the training rows say of it.
//
// # Basics
//
// A [View] shows one session. It is a module in the page (frontend's table.js) and its state. Rank, probability and margin come with each
// update of the session; the means of the classes and the information are asked for once for each feature.
//
//	v := table.New(ctx, manager, service, status)
//	v.Follow()
//	view := manager.View(v.Model, v)
//
// # Caveats
//
// Means and information are of the training rows: test rows are read by evaluate and report only. [Information] is a plain estimate from
// counts, biased upwards where rows are few, so compare features of one training only. During a run at most two features a second are
// asked for, since each takes the session's turn for a moment.
package table
