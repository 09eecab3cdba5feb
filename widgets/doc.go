// Package widgets shows sessions and values below the running cell of a
// notebook.
//
// # Basics
//
// Most functions take a session's handle and ask the kernel to draw a view of
// it. Some draw a picture of its current state ([SelectionMatrix], [Curves],
// [Convergence], [Heatmap], [PCA], [Distributions], [SelectionTable],
// [Summary], [Feature], [Evaluation], [Status]). Others open a live view that
// outlives the cell ([TrainingPanel], [LiveMatrix], [AnnealingInspector],
// [FeatureTable]).
//
//	var s = session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
//	s.Must().Step(200)
//	widgets.SelectionMatrix(s)
//	widgets.SelectionMatrix(s, session.MatrixRequest{Of: "sample", Top: 20})
//
// If you pass several requests, the last one counts. [Show] shows other values:
// pictures, tables, plots, HTML and anything that knows how to be shown
// ([Bundler]). [Display] shows a value in a place that later calls update,
// [Progress] shows how far a loop is, [Timeit] times a loop, and [Ask] asks the
// user for a line.
//
// A function that fails prints one readable line and ends the cell, as
// [session.Session.Must] does. [session.Session.Show] takes a context and
// returns the error instead.
//
// Start reading with [Show] and the function bundle, which turns a value into
// what a notebook shows.
//
// # Caveats
//
// The package draws no view of a session itself. It is linked into every cell,
// so it uses only the standard library and package session. A program outside a
// notebook should draw with fsnetlab/widgets/chart.
package widgets
