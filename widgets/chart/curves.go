package chart

import (
	"maps"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Curves draws the history of a training as panels over one axis of epochs: losses, accuracies, temperature, and how certain the
// selection is. Changes of live keys and the end are vertical rules with their words. Values that are not numbers leave gaps, which the
// caption counts; a history without values gives a picture that says so.
//
// Metrics without a panel of their own are drawn where the history was asked for without one of the usual four.
func Curves(h session.History) (Picture, error) {
	panels := usual()
	if _, quantity := h.Curves["r2_train"]; quantity {
		panels[0].curves[1].label = "quantity"
		panels[1] = explained()
	}
	f := figureOf(h, panels)
	p, err := Drawn(f.spec(), true, f.sparklines(40))
	return p.Fitting(f.fitting), err
}

// usual are the four panels of a training.
func usual() []panel {
	return []panel{
		{title: "Loss", height: 130, y: spec.Axis{Log: true}, curves: []curve{
			{metric: "loss", label: "total", colour: spec.Blue, width: 2.6},
			{metric: "loss_class", label: "class", colour: spec.Vermillion, width: 1.4},
			{metric: "loss_reconstruction", label: "reconstruction, without λ", colour: spec.Green, width: 1.4},
		}},
		{title: "Accuracy", height: 95, y: shares(), curves: []curve{
			{metric: "accuracy_train", label: "training batches", colour: spec.Blue, width: 1.6},
			{metric: "accuracy_validation", label: "validation rows", colour: spec.Vermillion, width: 1.6},
		}},
		{title: "Temperature τ, sharpness σ", height: 70, y: spec.Axis{Log: true}, curves: []curve{
			{metric: "tau", label: "τ", colour: spec.Purple, width: 2},
			{metric: "sharpness", label: "σ", colour: spec.Orange, width: 1.4},
		}},
		certainty(),
	}
}

// explained takes the place of the accuracies where the label is a quantity.
func explained() panel {
	return panel{title: "R²", height: 95, curves: []curve{
		{metric: "r2_train", label: "training batches", colour: spec.Blue, width: 1.6},
		{metric: "r2_validation", label: "validation rows", colour: spec.Vermillion, width: 1.6},
	}}
}

func certainty() panel {
	return panel{title: "Largest probability in P and weight in M, means over selectors (settled from 0.9)", height: 70, y: shares(), threshold: 0.9,
		curves: []curve{
			{metric: "max_probability", label: "P", colour: spec.Green, width: 2},
			{metric: "max_soft", label: "M without noise", colour: spec.Soft, width: 1.2},
		}}
}

// shares is an axis from 0 to 1.
func shares() spec.Axis { return spec.Axis{Low: 0, High: 1.04} }

// Annealing draws temperature and sharpness as they were in force over the epochs, and dashed what the schedules will set from the present
// step on, above how certain the selection is. There is no specification: the live inspector stands in its place.
func Annealing(h session.History, tau, sharpness session.Curve) (Picture, error) {
	curves := map[string]session.Curve{"tau_ahead": tau, "sharpness_ahead": sharpness}
	maps.Copy(curves, h.Curves)
	h.Curves = curves
	course := func(title, metric string, height float64, colour spec.RGB) panel {
		return panel{title: title, height: height, y: spec.Axis{Log: true}, curves: []curve{
			{metric: metric, label: "as it was", colour: colour, width: 2.4},
			{metric: metric + "_ahead", label: "as scheduled (dashed)", colour: colour, width: 1.6, dashed: true},
		}}
	}
	f := figureOf(h, []panel{
		course("Temperature τ", "tau", 150, spec.Purple), course("Sharpness σ", "sharpness", 70, spec.Orange), certainty(),
	})
	f.title = "Annealing of " + words.Plain(h.Session)
	return Drawn(f.spec(), false, f.sparklines(40))
}
