// Package chart draws what a session reports: selection matrix, curves, chosen
// features, evaluation.
//
// # Basics
//
// A [Picture] is one drawing in several forms. Each kind is drawn from one type
// of package session:
//
//	Matrix(session.Matrix)          heat map of P or M                      Vega-Lite, PNG, SVG, text
//	Curves(session.History)         panels over the epochs, with events     Vega-Lite, PNG, SVG, text
//	Convergence(session.History, …) every selector over the epochs          Vega-Lite, PNG, SVG, text
//	Feature(session.Feature)        histogram by class, course in P         Vega-Lite, PNG, SVG, text
//	Annealing(session.History, …)   temperature, sharpness, behind and ahead PNG, SVG, text
//	Features(session.Status, …)     the K features                          HTML, PNG, SVG, text
//	Network(session.Status)         the layers                              PNG, SVG, text
//	Selection, Evaluation           the K features, accuracies              HTML, text
//	Status, Progress                one line                                HTML, text
//	Heatmap(session.Rows)           features × rows by class, standardised  Vega-Lite, PNG, SVG, text
//	PCA(session.Rows)               rows on two components                  Vega-Lite, PNG, SVG, text
//	Distributions(session.Rows)     each feature by class                   Vega-Lite, PNG, SVG, text
//	Comparison, StabilityChart, Tuning, Path, Sweep, ReplicasChart, …       of many trainings: Vega-Lite, PNG, SVG, text
//	ComparisonTable, StabilityTable, TuningTable, PathTable                 HTML, text
//
// Start reading with [Matrix]. It shows the pattern of the others: a type that
// computes what is drawn, and its spec and text methods. Package spec describes
// a chart once, by its data, scales, marks and words, and [Picture] renders
// every form. Vega-Lite serves readers who point at marks, zoom, or hide a
// series through the legend in JupyterLab. Charts that accompany a live view
// (Annealing, Features) have no Vega-Lite. Tables come from package words.
// Results of many trainings come from package results. The commands print its
// types with --json.
//
// # Caveats
//
// Specifications contain their data and no address, so they work without a
// network. Vega-Lite is transparent, with text in a grey that is legible on
// white and on black. An SVG follows the reader's theme. A PNG is opaque white,
// because you may view it where the theme is unknown. Probabilities are
// coloured with viridis, and lines and classes with Okabe and Ito's palette and
// four more colours. A PNG has two pixels per point, so show it at the size in
// [Picture.Metadata]. All rows, including test rows, are standardised by mean
// and standard deviation of the training rows. Rows are named by their number
// in the file, never by the name of the sample.
package chart
