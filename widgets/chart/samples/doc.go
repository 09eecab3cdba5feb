// Package samples draws rows of the data as the selected features have them.
//
// # Basics
//
// Each picture is one function of [session.Rows]:
//
//	Heatmap(session.Rows)         features × rows by class, standardised            Vega-Lite, PNG, SVG, text
//	PCA(session.Rows)             rows on two components, beside random features    Vega-Lite, PNG, SVG, text
//	Distributions(session.Rows)   each feature by class, as points and densities    Vega-Lite, PNG, SVG, text
//
// # Caveats
//
// What is standardised is so by mean and standard deviation over the training rows shown, the test rows, too. A row is named by its number
// in the file, never by its sample's name.
package samples
