package views

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

const (
	saveInterval = 10 * time.Second // between copies of everything in the widget's state, which are large
	mostPoints   = 400              // of a curve
	mostPasts    = 4                // stretches of the past that rewinds took back
)

// liveCurves is the chart of a session's curves, in a module whose state has the entry "saved". It
// takes in changes of a watched history, and sends what is new in them.
type liveCurves struct {
	module  *ipywidgets.Model
	palette *chart.Palette

	mu     sync.Mutex
	tracks []*track // the first is the session's own
	smooth int      // epochs, or bySpan
	number int      // of the last message
	saving bool
}

// track is one course of a training: the session's own, a past that a rewind took back, or a fork.
type track struct {
	name    string          // "" for the session's own
	past    bool            // taken back by a rewind
	history session.History // without its curves
	curves  map[string]*session.Growing
	drawn   drawing
}

// curvesRequest returns the history to watch.
func curvesRequest() *session.HistoryRequest {
	return &session.HistoryRequest{
		Metrics: []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "accuracy_validation", "r2_train",
			"r2_validation", "tau", "sharpness", "max_probability", "max_soft", "entropy", "unique_rows"}, Points: mostPoints, Selectors: true,
	}
}

func newCurves(module *ipywidgets.Model, palette *chart.Palette) *liveCurves {
	return &liveCurves{module: module, palette: palette, tracks: []*track{{}}, smooth: bySpan}
}

// apply takes in changes of the session's own history. A course that a rewind takes back remains as
// a past; of pasts, the newest mostPasts stay. If steps do not rise, apply returns an error and
// draws nothing.
func (c *liveCurves) apply(changes session.Changes) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.tracks[0]
	past := own.takenBack(changes)
	if err := own.apply(changes); err != nil {
		return err
	}
	if past == nil {
		c.send()
		return nil
	}
	c.tracks = slices.DeleteFunc(c.tracks, func(t *track) bool { return t.past && t.name == past.name })
	for i, pasts := len(c.tracks)-1, 0; i > 0; i-- { // drop the oldest past if there are many
		if c.tracks[i].past {
			if pasts++; pasts >= mostPasts {
				c.tracks = append(c.tracks[:i:i], c.tracks[i+1:]...)
			}
		}
	}
	c.tracks = append(c.tracks, past)
	c.send()
	return nil
}

// applyFork takes in changes of a fork's history, or returns an error as apply does. The first
// changes of a name add its track.
func (c *liveCurves) applyFork(name string, changes session.Changes) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.tracks, func(t *track) bool { return t.name == name && !t.past })
	if at < 0 {
		at = len(c.tracks)
		c.tracks = append(c.tracks, &track{name: name})
	}
	if err := c.tracks[at].apply(changes); err != nil {
		return err
	}
	c.send()
	return nil
}

// clear drops all tracks, because the session was replaced, and tells the page.
func (c *liveCurves) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tracks = []*track{{drawn: c.tracks[0].drawn}} // the page has it
	c.send()
}

// own returns the session's own history without its curves.
func (c *liveCurves) own() session.History {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tracks[0].history
}

// whole returns the session's own history.
func (c *liveCurves) whole() session.History {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.tracks[0].history
	h.Curves = map[string]session.Curve{}
	for metric, curve := range c.tracks[0].curves {
		h.Curves[metric] = session.Curve{Steps: slices.Clone(curve.Steps), Values: slices.Clone(curve.Values), Means: slices.Clone(curve.Means)}
	}
	return h
}

// lookAt returns the step of the session's last look at P up to a step, 0 before the first. Without
// any look it returns the step.
func (c *liveCurves) lookAt(step int) int {
	s := c.own().Selectors
	if s == nil || len(s.Looks) == 0 {
		return step
	}
	at, exact := slices.BinarySearchFunc(s.Looks, step, func(l session.Look, step int) int { return l.Step - step })
	switch {
	case exact:
		return step
	case at == 0:
		return 0
	}
	return s.Looks[at-1].Step
}

// leader returns the name of a feature that led a selector, or its column if it led none.
func (c *liveCurves) leader(column int) string {
	if s := c.own().Selectors; s != nil && s.Names[column] != "" {
		return s.Names[column]
	}
	return strconv.Itoa(column)
}

// send sends what the page does not have. The caller holds the lock.
func (c *liveCurves) send() {
	c.number++
	c.module.Send(c.news())
	if !c.saving {
		c.saving = true
		time.AfterFunc(saveInterval, c.save)
	}
}

// sendAll sends everything. A page asks for it when it starts.
func (c *liveCurves) sendAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.module.Send(c.all())
}

// save puts everything into the widget's state, for notebooks that are read without a kernel. send
// calls it some time after the first change that is not saved.
func (c *liveCurves) save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saving = false
	if text, err := json.Marshal(c.all()); err == nil {
		c.module.Set(map[string]any{"saved": string(text)})
	}
}

// smoothOver sets the epochs over which noisy curves are smoothed, or bySpan.
func (c *liveCurves) smoothOver(epochs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.smooth = epochs
	c.send()
}

// apply takes in changes, and thins curves that have grown long. It returns an error, and changes
// nothing, if steps do not rise.
func (t *track) apply(changes session.Changes) error {
	if err := t.history.Apply(changes); err != nil {
		return err
	}
	fresh := t.history.Curves
	t.history.Curves = nil
	if t.curves == nil {
		t.curves = map[string]*session.Growing{}
	}
	for metric := range fresh {
		if t.curves[metric] == nil {
			t.curves[metric] = new(session.Growing)
		}
	}
	for metric, curve := range t.curves {
		t.drawn.changed(metric, curve.Extend(changes.From, fresh[metric], mostPoints))
	}
	return nil
}

// takenBack returns the course that these changes take back, or nil if they only add to it.
func (t *track) takenBack(changes session.Changes) *track {
	h := t.history
	perEpoch := max(h.PerEpoch, 1)
	back := changes.Step < h.Step || (changes.From > 0 && changes.From <= h.Step/perEpoch*perEpoch)
	if !back || len(t.curves) == 0 {
		return nil
	}
	from := changes.Step // the step of the rewind, since more steps may have been made
	for _, e := range changes.Events {
		if e.Kind == "rewind" {
			from = e.Step
		}
	}
	past := &track{name: fmt.Sprintf("before the rewind from step %d", h.Step), past: true,
		history: session.History{Session: h.Session, Step: h.Step, PerEpoch: h.PerEpoch}, curves: map[string]*session.Growing{}}
	for metric, curve := range t.curves {
		if rest := curve.After(from); len(rest.Steps) > 0 {
			past.curves[metric] = new(session.Growing)
			past.curves[metric].Extend(0, rest, mostPoints/2)
		}
	}
	past.history.Selectors = h.Selectors.Since(from)
	if len(past.curves) == 0 {
		return nil
	}
	return past
}
