package views

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// saveInterval is the least time between two copies of everything in the widget's state, which are large.
const saveInterval = 10 * time.Second

// liveCurves is what the chart of one session shows.
type liveCurves struct {
	module *ipywidgets.Model

	mu     sync.Mutex
	tracks []*track // the first is the session's own
	number int      // of the last message
	saving bool
}

// curvesRequest is what a watch asks for so that the chart can be fed.
func curvesRequest() *session.HistoryRequest {
	return &session.HistoryRequest{
		Metrics: []string{"loss", "loss_class", "loss_reconstruction", "accuracy_train", "accuracy_validation", "r2_train",
			"r2_validation", "tau", "sharpness", "max_probability", "max_soft", "entropy", "unique_rows"}, Points: mostPoints, Selectors: true,
	}
}

// newCurves makes a chart without curves, in a module whose state has the entry "saved".
func newCurves(module *ipywidgets.Model) *liveCurves {
	return &liveCurves{module: module, tracks: []*track{{}}}
}

// Apply takes what is new in the session's own history, and whether the session rests there: then its points of an epoch in progress stay,
// so that each step that a person makes is seen. What a rewind takes back stays as a past.
func (c *liveCurves) Apply(changes session.Changes, rests bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.tracks[0]
	if past := own.past(changes); past != nil {
		c.keep(past)
		own.rested = 0
		own.apply(changes, rests)
		c.tell("all", c.tracks...)
		return
	}
	c.add(own, own.apply(changes, rests))
}

// ApplyBranch takes what is new in the history of another session, which is drawn beside this one's.
func (c *liveCurves) ApplyBranch(name string, changes session.Changes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tracks[1:] {
		if t.name == name && !t.over {
			c.add(t, t.apply(changes, false))
			return
		}
	}
	t := &track{name: name}
	c.tracks = append(c.tracks, t)
	c.add(t, t.apply(changes, false))
}

// Clear forgets all, as of a session that was made anew.
func (c *liveCurves) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tracks = []*track{{}}
	c.tell("all", c.tracks...)
}

// Tracks are the courses that the chart shows, the session's own first.
func (c *liveCurves) Tracks() []track {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]track, len(c.tracks))
	for i, t := range c.tracks {
		list[i] = *t
	}
	return list
}

// Leader is the name of a feature that led a selector, by its column of the file; its number where it led none.
func (c *liveCurves) Leader(column int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.tracks[0].history.Selectors; s != nil && s.Names[column] != "" {
		return s.Names[column]
	}
	return strconv.Itoa(column)
}

// keep puts a past among the tracks, in the place of the oldest where there are many.
func (c *liveCurves) keep(past *track) {
	pasts := 0
	for i := len(c.tracks) - 1; i > 0; i-- {
		if !c.tracks[i].over {
			continue
		}
		if pasts++; pasts >= mostPasts {
			c.tracks = append(c.tracks[:i:i], c.tracks[i+1:]...)
		}
	}
	c.tracks = append(c.tracks, past)
}

// add tells what is new in one track. The caller holds the lock.
func (c *liveCurves) add(t *track, changes session.Changes) {
	c.number++
	c.send(message{Kind: "add", Number: c.number, Tracks: []piece{pieceOf(t.name, changes)}})
}

// tell tells whole tracks. The caller holds the lock.
func (c *liveCurves) tell(kind string, tracks ...*track) {
	c.send(message{Kind: kind, Number: c.number, Tracks: pieces(tracks)})
}

func (c *liveCurves) send(m message) {
	c.module.Send(m)
	if !c.saving {
		c.saving = true
		time.AfterFunc(saveInterval, c.save)
	}
}

// save puts everything into the widget's state.
func (c *liveCurves) save() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.saving = false
	if text, err := json.Marshal(message{Kind: "all", Number: c.number, Tracks: pieces(c.tracks)}); err == nil {
		c.module.Set(map[string]any{"saved": string(text)})
	}
}

// TellAll tells everything, which a page asks for.
func (c *liveCurves) TellAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell("all", c.tracks...)
}
