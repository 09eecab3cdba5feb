// Package finite keeps numbers that are none out of what a host answers.
//
// JSON has no word for NaN and infinity, so no result of the host contains one. A status says so by Trained = false, or leaves the number
// out ([Status]); a curve leaves the point out ([History]); a result that would be wrong without the number is refused ([Check]).
package finite

import (
	"math"
	"reflect"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

func number(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Status is a status without numbers that are none.
func Status(s session.Status) session.Status {
	for _, x := range []*float64{&s.Loss, &s.LossClass, &s.LossReconstruction, &s.AccuracyTrain} {
		if !number(*x) {
			*x, s.Trained = 0, false
		}
	}
	for _, x := range []**float64{&s.AccuracyValidation, &s.R2Train, &s.R2Validation, &s.MaxProbability} {
		if *x != nil && !number(**x) {
			*x = nil
		}
	}
	for _, x := range []*float64{&s.Epoch, &s.Tau, &s.StepsPerSecond, &s.SecondsLeft, &s.Seconds, &s.ModelKB} {
		if !number(*x) {
			*x = 0
		}
	}
	return s
}

// History is a history without the points and looks that are none; its curves are changed.
func History(h session.History) session.History {
	for name, c := range h.Curves {
		shown := session.Curve{Steps: []int{}, Values: []float64{}}
		for i, value := range c.Values {
			if number(value) {
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
			return slices.ContainsFunc(l.Probability, func(p float64) bool { return !number(p) })
		})
	}
	return h
}

// Check refuses a result of the session of that name that holds a number that is none; what says what it is.
func Check(name, what string, result any) error {
	if all(reflect.ValueOf(result)) {
		return nil
	}
	return fault.New(fault.Failed, "open it again with replace=true, perhaps with a smaller learning_rate",
		"session %q: %s is not a number", name, what)
}

// all looks at every number in structures, lists and pointers.
func all(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64:
		return number(v.Float())
	case reflect.Pointer:
		return v.IsNil() || all(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if !all(v.Index(i)) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !all(v.Field(i)) {
				return false
			}
		}
	}
	return true
}
