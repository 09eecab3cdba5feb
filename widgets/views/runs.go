package views

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// Compare returns what [chart.Overlay] draws of sessions.
func Compare(ctx context.Context, host session.Caller, names []string) (list []chart.Compared, err error) {
	for _, name := range names {
		s, c := session.On(host, name), chart.Compared{}
		if c.Status, err = s.Status(ctx); err == nil {
			c.History, err = s.History(ctx, session.HistoryRequest{})
		}
		if err == nil {
			c.Chosen, err = s.Selection(ctx)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Runs is the live table of all open sessions: where each stands, the settings in which they
// differ, the chosen features as coloured squares, and the accuracy. A person opens the panel of a
// session below it, or compares several. It is safe for concurrent use.
type Runs struct {
	*ipywidgets.Model
	*keeper

	life    context.Context
	manager *ipywidgets.Manager
	host    session.Caller
	current func() string // the session that lines without a name mean

	mu     sync.Mutex
	list   []session.Status
	chosen map[string]chosenAt // by session
	panel  *panelView          // that is open, or nil
	busy   bool                // it is followed
}

// chosenAt is the selection of a session as it was at a number of moves and a step.
type chosenAt struct {
	moves, step int
	features    session.Selection
}

const (
	runsInterval = time.Second // between two looks at the sessions
	mostCompared = 10
	leastPicture = 240 // pixels of its width
)

// NewRuns makes the table. It acts until life ends; Follow starts it.
func NewRuns(life context.Context, m *ipywidgets.Manager, host session.Caller, current func() string) *Runs {
	v := &Runs{life: life, manager: m, host: host, current: current, chosen: map[string]chosenAt{}}
	v.Model = ipywidgets.NewModel(m, module("runs"), map[string]ipywidgets.Entry{
		"columns": {Value: []any{}}, // names of the settings in which sessions differ
		"rows":    {Value: []any{}}, // as row returns them
		"panel":   {Value: ""},      // the model of the open session's panel
		"picture": {Value: ""},      // the compared sessions, as SVG
		"about":   {Value: ""},      // the same in words
		"message": {Value: ""}, "failed": {Value: false}, snapshotEntry: {},
	})
	v.OnMessage(v.handle)
	v.keeper = newKeeper(life, v.Model, func() ipywidgets.Bundle {
		v.mu.Lock()
		defer v.mu.Unlock()
		return snapshot(chart.Sessions(v.list, v.current()))
	})
	return v
}

// Widget returns the view's model in the page.
func (v *Runs) Widget() *ipywidgets.Model { return v.Model }

// Follow shows the sessions from now on and returns at once.
func (v *Runs) Follow(list []session.Status) {
	v.show(list)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.busy {
		return
	}
	v.busy = true
	go func() {
		ticks := time.NewTicker(runsInterval)
		defer ticks.Stop()
		for {
			select {
			case <-v.life.Done():
				return
			case <-ticks.C:
			}
			v.guard(func() {
				if list, err := session.VerbSessions.Call(v.life, v.host, session.None{}); err == nil { // without a host they stay as they were
					v.choose(list)
					v.show(list)
				}
			})
		}
	}()
}

// guard runs a part of the view's work. If it panics, the message says so.
func (v *Runs) guard(work func()) {
	if err := tryOf("the table of sessions", work); err != nil {
		v.fail(err)
	}
}

func (v *Runs) fail(err error) {
	v.Set(map[string]any{"message": oneLine(err.Error()), "failed": true})
}

// choose asks the sessions that have moved, and rest, what they have chosen. It forgets the choice
// of closed sessions.
func (v *Runs) choose(list []session.Status) {
	v.mu.Lock()
	maps.DeleteFunc(v.chosen, func(name string, _ chosenAt) bool {
		return !slices.ContainsFunc(list, func(s session.Status) bool { return s.Session == name })
	})
	v.mu.Unlock()
	for _, s := range list {
		v.mu.Lock()
		known, has := v.chosen[s.Session]
		v.mu.Unlock()
		if !s.Trained || s.State == session.Running || has && known.moves == s.Moves && known.step == s.Step {
			continue
		}
		features, err := session.On(v.host, s.Session).Selection(v.life)
		if err != nil {
			continue // it has been closed
		}
		v.mu.Lock()
		v.chosen[s.Session] = chosenAt{s.Moves, s.Step, features}
		v.mu.Unlock()
	}
}

// show sends the table to the page.
func (v *Runs) show(list []session.Status) {
	differing := chart.Differing(list)
	columns, rows := []any{}, []any{}
	for _, c := range differing {
		columns = append(columns, c.Title)
	}
	v.mu.Lock()
	v.list = list
	palette, runs := sharedBy(v.manager).palette, false
	for i, s := range list {
		settings := []any{}
		for _, c := range differing {
			settings = append(settings, c.Cells[i])
		}
		features := []any{}
		for _, f := range v.chosen[s.Session].features {
			features = append(features, []any{f.Name, palette.Of(f.Name).CSS()})
		}
		runs = runs || s.State == session.Running
		rows = append(rows, map[string]any{"session": s.Session, "current": s.Session == v.current(), "state": string(s.State), "step": s.Step,
			"steps": s.Steps, "settled": fmt.Sprintf("%d of %d", s.SettledRows, s.Config.K), "scores": scoresOf(s), "settings": settings, "features": features})
	}
	v.mu.Unlock()
	v.Set(map[string]any{"columns": columns, "rows": rows})
	v.changed(runs)
}

// scoresOf returns the scores of a session, each with the network and the rows it is of.
func scoresOf(s session.Status) []any {
	scores := []any{}
	add := func(what string, score *session.Score) {
		if score != nil {
			scores = append(scores, []any{score.Value, score.Metric.Name() + " of " + what})
		}
	}
	if !s.Trained {
		return scores
	}
	add("the "+session.TrainedNetwork+" on the training batches", &s.TrainScore)
	add("the "+session.TrainedNetwork+" on the validation rows", s.ValidationScore)
	if s.Final != nil {
		add("the "+session.FinalNetwork+" on the training rows", s.Final.Train)
		add("the "+session.FinalNetwork+" on the validation rows", s.Final.Validation)
	}
	return scores
}

// handle handles a message from the page: it opens the panel of a session (""
// closes it), or compares sessions. For any other message it shows an error.
func (v *Runs) handle(content json.RawMessage) {
	var message struct {
		Do       string   `json:"do"`
		Session  string   `json:"session"`
		Sessions []string `json:"sessions"`
		Measure  string   `json:"measure"`
		Width    int      `json:"width"` // of the place for the picture, in pixels
	}
	if err := json.Unmarshal(content, &message); err != nil || !slices.Contains([]string{"open", "compare"}, message.Do) || len(message.Sessions) > mostCompared {
		v.fail(errs.New(errs.Request, "nothing changed; reload the page if it happens again",
			"a message to the table of sessions asks for something it cannot do"))
		return
	}
	go v.guard(func() {
		var err error
		if message.Do == "open" {
			err = v.open(message.Session)
		} else {
			err = v.compare(message.Sessions, message.Measure, message.Width)
		}
		if err != nil {
			v.fail(err)
			return
		}
		v.Set(map[string]any{"message": "", "failed": false})
	})
}

// open opens the panel of a session below the table, in place of the one that is open.
func (v *Runs) open(name string) error {
	var next *panelView
	id := ""
	if name != "" {
		status, err := session.On(v.host, name).Status(v.life)
		if err != nil {
			return err
		}
		next = newPanel(v.life, v.manager, v.host, status)
		next.Follow()
		id = next.ID()
	}
	v.mu.Lock()
	last := v.panel
	v.panel = next
	v.mu.Unlock()
	v.Set(map[string]any{"panel": id})
	if last != nil {
		last.showFork(nil)
		last.end()
		v.manager.Forget(last.Model)
	}
	return nil
}

// compare draws the curves of sessions over one another, below the table, for a
// place of so many pixels. It closes the picture if there are no names.
func (v *Runs) compare(names []string, measure string, width int) error {
	if len(names) == 0 {
		v.Set(map[string]any{"picture": "", "about": ""})
		return nil
	}
	compared, err := Compare(v.life, v.host, names)
	if err != nil {
		return err
	}
	picture, err := chart.Overlay(compared, measure)
	if err != nil {
		return err
	}
	v.Set(map[string]any{"picture": string(picture.Fit(max(width, leastPicture)).SVG()), "about": picture.Text})
	return nil
}
