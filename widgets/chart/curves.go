package chart

import "fsnetlab/fsnet/session"

// Curves draws the history of a training as panels over one axis of epochs: losses, accuracies, temperature, and how certain the
// selection is. Changes of live keys and the end are vertical rules with their words. Values that are not numbers leave gaps, which the
// caption counts; a history without values gives a picture that says so.
//
// Metrics without a panel of their own are drawn where the history was asked for without one of the usual four.
func Curves(h session.History) (Picture, error) {
	f := figureOf(h, usual())
	spec, err := f.vegaLite()
	if err != nil {
		return Picture{}, err
	}
	image, err := f.png()
	if err != nil {
		return Picture{}, err
	}
	return Picture{VegaLite: spec, PNG: image, Text: f.text(), terminal: f.terminal, Alt: f.alt()}, nil
}
