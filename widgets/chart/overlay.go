package chart

import (
	"fmt"
	"strings"

	"fsnetlab/fsnet/session"
	"fsnetlab/internal/count"
	"fsnetlab/widgets/chart/spec"
	"fsnetlab/widgets/chart/words"
)

// Overlay draws the histories of several trainings over one another: total loss, accuracy or R² of the training batches, and how certain
// the selection is, a colour for each. Over epochs where all have as many steps in one, otherwise over steps.
func Overlay(list []session.History) (Picture, error) {
	all := session.History{PerEpoch: list[0].PerEpoch, Curves: map[string]session.Curve{}}
	var names []string
	for _, h := range list {
		names = append(names, words.Plain(h.Session))
		if h.PerEpoch != all.PerEpoch {
			all.PerEpoch = 0
		}
	}
	panels := []panel{
		{title: "Loss, total", height: 120, y: spec.Axis{Log: true}}, {title: "Accuracy, training batches", height: 95, y: shares()},
		{title: "R², training batches", height: 95}, certainty(),
	}
	for p, metric := range []string{"loss", "accuracy_train", "r2_train", "max_probability"} {
		panels[p].curves = nil
		for i, h := range list {
			key := fmt.Sprintf("%s of %s", metric, names[i])
			if known, ok := h.Curves[metric]; ok {
				all.Curves[key] = known
				panels[p].curves = append(panels[p].curves, curve{metric: key, of: metric, anew: h.LossMadeOtherwise(), label: names[i],
					colour: spec.Category(i), width: 1.6})
			}
		}
	}
	f := figureOf(all, panels)
	f.title, f.subtitle = "Training of "+strings.Join(names, ", "), count.Of(len(list), "session")+f.smoothed()
	p, err := Drawn(f.spec(), true, f.sparklines(40))
	return p.Fitting(f.fitting), err
}
