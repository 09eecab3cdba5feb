package views

import (
	"fmt"

	"fsnetlab/fsnet/session"
)

const (
	mostPoints = 400 // of a curve when everything is told; it may grow to twice as many before it is thinned
	mostPasts  = 4   // pasts that are kept
)

// track is one course of a training.
type track struct {
	name    string // "" is the session's own
	over    bool   // a past
	history session.History
	rested  int // the last step at which it did
}

// Name is what the legend says; "" for the session's own course.
func (t track) Name() string { return t.name }

// History is the track's curves and events.
func (t track) History() session.History { return t.history }

// apply takes what is new, and gives it as it is told: from behind the last step at which the session rested, whose points stay.
func (t *track) apply(changes session.Changes, rests bool) session.Changes {
	switch {
	case changes.Step < t.history.Step:
		t.rested = 0
	case changes.From > 0: // else a watch began anew, and tells all again
		changes.From = max(changes.From, min(t.rested+1, changes.Step))
	}
	if rests {
		t.rested = changes.Step
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
func (t *track) past(changes session.Changes) *track {
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
	past := &track{name: fmt.Sprintf("before the rewind from step %d", h.Step), over: true,
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
