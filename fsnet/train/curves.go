package train

import (
	"slices"

	"fsnetlab/fsnet/session"
)

// History is the curves by epoch, thinned without losing extremes, and the events.
func (t *Training) History(request session.HistoryRequest) (session.History, error) {
	return t.Recorded()(request)
}

// Recorded takes what was recorded up to this moment, without copying it. The history of it may be asked for at any later time, in any
// goroutine, whatever the training does meanwhile.
func (t *Training) Recorded() func(session.HistoryRequest) (session.History, error) {
	r, step, perEpoch, events := t.record.Snapshot(), t.step, t.engine.StepsPerEpoch, slices.Clip(t.events)
	// Those of this moment: a rewind gives the training others.
	settle, columns, data, regression := t.settleTime(), t.columns, t.data, t.target.Quantity != nil
	return func(request session.HistoryRequest) (session.History, error) {
		curves, err := r.Curves(request, regression)
		if err != nil {
			return session.History{}, err
		}
		h := session.History{Step: step, PerEpoch: perEpoch, Curves: curves, Events: slices.Clone(events)}
		if request.Selectors {
			h.Selectors = r.Selectors(request.From, settle, func(j int) (int, string) { return named(data, columns, j) })
		}
		return h, nil
	}
}
