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
	saveInterval = 10 * time.Second // at the least between two copies of everything in the widget's state, which are large
	mostPoints   = 400              // of a curve
	mostPasts    = 4                // pasts that are kept
)

// liveCurves is the chart of a session's curves in a module whose state has the entry "saved". It is fed with the changes of a watched
// history, and keeps what the page draws: a message is what the next frame has that the last one had not.
type liveCurves struct {
	module  *ipywidgets.Model
	palette *chart.Palette

	mu     sync.Mutex
	tracks []*track // the first is the session's own
	smooth int      // epochs, or bySpan
	drawn  frame
	number int // of the last message
	saving bool
}

// track is one course of a training: the session's own, a past that a rewind took back, or another session with a part of its past.
type track struct {
	name    string // "" is the session's own
	over    bool   // a past
	history session.History
	stretch map[string]int // of the thinned curves, see [session.Curve.ThinStretches]; nil is none
}

// curvesRequest is what a watch asks for so that the chart can be fed.
func curvesRequest() *session.HistoryRequest {
	return &session.HistoryRequest{
		Metrics: []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "accuracy_validation", "r2_train",
			"r2_validation", "tau", "sharpness", "max_probability", "max_soft", "entropy", "unique_rows"}, Points: mostPoints, Selectors: true,
	}
}

func newCurves(module *ipywidgets.Model, palette *chart.Palette) *liveCurves {
	return &liveCurves{module: module, palette: palette, tracks: []*track{{}}, smooth: bySpan}
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
		c.tell()
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
	c.tell()
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

// tell sends what the page has not drawn yet; the caller holds the lock.
func (c *liveCurves) tell() {
	now := c.frame()
	m := now.since(c.drawn)
	c.number++
	m.Kind, m.Number = "add", c.number
	c.drawn = now
	c.module.Send(m)
	if !c.saving {
		c.saving = true
		time.AfterFunc(saveInterval, c.save)
	}
}

// tellAll sends everything, which a page asks for when it begins.
func (c *liveCurves) tellAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drawn = frame{}
	c.drawn = c.frame()
	m := c.drawn.since(frame{})
	m.Kind, m.Number = "all", c.number
	c.module.Send(m)
}

// save puts everything into the widget's state, for a notebook that is read without a kernel.
func (c *liveCurves) save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saving = false
	if text, err := json.Marshal(c.frame().since(frame{})); err == nil {
		c.module.Set(map[string]any{"saved": string(text)})
	}
}

// smoothOver draws noisy curves smoothed over so many epochs from now on; bySpan is as the epochs that are shown suggest.
func (c *liveCurves) smoothOver(epochs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.smooth = epochs
	c.tell()
}

// apply takes in what is new, and thins curves that have grown long.
func (t *track) apply(changes session.Changes) error {
	if err := t.history.Apply(changes); err != nil {
		return err
	}
	for metric, curve := range t.history.Curves {
		if t.stretch == nil {
			t.stretch = map[string]int{}
		}
		t.stretch[metric] = max(t.stretch[metric], curve.StretchLength(mostPoints))
		t.history.Curves[metric] = curve.ThinStretches(t.stretch[metric])
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
