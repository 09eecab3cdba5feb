package curves

import (
	"fmt"
	"math"
	"slices"

	"fsnetlab/fsnet/session"
)

const (
	mostPoints = 400 // of a curve when everything is told; it may grow to twice as many before it is thinned
	mostPasts  = 4   // pasts that are kept
)

// Track is one course of a training.
type Track struct {
	name    string // "" is the session's own
	over    bool   // a past
	history session.History
	rests   []int // steps of the epoch in progress whose points stay
}

// Name is what the legend says; "" for the session's own course.
func (t Track) Name() string { return t.name }

// History is the track's curves and events.
func (t Track) History() session.History { return t.history }

// apply takes what is new, and gives it with the points that stay before it.
func (t *Track) apply(changes session.Changes, rests bool) session.Changes {
	if len(t.rests) > 0 {
		stay := session.History{Curves: map[string]session.Curve{}}
		for metric, c := range t.history.Curves {
			var kept session.Curve
			for i, step := range c.Steps {
				if step >= changes.From && step < changes.Step && slices.Contains(t.rests, step) {
					kept.Steps, kept.Values = append(kept.Steps, step), append(kept.Values, c.Values[i])
				}
			}
			stay.Curves[metric] = kept
		}
		stay.Apply(session.Changes{From: math.MaxInt, History: changes.History})
		changes.Curves = stay.Curves
	}
	t.rests = slices.DeleteFunc(t.rests, func(step int) bool { return step < changes.From })
	if rests {
		t.rests = append(t.rests, changes.Step)
	}
	t.history.Apply(changes)
	for metric, curve := range t.history.Curves {
		if len(curve.Values) > 2*mostPoints {
			t.history.Curves[metric] = curve.Thin(mostPoints)
		}
	}
	return changes
}

// past is the course that these changes take back; nil where they only add.
func (t *Track) past(changes session.Changes) *Track {
	h := t.history
	perEpoch := max(h.PerEpoch, 1)
	back := changes.Step < h.Step || (changes.From > 0 && changes.From <= h.Step/perEpoch*perEpoch)
	if !back || len(h.Curves) == 0 {
		return nil
	}
	from := changes.Step // where it turned back, as its last event says: steps may have been made since
	for _, e := range changes.Events {
		if e.Kind == "rewind" {
			from = e.Step
		}
	}
	past := &Track{name: fmt.Sprintf("before the rewind from step %d", h.Step), over: true,
		history: session.History{Session: h.Session, Step: h.Step, PerEpoch: h.PerEpoch, Curves: map[string]session.Curve{}}}
	for metric, curve := range h.Curves {
		if rest := curve.After(from); len(rest.Steps) > 0 {
			past.history.Curves[metric] = rest.Thin(mostPoints / 2)
		}
	}
	if len(past.history.Curves) == 0 {
		return nil
	}
	return past
}
