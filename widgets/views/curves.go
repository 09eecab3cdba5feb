package views

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

const (
	saveInterval = 10 * time.Second // at the least between two copies of everything in the widget's state, which are large
	mostPoints   = 400              // of a curve when everything is told; it may grow to twice as many before it is thinned
	mostPasts    = 4                // pasts that are kept
)

// liveCurves is the chart of a session's curves in a module whose state has the entry "saved". It is fed with the changes of a watched
// history; each goes on to the module as it is, so that an update is as small as what is new.
type liveCurves struct {
	module *ipywidgets.Model

	mu     sync.Mutex
	tracks []*track // the first is the session's own
	number int      // of the last message
	saving bool
}

// track is one course of a training: the session's own, a past that a rewind took back, or another session with a part of its past.
type track struct {
	name    string // "" is the session's own
	over    bool   // a past
	history session.History
}

// curvesRequest is what a watch asks for so that the chart can be fed.
func curvesRequest() *session.HistoryRequest {
	return &session.HistoryRequest{
		Metrics: []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "accuracy_validation", "r2_train",
			"r2_validation", "tau", "sharpness", "max_probability", "max_soft", "entropy", "unique_rows"}, Points: mostPoints, Selectors: true,
	}
}

func newCurves(module *ipywidgets.Model) *liveCurves {
	return &liveCurves{module: module, tracks: []*track{{}}}
}

// apply takes in what is new in the session's own history. A course that a rewind takes back stays as a past. Changes whose steps do not
// rise are an error, and nothing of them is drawn.
func (c *liveCurves) apply(changes session.Changes) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.tracks[0]
	past := own.past(changes)
	if err := own.apply(changes); err != nil {
		return err
	}
	if past == nil {
		c.add(own, changes)
		return nil
	}
	for i, pasts := len(c.tracks)-1, 0; i > 0; i-- { // the oldest goes where there are many
		if c.tracks[i].over {
			if pasts++; pasts >= mostPasts {
				c.tracks = append(c.tracks[:i:i], c.tracks[i+1:]...)
			}
		}
	}
	c.tracks = append(c.tracks, past)
	c.tell()
	return nil
}

// applyBranch takes in what is new in the history of another session, which is drawn beside this one's.
func (c *liveCurves) applyBranch(name string, changes session.Changes) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.tracks, func(t *track) bool { return t.name == name && !t.over })
	if at < 0 {
		at = len(c.tracks)
		c.tracks = append(c.tracks, &track{name: name})
	}
	if err := c.tracks[at].apply(changes); err != nil {
		return err
	}
	c.add(c.tracks[at], changes)
	return nil
}

// clear forgets all, as of a session that was made anew.
func (c *liveCurves) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tracks = []*track{{}}
	c.tell()
}

// own is the session's own history.
func (c *liveCurves) own() session.History {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tracks[0].history
}

// leader is the name of a feature that led a selector, by its column of the file; its number where it led none.
func (c *liveCurves) leader(column int) string {
	if s := c.own().Selectors; s != nil && s.Names[column] != "" {
		return s.Names[column]
	}
	return strconv.Itoa(column)
}

// add tells what is new in one track. The caller holds the lock.
func (c *liveCurves) add(t *track, changes session.Changes) {
	c.number++
	c.send(curvesMessage{Kind: "add", Number: c.number, Tracks: []piece{pieceOf(t.name, changes)}})
}

// all is everything. The caller holds the lock.
func (c *liveCurves) all() curvesMessage {
	m := curvesMessage{Kind: "all", Number: c.number}
	for _, t := range c.tracks {
		h := t.history
		h.Curves = make(map[string]session.Curve, len(t.history.Curves))
		for metric, curve := range t.history.Curves {
			h.Curves[metric] = curve.Thin(mostPoints)
		}
		m.Tracks = append(m.Tracks, pieceOf(t.name, session.Changes{History: h}))
	}
	return m
}

// tell tells everything. The caller holds the lock.
func (c *liveCurves) tell() { c.send(c.all()) }

func (c *liveCurves) send(m curvesMessage) {
	c.module.Send(m)
	if !c.saving {
		c.saving = true
		time.AfterFunc(saveInterval, c.save)
	}
}

// save puts everything into the widget's state, for a notebook that is read without a kernel.
func (c *liveCurves) save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saving = false
	if text, err := json.Marshal(c.all()); err == nil {
		c.module.Set(map[string]any{"saved": string(text)})
	}
}

// tellAll tells everything, which a page asks for when it begins.
func (c *liveCurves) tellAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell()
}

// apply takes in what is new, and thins curves that have grown long.
func (t *track) apply(changes session.Changes) error {
	if err := t.history.Apply(changes); err != nil {
		return err
	}
	for metric, curve := range t.history.Curves {
		if len(curve.Values) > 2*mostPoints {
			t.history.Curves[metric] = curve.Thin(mostPoints)
		}
	}
	return nil
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

// curvesMessage goes to the browser: everything ("all"), or what is new in a track ("add"). frontend/tracks.js reads it.
type curvesMessage struct {
	Kind   string  `json:"kind"`
	Number int     `json:"number"` // rises by 1 with each "add", so that a page knows when it missed one
	Tracks []piece `json:"tracks"`
}

type piece struct {
	Name       string                `json:"name"`
	PerEpoch   int                   `json:"per_epoch"`
	From       int                   `json:"from"`
	Curves     map[string]curvePiece `json:"curves"`
	EventsFrom int                   `json:"events_from"`
	Events     []eventPiece          `json:"events"`
	Selectors  *selectorsPiece       `json:"selectors,omitempty"`
}

// selectorsPiece is a look a row, a selector a column.
type selectorsPiece struct {
	Steps   []int          `json:"steps"`
	Leaders [][]int        `json:"leaders"`
	Values  [][]short      `json:"values"`
	Names   map[int]string `json:"names"`
	Settle  int            `json:"settle"`
}

type curvePiece struct {
	Steps  []int   `json:"steps"`
	Values []short `json:"values"`
	Means  []short `json:"means,omitempty"` // of a noisy curve that was thinned, what its values stand for
}

type eventPiece struct {
	Step int    `json:"step"`
	Text string `json:"text"`
	Anew bool   `json:"anew,omitempty"` // the loss is made otherwise from there on: its average begins anew
}

// short is a number of five digits: more cannot be seen.
type short float64

func (s short) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'g', 5, 64), nil
}

func selectorsOf(s *session.Selectors) *selectorsPiece {
	if s == nil {
		return nil
	}
	p := &selectorsPiece{Steps: []int{}, Leaders: [][]int{}, Values: [][]short{}, Names: s.Names, Settle: s.SettleSteps}
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
	p := piece{Name: name, PerEpoch: c.PerEpoch, From: c.From, Curves: map[string]curvePiece{}, EventsFrom: c.EventsFrom, Events: []eventPiece{},
		Selectors: selectorsOf(c.Selectors)}
	for metric, points := range c.Curves {
		c := curvePiece{Steps: append([]int{}, points.Steps...), Values: shortened(points.Values)}
		if session.Noisy(metric) {
			c.Means = shortened(points.Means)
		}
		p.Curves[metric] = c
	}
	for _, e := range c.Events {
		if e.Kind == "open" { // where the axis begins: not drawn, but counted
			e.Text = ""
		}
		p.Events = append(p.Events, eventPiece{Step: e.Step, Text: e.Text, Anew: e.MakesLossOtherwise()})
	}
	return p
}
