// Package chart draws what a session knows: its selection matrix, its curves, its chosen features, how well they do and how far it is.
//
// # Basics
//
// A [Picture] is one drawing in several forms. Each kind of picture is one function of one of package session's types:
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
// A chart is described once (package spec): its data, scales, marks and words. [Picture] has all its forms. Vega-Lite is for who points at
// a mark in JupyterLab, zooms, or switches a series off by the legend; what stands beside a live view (Annealing, Features) has none. A
// table is one of package words. What many trainings found is of package results, the object that a command prints with --json.
//
// # Caveats
//
// Specifications carry their data inside and name no address, so they work without a network. Vega-Lite is transparent with words in a grey
// that reads on white and on black, an SVG has the colours of the reader's theme, and a PNG is opaque white, since it is looked at where the
// theme is not known. Colours are viridis for probabilities and Okabe and Ito's and four more for lines and classes. A PNG has two pixels a
// point: show it at the size that [Picture.Metadata] states. Rows are standardised by mean and standard deviation over the training rows, the
// test rows, too, and named by their number in the file, never by their sample's name.
package chart
