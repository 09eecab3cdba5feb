package host

import (
	"math"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// JSON has no word for NaN and infinity: nothing that leaves the host contains one. A status says so by Trained = false, or leaves the
// number out, a curve leaves the point out, and a result that would be wrong without the number is refused.

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func finiteStatus(s session.Status) session.Status {
	for _, x := range []*float64{&s.Loss, &s.LossClass, &s.LossReconstruction, &s.AccuracyTrain} {
		if !finite(*x) {
			*x, s.Trained = 0, false
		}
	}
	for _, x := range []**float64{&s.AccuracyValidation, &s.MaxProbability} {
		if *x != nil && !finite(**x) {
			*x = nil
		}
	}
	for _, x := range []*float64{&s.Epoch, &s.Tau, &s.StepsPerSecond, &s.SecondsLeft, &s.Seconds, &s.ModelKB} {
		if !finite(*x) {
			*x = 0
		}
	}
	return s
}

func finiteHistory(h session.History) session.History {
	for name, c := range h.Curves {
		kept := session.Curve{Steps: []int{}, Values: []float64{}}
		for i, value := range c.Values {
			if finite(value) {
				kept.Steps = append(kept.Steps, c.Steps[i])
				kept.Values = append(kept.Values, value)
			}
		}
		h.Curves[name] = kept
	}
	return h
}

func finiteSelection(name string, list []session.Selected) error {
	for _, s := range list {
		for _, x := range []float64{s.Probability, s.Margin, s.Entropy, s.Leader.Probability, s.Second.Probability} {
			if !finite(x) {
				return notANumber(name, "the selection")
			}
		}
	}
	return nil
}

func finiteFeature(f session.Feature) error {
	lists := [][]float64{f.Bins.Edges, f.Embedding, f.Probability, f.Course.Probability}
	for _, d := range append(f.Classes, f.All) {
		lists = append(lists, []float64{d.Mean, d.SD, d.Min, d.Q1, d.Median, d.Q3, d.Max})
	}
	for _, x := range slices.Concat(lists...) {
		if !finite(x) {
			return notANumber(f.Session, "what is known of the feature "+f.Name)
		}
	}
	return nil
}

func finiteMatrix(m session.Matrix) error {
	for _, row := range slices.Concat(m.Values, [][]float64{m.LeftOut, {m.Tau, m.Epoch}}) {
		for _, x := range row {
			if !finite(x) {
				return notANumber(m.Session, "the selection matrix")
			}
		}
	}
	return nil
}

func finiteEvaluation(e session.Evaluation) error {
	for _, x := range []float64{e.Accuracy, e.BalancedAccuracy, e.Majority, e.ReconstructionError, e.MutualInformation} {
		if !finite(x) {
			return notANumber(e.Session, "the evaluation")
		}
	}
	return nil
}

func notANumber(name, what string) error {
	return fault.New(fault.Failed, "open it again with replace=true, perhaps with a smaller learning_rate", "session %q: %s is not a number", name, what)
}
