package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/suggest"
)

// defaultPoints is the length of a curve where the request does not say.
const defaultPoints = 400

// Curves are the metrics that were asked for by epoch, the epoch in progress included, thinned without losing extremes. What is recorded as
// accuracy is R² where the label is a quantity, and each has the other's curves empty.
func (r *Record) Curves(request session.HistoryRequest, regression bool) (map[string]session.Curve, error) {
	metrics := request.Metrics
	if len(metrics) == 0 {
		metrics = session.Metrics()
	}
	points := cmp.Or(request.Points, defaultPoints)
	if points < 4 || points > session.MaxPoints {
		return nil, fault.New(fault.Request, fmt.Sprintf("choose 4 to %d", session.MaxPoints), "points = %d is out of range", points)
	}
	curves := map[string]session.Curve{}
	for _, metric := range metrics {
		if !slices.Contains(session.Metrics(), metric) {
			return nil, fault.New(fault.Request, suggest.DidYouMean(metric, session.Metrics()), "metric %q is not known", metric)
		}
		recorded, r2 := strings.CutPrefix(metric, "r2_")
		if r2 {
			recorded = "accuracy_" + recorded
		}
		if r2 != regression && strings.HasPrefix(recorded, "accuracy_") {
			continue
		}
		c := r.curve(recorded, request.From)
		if len(c.Steps) > 0 {
			if c = c.Thin(points); !session.Noisy(metric) {
				c.Means = nil
			}
			curves[metric] = c
		}
	}
	return curves, nil
}

// epochCurves are the curves that have a point an epoch.
func epochCurves() map[string]func(Measures) float64 {
	return map[string]func(Measures) float64{
		"loss":                func(e Measures) float64 { return e.Loss },
		"loss_class":          func(e Measures) float64 { return e.LossClass },
		"loss_reconstruction": func(e Measures) float64 { return e.LossReconstruction },
		"accuracy_train":      func(e Measures) float64 { return e.Accuracy },
		"tau":                 func(e Measures) float64 { return e.Tau },
		"learning_rate":       func(e Measures) float64 { return e.LearningRate },
		"lambda":              func(e Measures) float64 { return e.Lambda },
		"sharpness":           func(e Measures) float64 { return e.Sharpness },
	}
}

// curve is one metric by epoch from a step on, the epoch in progress included.
func (r *Record) curve(metric string, from int) session.Curve {
	var c session.Curve
	add := func(step int, value float64) {
		if step >= from && !math.IsNaN(value) {
			c.Steps = append(c.Steps, step)
			c.Values = append(c.Values, value)
		}
	}
	if of := epochCurves()[metric]; of != nil {
		for _, e := range r.epochs[epochsBefore(r.epochs, from):] { // whoever watches asks ten times a second for the last
			add(e.Step, of(e))
		}
		if open := r.now.open; open.steps > 0 {
			add(open.sums.Step, of(open.means()))
		}
	}
	for _, l := range r.looks {
		switch metric {
		case "max_probability":
			add(l.Step, l.MaxProbability)
		case "max_soft":
			add(l.Step, l.MaxSoft)
		case "entropy":
			add(l.Step, l.Entropy)
		case "unique_rows":
			add(l.Step, float64(l.Unique))
		case "accuracy_validation":
			add(l.Step, l.Validation)
		}
	}
	return c
}

// Selectors is what the looks from a step on saw, the leaders as columns of the file. settle is how many steps a leader must have led to
// count as settled.
func (r *Record) Selectors(from, settle int, feature func(j int) (index int, name string)) *session.Selectors {
	s := &session.Selectors{Looks: []session.Look{}, Names: map[int]string{}, SettleSteps: settle}
	for _, l := range r.looks {
		if l.Step < from {
			continue
		}
		look := session.Look{Step: l.Step, Leaders: make([]int, len(l.leaders)), Probability: l.leading}
		for k, j := range l.leaders {
			index, name := feature(j)
			look.Leaders[k], s.Names[index] = index, name
		}
		s.Looks = append(s.Looks, look)
	}
	return s
}
