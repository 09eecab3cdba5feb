package train

import (
	"cmp"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/suggest"
)

// defaultPoints is the length of a curve where the request does not say.
const defaultPoints = 400

// History is the curves by epoch, thinned without losing extremes, and the events.
func (t *Training) History(request session.HistoryRequest) (session.History, error) {
	return t.Recorded()(request)
}

// Recorded takes what was recorded up to this moment, without copying it. The history of it may be asked for at any later time, in any
// goroutine, whatever the training does meanwhile.
func (t *Training) Recorded() func(session.HistoryRequest) (session.History, error) {
	// These only grow at their ends, beyond what is seen here.
	r := history{epochs: slices.Clip(t.history.epochs), open: t.history.open, observations: slices.Clip(t.history.observations)}
	step, perEpoch, events := t.step, t.engine.StepsPerEpoch, slices.Clip(t.events)
	settle, columns, data := t.settleTime(), t.columns, t.data // those of this moment: a rewind gives the training others
	return func(request session.HistoryRequest) (session.History, error) {
		h, err := r.history(step, perEpoch, events, request)
		if err == nil && request.Selectors {
			h.Selectors = r.selectors(request.From, settle, func(j int) (int, string) { return named(data, columns, j) })
		}
		return h, err
	}
}

func (r *history) history(step, perEpoch int, events []session.Event, request session.HistoryRequest) (session.History, error) {
	metrics := request.Metrics
	if len(metrics) == 0 {
		metrics = session.Metrics()
	}
	points := cmp.Or(request.Points, defaultPoints)
	if points < 4 || points > 100000 {
		return session.History{}, fault.New(fault.Request, "choose 4 to 100000", "points = %d is out of range", points)
	}
	h := session.History{Step: step, PerEpoch: perEpoch, Curves: map[string]session.Curve{}, Events: slices.Clone(events)}
	for _, metric := range metrics {
		if !slices.Contains(session.Metrics(), metric) {
			return h, fault.New(fault.Request, suggest.DidYouMean(metric, session.Metrics()), "metric %q is not known", metric)
		}
		c := r.curve(metric, request.From)
		if len(c.Steps) > 0 {
			h.Curves[metric] = c.Thin(points)
		}
	}
	return h, nil
}

// selectors is what the looks from a step on saw, the leaders as columns of the file.
func (r *history) selectors(from, settle int, feature func(j int) (index int, name string)) *session.Selectors {
	s := &session.Selectors{Looks: []session.Look{}, Names: map[int]string{}, SettleSteps: settle}
	for _, o := range r.observations {
		if o.step < from {
			continue
		}
		look := session.Look{Step: o.step, Leaders: make([]int, len(o.leaders)), Probability: o.leading}
		for k, j := range o.leaders {
			index, name := feature(j)
			look.Leaders[k], s.Names[index] = index, name
		}
		s.Looks = append(s.Looks, look)
	}
	return s
}
