package views

import (
	"strconv"

	"fsnetlab/fsnet/session"
)

// message goes to the browser: everything ("all"), or what is new in a track ("add"). frontend/tracks.js reads it.
type message struct {
	Kind   string  `json:"kind"`
	Number int     `json:"number"` // rises by 1 with each "add", so that a page knows when it missed one
	Tracks []piece `json:"tracks"`
}

type piece struct {
	Name       string           `json:"name"`
	PerEpoch   int              `json:"per_epoch"`
	From       int              `json:"from"`
	Curves     map[string]curve `json:"curves"`
	EventsFrom int              `json:"events_from"`
	Events     []event          `json:"events"`
	Selectors  *selectors       `json:"selectors,omitempty"`
}

// selectors is a look a row, a selector a column.
type selectors struct {
	Steps   []int          `json:"steps"`
	Leaders [][]int        `json:"leaders"`
	Values  [][]short      `json:"values"`
	Names   map[int]string `json:"names"`
	Settle  int            `json:"settle"`
}

type curve struct {
	Steps  []int   `json:"steps"`
	Values []short `json:"values"`
	Means  []short `json:"means,omitempty"` // of a noisy curve that was thinned, what its values stand for
}

type event struct {
	Step int    `json:"step"`
	Text string `json:"text"`
	Anew bool   `json:"anew,omitempty"` // the loss is made otherwise from there on: its average begins anew
}

// short is a number of five digits: more cannot be seen.
type short float64

func (s short) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'g', 5, 64), nil
}

func selectorsOf(s *session.Selectors) *selectors {
	if s == nil {
		return nil
	}
	p := &selectors{Steps: []int{}, Leaders: [][]int{}, Values: [][]short{}, Names: s.Names, Settle: s.SettleSteps}
	for _, l := range s.Looks {
		p.Steps, p.Leaders, p.Values = append(p.Steps, l.Step), append(p.Leaders, l.Leaders), append(p.Values, shortened(l.Probability))
	}
	return p
}

func shortened(values []float64) []short {
	list := make([]short, len(values))
	for i, v := range values {
		list[i] = short(v)
	}
	return list
}

func pieceOf(name string, c session.Changes) piece {
	p := piece{Name: name, PerEpoch: c.PerEpoch, From: c.From, Curves: map[string]curve{}, EventsFrom: c.EventsFrom, Events: []event{},
		Selectors: selectorsOf(c.Selectors)}
	for metric, points := range c.Curves {
		c := curve{Steps: append([]int{}, points.Steps...), Values: shortened(points.Values)}
		if session.Noisy(metric) {
			c.Means = shortened(points.Means)
		}
		p.Curves[metric] = c
	}
	for _, e := range c.Events {
		if e.Kind == "open" { // where the axis begins: not drawn, but counted
			e.Text = ""
		}
		p.Events = append(p.Events, event{Step: e.Step, Text: e.Text, Anew: e.MakesLossOtherwise()})
	}
	return p
}

func pieces(tracks []*track) []piece {
	list := make([]piece, len(tracks))
	for i, t := range tracks {
		h := t.history
		h.Curves = make(map[string]session.Curve, len(t.history.Curves))
		for metric, c := range t.history.Curves {
			h.Curves[metric] = c.Thin(mostPoints)
		}
		list[i] = pieceOf(t.name, session.Changes{History: h})
	}
	return list
}
