package views

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/ipywidgets"
)

// page keeps what the chart tells, as frontend/tracks.js does.
type curvesPage struct {
	mu       sync.Mutex
	messages []toldMessage
	saved    string
	bytes    int
}

type toldMessage struct {
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	Tracks []struct {
		Name       string                   `json:"name"`
		From       int                      `json:"from"`
		Curves     map[string]session.Curve `json:"curves"`
		EventsFrom int                      `json:"events_from"`
		Events     []session.Event          `json:"events"`
		Selectors  *struct {
			Steps  []int          `json:"steps"`
			Values [][]float64    `json:"values"`
			Names  map[int]string `json:"names"`
			Settle int            `json:"settle"`
		} `json:"selectors"`
	} `json:"tracks"`
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
	}
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
	return p, newCurves(newModule(p))
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

// What is told is what is new; a page that asks gets everything.
func TestOnlyNewPointsAreTold(t *testing.T) {
	p, c := newChart()
	c.apply(changes(0, 10, 5, 10))
	next := changes(11, 15, 15)
	next.Events = []session.Event{{Kind: "open", Text: "opened"}, {Step: 12, Kind: "set", Text: "lambda 1 → 2"}}
	c.apply(next)
	told := p.take()
	if len(told) != 2 || told[1].Kind != "add" || told[1].Number != told[0].Number+1 || told[1].Tracks[0].From != 11 ||
		!reflect.DeepEqual(told[1].Tracks[0].Curves["loss"].Steps, []int{15}) {
		t.Errorf("told %+v", told)
	}
	c.tellAll()
	all := p.take()
	if len(all) != 1 || all[0].Kind != "all" || all[0].Number != told[1].Number {
		t.Fatalf("answered %+v", all)
	}
	own := all[0].Tracks[0]
	if !reflect.DeepEqual(own.Curves["loss"].Steps, []int{5, 10, 15}) ||
		len(own.Events) != 2 || own.Events[0].Text != "" || own.Events[1].Text != "lambda 1 → 2" {
		t.Errorf("everything is %+v", own)
	}
}

// A rewind leaves its past, from where the courses part.
func TestRewindLeavesAPast(t *testing.T) {
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
		if got := tracks[1].history.Curves["loss"].Steps; !reflect.DeepEqual(got, []int{10, 15, 20, 25, 30}) {
			t.Errorf("%s: the past has the steps %v", c.what, got)
		}
		told := p.take()
		if last := told[len(told)-1]; last.Kind != "all" || len(last.Tracks) != 2 {
			t.Errorf("%s: told %+v", c.what, last)
		}
	}
}

// Each step that a person makes is a point, as the record has it, however often it comes again; in a run the epoch in progress has one.
func TestStepsAreSeen(t *testing.T) {
	p, c := newChart()
	told := func() (steps []int) {
		for _, m := range p.take() {
			late := func(step int) bool { return step >= m.Tracks[0].From }
			steps = append(slices.DeleteFunc(steps, late), m.Tracks[0].Curves["loss"].Steps...)
		}
		return steps
	}
	c.apply(changes(0, 10, 5, 10))
	made := []int{}
	for step := 11; step <= 14; step++ {
		made = append(made, step)
		c.apply(changes(11, step, made...))
		c.apply(changes(11, step, made...)) // as after a key was set
	}
	c.apply(changes(11, 15, append(made, 15)...))
	if got := told(); !slices.Equal(got, []int{5, 10, 11, 12, 13, 14, 15}) {
		t.Errorf("told %v", got)
	}
	c.apply(changes(16, 17, 17))
	c.apply(changes(16, 19, 19))
	if got := c.tracks[0].history.Curves["loss"].Steps; !slices.Equal(got, []int{5, 10, 11, 12, 13, 14, 15, 19}) {
		t.Errorf("the points are %v", got)
	}
	back := changes(11, 13, 11, 12, 13)
	back.Events = []session.Event{{Step: 13, Kind: "rewind"}}
	c.apply(back)
	if got := c.tracks[0].history.Curves["loss"].Steps; !slices.Equal(got, []int{5, 10, 11, 12, 13}) {
		t.Errorf("after a rewind the points are %v", got)
	}
}

// Points that do not follow what is drawn are refused, and what is drawn stays.
func TestStepsThatDoNotRise(t *testing.T) {
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
		if err := c.applyBranch("s", bad); err == nil {
			t.Errorf("%s: drawn of a branch", what)
		}
	}
	if got := c.own().Curves["loss"].Steps; !slices.Equal(got, []int{5, 10}) || len(p.take()) > 0 {
		t.Errorf("%v are drawn", got)
	}
}

// Points of the epoch in progress that come again are no rewind, nor is a watch that begins anew.
func TestWhatIsNoRewind(t *testing.T) {
	_, c := newChart()
	c.apply(changes(0, 12, 5, 10, 12))
	c.apply(changes(11, 14, 14))
	c.apply(changes(0, 14, 5, 10, 14))
	if tracks := c.tracks; len(tracks) != 1 || !reflect.DeepEqual(tracks[0].history.Curves["loss"].Steps, []int{5, 10, 14}) {
		t.Errorf("%+v", tracks)
	}
}

// The course of the selectors comes with the points, is whole for a page that asks, and a rewind takes back what came later.
func TestSelectorsAreTold(t *testing.T) {
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
	if got := told[1].Tracks[0].Selectors; !reflect.DeepEqual(got.Steps, []int{15}) ||
		got.Values[0][0] != 0.33333 || got.Names[7] != "Zyxin" || got.Settle != 10 {
		t.Errorf("told %+v", got)
	}
	back := looks(changes(11, 10))
	back.Events = []session.Event{{Step: 10, Kind: "rewind"}}
	c.apply(back)
	c.tellAll()
	all := p.take()
	if last := all[len(all)-1].Tracks; !reflect.DeepEqual(last[0].Selectors.Steps, []int{5, 10}) || last[1].Selectors != nil {
		t.Errorf("after the rewind %+v", last[0].Selectors)
	}
	if c.leader(7) != "Zyxin" || c.leader(8) != "8" {
		t.Errorf("column 7 is %q, 8 is %q", c.leader(7), c.leader(8))
	}
}

// Pasts are few, and branches keep their names beside them.
func TestTracksAreFew(t *testing.T) {
	_, c := newChart()
	c.applyBranch("other", changes(0, 10, 5, 10))
	for range 10 {
		c.apply(changes(11, 30, 15, 20, 25, 30))
		back := changes(11, 10)
		back.Events = []session.Event{{Step: 10, Kind: "rewind"}}
		c.apply(back)
	}
	c.applyBranch("other", changes(11, 15, 15))
	tracks := c.tracks
	if len(tracks) != 6 || tracks[1].name != "other" || len(tracks[1].history.Curves["loss"].Steps) != 3 {
		t.Errorf("%d tracks: %+v", len(tracks), tracks)
	}
	c.clear()
	if len(c.tracks) != 1 {
		t.Error("not cleared")
	}
}

// A long run takes no more memory than a short one, and its extremes stay. Of a noisy curve the means of its stretches are told, too, so
// that the page can average it; of others, and of points that stand for themselves, they are not.
func TestLongRunsAreThinned(t *testing.T) {
	p, c := newChart()
	for i := range 20_000 {
		next := changes(5*i+1, 5*i+5, 5*i+5)
		next.Curves["loss"].Values[0] = []float64{1, 0, 0, 0, 0}[i%5]
		if i == 7777 {
			next.Curves["loss"].Values[0] = 99
		}
		next.Curves["tau"] = next.Curves["loss"]
		c.apply(next)
		if m := p.take(); m[0].Tracks[0].Curves["loss"].Means != nil {
			t.Fatal("a point that stands for itself has a mean")
		}
	}
	c.tellAll()
	all := p.take()[0].Tracks[0].Curves
	loss, sum := all["loss"], 0.0
	for _, mean := range loss.Means {
		sum += mean / float64(len(loss.Means))
	}
	if n := len(loss.Steps); n > 400 || loss.Steps[0] != 5 || loss.Steps[n-1] != 100_000 || slices.Max(loss.Values) != 99 {
		t.Errorf("%d points from %d to %d, the largest %g", n, loss.Steps[0], loss.Steps[n-1], slices.Max(loss.Values))
	}
	if len(loss.Means) != len(loss.Values) || sum < 0.15 || sum > 0.3 || all["tau"].Means != nil {
		t.Errorf("%d points have %d means of %g, want 0.2; the temperature has %d", len(loss.Values), len(loss.Means), sum, len(all["tau"].Means))
	}
}

// The state holds everything at most ten seconds late, and is not sent more often.
func TestStateIsSavedNowAndThen(t *testing.T) {
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
		var saved toldMessage
		if err := json.Unmarshal([]byte(p.saved), &saved); err != nil {
			t.Fatal(err)
		}
		steps := saved.Tracks[0].Curves["loss"].Steps
		if sent > 3 || steps[len(steps)-1] != 1500 {
			t.Errorf("saved %d times in 30 s, up to step %d", sent, steps[len(steps)-1])
		}
	})
}

// A fast run with all its curves, ten updates a second, stays far below 100 kB a second.
func TestUpdatesAreSmall(t *testing.T) {
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
	if rate := p.bytes / 10; rate > 25_000 {
		t.Errorf("%d bytes a second", rate)
	}
}
