package views

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// curvesPage keeps what the chart tells, as frontend/tracks.js does.
type curvesPage struct {
	mu       sync.Mutex
	messages []toldMessage
	tracks   map[string]toldTrack // as the messages leave them
	number   int
	smooth   int
	saved    string
	bytes    int
}

type toldMessage struct {
	Kind   string      `json:"kind"`
	Number int         `json:"number"`
	Smooth int         `json:"smooth"`
	Tracks []toldTrack `json:"tracks"`
}

type toldTrack struct {
	Name   string               `json:"name"`
	Curves map[string]toldCurve `json:"curves"`
	Events []eventPiece         `json:"events"`
	Looks  *toldCurve           `json:"looks"`
	Formed *formedPiece         `json:"formed"`
}

// toldCurve is also the looks at P, without their leaders.
type toldCurve struct {
	Keep   int               `json:"keep"`
	Steps  []int             `json:"steps"`
	Values []json.RawMessage `json:"values"`
	Smooth []float64         `json:"smooth"`
}

func (p *curvesPage) Send(m ipywidgets.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var body struct {
		Method  string         `json:"method"`
		Content toldMessage    `json:"content"`
		State   map[string]any `json:"state"`
	}
	if m.Kind != ipywidgets.Tell || json.Unmarshal(m.Data, &body) != nil {
		return
	}
	p.bytes += len(m.Data)
	if saved, ok := body.State["saved"].(string); ok {
		p.saved = saved
	}
	if body.Method == "custom" {
		p.messages = append(p.messages, body.Content)
		p.hear(body.Content)
	}
}

// hear puts what is new behind what is there.
func (p *curvesPage) hear(m toldMessage) {
	if m.Kind == "all" {
		p.tracks = map[string]toldTrack{}
	} else if m.Number != p.number+1 {
		panic(fmt.Sprintf("message %d follows message %d", m.Number, p.number))
	}
	p.number, p.smooth = m.Number, m.Smooth
	tracks := map[string]toldTrack{}
	for _, piece := range m.Tracks {
		old := p.tracks[piece.Name]
		joined := toldTrack{Name: piece.Name, Curves: maps.Clone(old.Curves), Events: old.Events, Looks: old.Looks, Formed: old.Formed}
		if joined.Curves == nil {
			joined.Curves = map[string]toldCurve{}
		}
		for metric, c := range piece.Curves {
			joined.Curves[metric] = behind(old.Curves[metric], c)
		}
		if piece.Events != nil {
			joined.Events = piece.Events
		}
		if piece.Looks != nil {
			before := toldCurve{}
			if old.Looks != nil {
				before = *old.Looks
			}
			joined.Looks = new(behind(before, *piece.Looks))
		}
		if piece.Formed != nil {
			joined.Formed = piece.Formed
			if old.Formed != nil {
				features := maps.Clone(old.Formed.Features)
				maps.Copy(features, piece.Formed.Features)
				joined.Formed = new(*piece.Formed)
				joined.Formed.Features = features
			}
		}
		tracks[piece.Name] = joined
	}
	p.tracks = tracks
}

func behind(old, more toldCurve) toldCurve {
	more.Steps = append(old.Steps[:more.Keep:more.Keep], more.Steps...)
	more.Values = append(old.Values[:more.Keep:more.Keep], more.Values...)
	if more.Keep > 0 && old.Smooth != nil {
		more.Smooth = append(old.Smooth[:more.Keep:more.Keep], more.Smooth...)
	}
	return more
}

// own is the session's own track as the page has it.
func (p *curvesPage) own() toldTrack {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tracks[""]
}

func (p *curvesPage) take() []toldMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.messages
	p.messages = nil
	return m
}

// newModule is a module in that curvesPage which has what the chart needs.
func newModule(p *curvesPage) *ipywidgets.Model {
	return ipywidgets.NewModel(ipywidgets.NewManager(p, ipywidgets.Options{}),
		ipywidgets.Module{Name: "view"}, map[string]ipywidgets.Entry{"saved": {Value: ""}})
}

func newChart() (*curvesPage, *liveCurves) {
	p := new(curvesPage)
	return p, newCurves(newModule(p), new(chart.Palette))
}

// changes are the points of the loss at these steps, five steps an epoch.
func changes(from, step int, steps ...int) session.Changes {
	c := session.Curve{Steps: steps}
	for _, s := range steps {
		c.Values = append(c.Values, 1/float64(1+s))
	}
	return session.Changes{
		From: from, History: session.History{Session: "s", Step: step, PerEpoch: 5, Curves: map[string]session.Curve{"loss": c}},
	}
}

// Only new points are sent. A page that asks gets all of them.
func TestCurves_SendOnlyNewPoints(t *testing.T) {
	p, c := newChart()
	c.apply(changes(0, 10, 5, 10))
	next := changes(11, 15, 15)
	next.Events = []session.Event{{Kind: "open", Text: "opened"}, {Step: 12, Kind: "set", Text: "lambda 1 → 2"}}
	c.apply(next)
	told := p.take()
	if len(told) != 2 || told[1].Kind != "add" || told[1].Number != told[0].Number+1 || told[1].Tracks[0].Curves["loss"].Keep != 2 ||
		!reflect.DeepEqual(told[1].Tracks[0].Curves["loss"].Steps, []int{15}) {
		t.Errorf("told %+v", told)
	}
	c.sendAll()
	all := p.take()
	if len(all) != 1 || all[0].Kind != "all" || all[0].Number != told[1].Number {
		t.Fatalf("answered %+v", all)
	}
	own := all[0].Tracks[0]
	if want := []eventPiece{{Step: 12, Text: "lambda 1 → 2", Number: 1, Undo: true}}; !reflect.DeepEqual(own.Curves["loss"].Steps, []int{5, 10, 15}) ||
		!slices.Equal(own.Events, want) {
		t.Errorf("everything is %+v", own)
	}
	more := changes(16, 20, 20)
	more.EventsFrom = 2
	c.apply(more) // after everything, what is new follows on
	if own := p.own(); !slices.Equal(own.Curves["loss"].Steps, []int{5, 10, 15, 20}) || len(own.Events) != 1 {
		t.Errorf("the page has %+v", own)
	}
}

// The page averages nothing: it is sent the averages of the pictures, over the
// epochs that a person asks for.
func TestCurves_SendAverages(t *testing.T) {
	p, c := newChart()
	whole := session.Curve{}
	for e := range 100 {
		c.apply(changes(5*e+1, 5*e+5, 5*e+5))
		whole.Steps, whole.Values = append(whole.Steps, 5*e+5), append(whole.Values, 1/float64(6+5*e))
	}
	for _, over := range []int{bySpan, 20, 0} {
		if over != bySpan {
			c.smoothOver(over)
		}
		want, epochs := whole.Smooth(float64(5*max(over, 2))), max(over, 2)
		if over == 0 {
			want, epochs = nil, 0
		}
		got := p.own().Curves["loss"].Smooth
		if len(got) != len(want) || p.smooth != epochs {
			t.Fatalf("over %d epochs there are %d averages over %d, want %d", over, len(got), p.smooth, len(want))
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-4 {
				t.Errorf("over %d epochs average %d is %g, want %g", over, i, got[i], want[i])
			}
		}
	}
}

// A rewind leaves its past, from where the courses part.
func TestCurves_RewindLeavesAPast(t *testing.T) {
	for _, c := range []struct {
		what string
		back session.Changes
	}{
		{"at once", changes(11, 10)},
		{"with steps made since", changes(11, 40, 15, 20, 25, 30, 35, 40)},
	} {
		p, chart := newChart()
		chart.apply(changes(0, 30, 5, 10, 15, 20, 25, 30))
		c.back.Events = []session.Event{{Step: 10, Kind: "rewind", Text: "rewound from step 30"}}
		chart.apply(c.back)
		tracks := chart.tracks
		if len(tracks) != 2 || tracks[1].name != "before the rewind from step 30" {
			t.Fatalf("%s: %d tracks, %+v", c.what, len(tracks), tracks)
		}
		if got := tracks[1].curves["loss"].Steps; !reflect.DeepEqual(got, []int{10, 15, 20, 25, 30}) {
			t.Errorf("%s: the past has the steps %v", c.what, got)
		}
		told := p.take()
		if last := told[len(told)-1]; len(last.Tracks) != 2 || len(p.tracks) != 2 {
			t.Errorf("%s: told %+v", c.what, last)
		}
	}
}

// Each step that a person makes is a point, as in the record, however often it
// is repeated. In a run, the epoch in progress has one.
func TestCurves_ShowSingleSteps(t *testing.T) {
	p, c := newChart()
	c.apply(changes(0, 10, 5, 10))
	made := []int{}
	for step := 11; step <= 14; step++ {
		made = append(made, step)
		c.apply(changes(11, step, made...))
		c.apply(changes(11, step, made...)) // as after a key was set
	}
	c.apply(changes(11, 15, append(made, 15)...))
	if got := p.own().Curves["loss"].Steps; !slices.Equal(got, []int{5, 10, 11, 12, 13, 14, 15}) {
		t.Errorf("told %v", got)
	}
	c.apply(changes(16, 17, 17))
	c.apply(changes(16, 19, 19))
	if got := c.tracks[0].curves["loss"].Steps; !slices.Equal(got, []int{5, 10, 11, 12, 13, 14, 15, 19}) {
		t.Errorf("the points are %v", got)
	}
	back := changes(11, 13, 11, 12, 13)
	back.Events = []session.Event{{Step: 13, Kind: "rewind"}}
	c.apply(back)
	if got := c.tracks[0].curves["loss"].Steps; !slices.Equal(got, []int{5, 10, 11, 12, 13}) {
		t.Errorf("after a rewind the points are %v", got)
	}
}

// Points that don't follow what is drawn are rejected, and what is drawn stays.
func TestCurves_RejectFallingSteps(t *testing.T) {
	p, c := newChart()
	c.apply(changes(0, 10, 5, 10))
	p.take()
	for what, bad := range map[string]session.Changes{
		"again": changes(11, 15, 15, 15), "back": changes(11, 15, 15, 12), "before From": changes(11, 15, 10, 15), "at first": changes(0, 15, 5, 5),
		"a look": {From: 11, History: session.History{Step: 15, PerEpoch: 5, Selectors: &session.Selectors{Looks: []session.Look{{Step: 10}}}}},
	} {
		err := c.apply(bad)
		if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), "after step") {
			t.Errorf("%s: %v", what, err)
		}
		if err := c.applyFork("s", bad); err == nil {
			t.Errorf("%s: drawn of a fork", what)
		}
	}
	if got := c.whole().Curves["loss"].Steps; !slices.Equal(got, []int{5, 10}) || len(p.take()) > 0 {
		t.Errorf("%v are drawn", got)
	}
}

// Repeated points of the epoch in progress aren't a rewind, nor is a watch that
// starts again.
func TestCurves_WhatIsNoRewind(t *testing.T) {
	_, c := newChart()
	c.apply(changes(0, 12, 5, 10, 12))
	c.apply(changes(11, 14, 14))
	c.apply(changes(0, 14, 5, 10, 14))
	if tracks := c.tracks; len(tracks) != 1 || !reflect.DeepEqual(tracks[0].curves["loss"].Steps, []int{5, 10, 14}) {
		t.Errorf("%+v", tracks)
	}
}

// The course of the selectors comes with the points and is complete for a page
// that asks. A rewind takes back what came later.
func TestCurves_SendSelectors(t *testing.T) {
	looks := func(c session.Changes, steps ...int) session.Changes {
		c.Selectors = &session.Selectors{Names: map[int]string{7: "Zyxin"}, SettleSteps: 10}
		for _, s := range steps {
			c.Selectors.Looks = append(c.Selectors.Looks, session.Look{Step: s, Leaders: []int{7, 7}, Probability: []float64{1.0 / 3, 0.5}})
		}
		return c
	}
	p, c := newChart()
	c.apply(looks(changes(0, 10, 5, 10), 5, 10))
	c.apply(looks(changes(11, 15, 15), 15))
	told := p.take()
	if got := told[1].Tracks[0]; !reflect.DeepEqual(got.Looks.Steps, []int{15}) || string(got.Looks.Values[0]) != "[0.33333,0.5]" ||
		len(got.Formed.Features) != 0 || got.Formed.Summary != "0 of 2 selectors settled · 1 different leader · Zyxin leads 0 and 1" {
		t.Errorf("told %+v, %+v", got.Looks, got.Formed)
	}
	if got := p.own().Formed; got.Features[7].Name != "Zyxin" || got.Features[7].From != 5 || !slices.Equal(got.Order, []int{0, 1}) || !slices.Equal(got.Settled, []int{-1, -1}) {
		t.Errorf("the page has %+v", got)
	}
	back := looks(changes(11, 10))
	back.Events = []session.Event{{Step: 10, Kind: "rewind"}}
	c.apply(back)
	c.sendAll()
	all := p.take()
	if last := all[len(all)-1].Tracks; !reflect.DeepEqual(last[0].Looks.Steps, []int{5, 10}) || !reflect.DeepEqual(last[1].Looks.Steps, []int{10, 15}) {
		t.Errorf("after the rewind %+v", last[0].Looks)
	}
	if c.leader(7) != "Zyxin" || c.leader(8) != "8" {
		t.Errorf("column 7 is %q, 8 is %q", c.leader(7), c.leader(8))
	}
}

// Pasts are few, and forks keep their names next to them.
func TestCurves_TracksAreFew(t *testing.T) {
	_, c := newChart()
	c.applyFork("other", changes(0, 10, 5, 10))
	for i := range 10 {
		c.apply(changes(11, 30+i/2, 15, 20, 25, 30+i/2))
		back := changes(11, 10)
		back.Events = []session.Event{{Step: 10, Kind: "rewind"}}
		c.apply(back)
	}
	c.applyFork("other", changes(11, 15, 15))
	tracks := c.tracks
	if len(tracks) != 6 || tracks[1].name != "other" || len(tracks[1].curves["loss"].Steps) != 3 {
		t.Errorf("%d tracks: %+v", len(tracks), tracks)
	}
	c.clear()
	if len(c.tracks) != 1 {
		t.Error("not cleared")
	}
}

// A long run needs no more memory than a short one, its extremes stay, and its
// end is as thin as the rest.
func TestCurves_ThinLongRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector has nothing to see")
	}
	p, c := newChart()
	for i := range 20_000 {
		next := changes(5*i+1, 5*i+5, 5*i+5)
		next.Curves["loss"].Values[0] = []float64{1, 0, 0, 0, 0}[i%5]
		if i == 7777 {
			next.Curves["loss"].Values[0] = 99
		}
		c.apply(next)
		if i%1000 == 999 {
			steps := c.whole().Curves["loss"].Steps
			half := steps[len(steps)-1] / 2
			late := len(steps) - 1 - slices.IndexFunc(steps, func(s int) bool { return s > half })
			if n := len(steps); n > mostPoints*11/10 || late > n*6/10 {
				t.Fatalf("after %d epochs there are %d points, %d of them in the later half", i+1, n, late)
			}
		}
	}
	loss := p.own().Curves["loss"]
	last := loss.Smooth[len(loss.Smooth)-1]
	if n := len(loss.Steps); loss.Steps[0] != 5 || loss.Steps[n-1] != 100_000 || !slices.ContainsFunc(loss.Values, func(v json.RawMessage) bool { return string(v) == "99" }) {
		t.Errorf("%d points from %d to %d", n, loss.Steps[0], loss.Steps[n-1])
	}
	if len(loss.Smooth) != len(loss.Steps) || last < 0.15 || last > 0.3 { // by the means of its stretches, not by their extremes
		t.Errorf("%d points have %d averages, the last %g, want 0.2", len(loss.Steps), len(loss.Smooth), last)
	}
}

// The state has everything at most ten seconds late, and isn't sent more often.
func TestCurves_SaveState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, c := newChart()
		sent := 0
		for i := range 300 {
			before := p.saved
			c.apply(changes(5*i+1, 5*i+5, 5*i+5))
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if p.saved != before {
				sent++
			}
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		var saved toldMessage // with everything
		if err := json.Unmarshal([]byte(p.saved), &saved); err != nil {
			t.Fatal(err)
		}
		steps := saved.Tracks[0].Curves["loss"].Steps
		if sent > 3 || steps[len(steps)-1] != 1500 {
			t.Errorf("saved %d times in 30 s, up to step %d", sent, steps[len(steps)-1])
		}
	})
}

// A fast run with all its curves, ten updates a second, stays far below 100 kB
// a second.
func TestCurves_UpdatesAreSmall(t *testing.T) {
	p, c := newChart()
	const updates, epochs = 100, 10 // ten seconds, each update with ten epochs
	for i := range updates {
		next := changes(0, 0)
		next.From, next.Step = 50*i+1, 50*i+50
		for _, metric := range curvesRequest().Metrics {
			curve := session.Curve{}
			for e := range epochs {
				curve.Steps, curve.Values = append(curve.Steps, 50*i+5*e+5), append(curve.Values, 1/float64(3*i+e+7))
			}
			next.Curves[metric] = curve
		}
		c.apply(next)
	}
	if rate := p.bytes / 10; rate > 60_000 {
		t.Errorf("%d bytes a second", rate)
	}
}
