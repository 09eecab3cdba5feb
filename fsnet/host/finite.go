package host

import (
	"math"
	"reflect"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// JSON has no word for NaN and infinity, so no result of the host contains one. A status says so by Trained = false, or leaves the number
// out; a curve leaves the point out; the host refuses a result that would be wrong without the number.

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func finiteStatus(s session.Status) session.Status {
	for _, x := range []*float64{&s.Loss, &s.LossClass, &s.LossReconstruction, &s.AccuracyTrain} {
		if !finite(*x) {
			*x, s.Trained = 0, false
		}
	}
	for _, x := range []**float64{&s.AccuracyValidation, &s.R2Train, &s.R2Validation, &s.MaxProbability} {
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
		shown := session.Curve{Steps: []int{}, Values: []float64{}}
		for i, value := range c.Values {
			if finite(value) {
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
			return slices.ContainsFunc(l.Probability, func(p float64) bool { return !finite(p) })
		})
	}
	return h
}

func mustBeFinite(name, what string, result any) error {
	if allFinite(reflect.ValueOf(result)) {
		return nil
	}
	return fault.New(fault.Failed, "open it again with replace=true, perhaps with a smaller learning_rate",
		"session %q: %s is not a number", name, what)
}

// allFinite looks at every number in structures, lists and pointers.
func allFinite(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		return finite(v.Float())
	case reflect.Pointer:
		return v.IsNil() || allFinite(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if !allFinite(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !allFinite(v.Field(i)) {
				return false
			}
		}
	}
	return true
}
