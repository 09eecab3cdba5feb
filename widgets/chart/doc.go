// Package chart draws what a session knows: its selection matrix, its curves, its chosen features, how well they do and how far it is.
//
// # Basics
//
// A [Picture] is one drawing in several forms: a Vega-Lite v5 specification for front ends that render it, a PNG with the same marks for
// the others and for notebooks that are reopened, HTML for tables, text for a terminal, and one sentence for those who cannot see it.
// Each kind of picture is one function of one of package session's types, in a file of its name:
//
//	Matrix(session.Matrix)          heat map of P or M                      Vega-Lite, PNG, text
//	Curves(session.History)         panels over the epochs, with events     Vega-Lite, PNG, text
//	Feature(session.Feature)        histogram by class, course in P         Vega-Lite, PNG, text
//	Selection([]session.Selected)   the K features                          HTML, text
//	Evaluation(session.Evaluation)  accuracy, majority, confusion           HTML, text
//	Status(session.Status)          one line                                HTML, text
//	Progress(session.Progress)      one line with a bar                     HTML, text
//
// The first three make a description (what is drawn where, with which words and colours) and hand it to renderers; a conformance test
// reads the marks back from every form.
//
// # Caveats
//
// Specifications carry their data inside and name no address, so they work without a network. The Vega-Lite form is transparent with
// axes in a grey that reads on white and on black; the PNG is opaque white, since it is looked at where the theme is not known.
// Colours are viridis for probabilities and Okabe and Ito's for lines, in both forms. A PNG has two pixels a point: show it at the size
// that [Picture.Metadata] states.
package chart
