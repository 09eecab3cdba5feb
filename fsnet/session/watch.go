package session

import (
	"maps"
	"slices"

	"fsnetlab/fsnet/errs"
)

// WatchRequest selects what a watcher receives. It always receives the
// status. The zero value asks for only the status, ten times a second.
type WatchRequest struct {
	Session string `json:"session,omitempty"`
	// a number that is unique on the connection; the client assigns it
	Watch     int64 `json:"watch,omitempty"`
	Selection bool  `json:"selection,omitempty"`
	// Reduced to the columns that carry mass. Nil means no matrix.
	Matrix *MatrixRequest `json:"matrix,omitempty"`
	// Curves and events, first all of them, then only what is new. Nil means
	// no history.
	History *HistoryRequest `json:"history,omitempty"`
	// The most updates a second, up to [MaxRate]. 0 means MaxRate.
	Rate float64 `json:"rate,omitempty"`
}

// MaxRate is the largest number of updates a second.
const MaxRate = 10

// Update describes a session at one moment, as a watcher requested. All
// parts belong to the same step.
type Update struct {
	Progress
	Selection Selection `json:"selection,omitempty"`
	Matrix    *Matrix   `json:"matrix,omitempty"`
	History   *Changes  `json:"history,omitempty"`
	// why something that was requested is missing, e.g. because a selection
	// is not a number
	Problem string `json:"problem,omitempty"`
}

// Changes holds what is new in a history since the last update. It replaces
// what the receiver has: the points of every curve from step From on, and
// the events from EventsFrom on. That is how a rewind removes points and
// events.
type Changes struct {
	From       int `json:"from"`
	EventsFrom int `json:"events_from"`
	History
}

// Apply applies changes to a history that is complete up to them, as a
// watcher does with each update. You should start with the zero History. If
// changes have a point before From, or steps that do not rise, Apply returns
// an error and doesn't change the history.
func (h *History) Apply(c Changes) error {
	if err := c.check(); err != nil {
		return err
	}
	curves := map[string]Curve{}
	for name, old := range h.Curves {
		curves[name] = old.truncate(c.From).with(c.Curves[name])
	}
	for name, points := range c.Curves {
		if _, known := h.Curves[name]; !known {
			curves[name] = points
		}
	}

	keep := min(max(c.EventsFrom, 0), len(h.Events))
	*h = History{Session: c.Session, Step: c.Step, PerEpoch: c.PerEpoch, Curves: curves, Events: append(h.Events[:keep:keep], c.Events...),
		Selectors: h.Selectors.with(c.Selectors, c.From)}
	return nil
}

// check returns an error if the steps of a curve, or of the looks, do not rise,
// or if they begin before From.
func (c Changes) check() error {
	steps := map[string][]int{}
	for name, points := range c.Curves {
		steps[name] = points.Steps
	}
	if c.Selectors != nil {
		for _, look := range c.Selectors.Looks {
			steps["selectors"] = append(steps["selectors"], look.Step)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		last := c.From - 1
		for i, step := range steps[name] {
			if step <= last && (i > 0 || c.From > 0) {
				return errs.New(errs.Failed, "show the view again by running its cell; report it if it happens again",
					"%s of %s has step %d after step %d", name, c.Session, step, last)
			}
			last = step
		}
	}
	return nil
}

// after merges u with an earlier update that was not delivered, so that no
// point of a curve is lost. Everything except the history is taken from u. If
// the two histories do not fit together, Problem says so.
func (u Update) after(earlier Update) Update {
	switch {
	case earlier.History == nil:
		return u
	case u.History == nil:
		u.History = earlier.History
		return u
	}

	first, now := *earlier.History, *u.History
	if now.EventsFrom < first.EventsFrom { // a rewind removed events that the receiver has
		first.EventsFrom, first.Events = now.EventsFrom, nil
	}

	now.EventsFrom -= first.EventsFrom
	merged := Changes{From: min(first.From, now.From), EventsFrom: first.EventsFrom, History: first.History}
	if err := merged.Apply(now); err != nil {
		u.Problem = err.Error()
		return u
	}
	u.History = &merged
	return u
}
