// Package widgets is the pictures that a notebook cell asks for.
//
// # Basics
//
// Each verb takes a session's handle and asks the kernel to draw a view of it under the running cell: [SelectionMatrix], [Curves],
// [Convergence], [Heatmap], [PCA], [Distributions], [SelectionTable], [Summary], [Feature], [Evaluation], [Status] are pictures of this moment;
// [TrainingPanel], [LiveMatrix], [AnnealingInspector] and [FeatureTable] stay alive after their cell.
//
//	var s = session.Use("leukemia", session.Config{Data: "ALLAML", K: 10, Seed: 1})
//	s.Must().Step(200)
//	widgets.SelectionMatrix(s)
//	widgets.SelectionMatrix(s, session.MatrixRequest{Of: "sample", Top: 20})
//
// [Show] shows values of one's own below the cell: pictures, tables, plots, HTML, whatever says how it is shown ([Bundler]); [Display] puts
// them into a place that is updated; [Progress] counts a loop, [Timeit] times one. [Ask] asks the user for a line.
//
// Options are the requests of package session, under the names that magics and the wire use. Where a verb fails it prints one readable
// line and ends the cell, as [session.Session.Must] does; [session.Session.Show] is the same with a context and an error.
//
// # Caveats
//
// The package draws no view of a session itself: it is linked into cells, so it uses the standard library and package session only. A
// program outside a notebook draws with fsnetlab/widgets/chart.
package widgets
