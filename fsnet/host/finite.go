package host

import (
	"encoding/json"
	"math"
	"slices"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// JSON has no word for NaN and infinity, so no result of the host contains one. A status says so by Trained = false, or leaves the number
// out; a curve leaves the point out; a result that would be wrong without the number is refused.

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// finiteStatus is a status without numbers that are none.
func finiteStatus(s session.Status) session.Status {
	for _, x := range []*float64{&s.Loss, &s.LossClass, &s.LossReconstruction, &s.TrainScore.Value} {
		if !isFinite(*x) {
			*x, s.Trained = 0, false
		}
	}
	if v := s.ValidationScore; v != nil && !isFinite(v.Value) {
		s.ValidationScore = nil
	}
	if p := s.MaxProbability; p != nil && !isFinite(*p) {
		s.MaxProbability = nil
	}
	for _, x := range []*float64{&s.Epoch, &s.Tau, &s.StepsPerSecond, &s.SecondsLeft, &s.Seconds, &s.ModelKB} {
		if !isFinite(*x) {
			*x = 0
		}
	}
	return s
}

// finiteHistory is a history without the points and looks that are none; its curves are changed.
func finiteHistory(h session.History) session.History {
	for name, c := range h.Curves {
		shown := session.Curve{Steps: []int{}, Values: []float64{}}
		for i, value := range c.Values {
			if isFinite(value) {
				shown.Steps = append(shown.Steps, c.Steps[i])
				shown.Values = append(shown.Values, value)
				if len(c.Means) > i {
					shown.Means = append(shown.Means, c.Means[i])
				}
			}
		}
		h.Curves[name] = shown
	}
	if s := h.Selectors; s != nil {
		s.Looks = slices.DeleteFunc(s.Looks, func(l session.Look) bool {
			return slices.ContainsFunc(l.Probability, func(p float64) bool { return !isFinite(p) })
		})
	}
	return h
}

// checkFinite refuses a result of the session of that name that holds a number that is none; what says what it is.
func checkFinite(name, what string, result any) error {
	if _, err := json.Marshal(result); err == nil {
		return nil
	}
	return errs.New(errs.Failed, "open it again with replace=true, perhaps with a smaller learning_rate",
		"session %q: %s is not a number", name, what)
}
