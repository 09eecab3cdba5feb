package chart

import (
	"maps"

	"fsnetlab/fsnet/session"
)

// Annealing draws the temperatures that were in force over the epochs, and dashed those that the schedule will set from the present step
// on, above how certain the selection is. There is no specification: the live inspector stands in its place.
func Annealing(h session.History, ahead session.Curve) (Picture, error) {
	const scheduled = "tau_ahead"
	curves := maps.Clone(h.Curves)
	if curves == nil {
		curves = map[string]session.Curve{}
	}
	curves[scheduled] = ahead
	h.Curves = curves
	f := figureOf(h, []panelKind{
		{title: "Temperature τ", height: 150, log: true, lines: []line{
			{metric: "tau", label: "as it was", colour: purple, width: 2.4}, {metric: scheduled, label: "as it is scheduled", colour: purple, width: 1.6, dashed: true},
		}},
		certaintyPanel(),
	})
	f.title = "Annealing of " + plain(h.Session)
	image, err := f.png()
	if err != nil {
		return Picture{}, err
	}
	return Picture{PNG: image, Text: f.text(), Alt: f.alt()}, nil
}
