package anneal_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/widgets/anneal"
	"fsnetlab/widgets/ipywidgets"
)

// service is one session that remembers what it was asked.
type service struct {
	session.Handlers // a verb that is not below is an error

	mu    sync.Mutex
	now   session.Status
	calls []string
	fails error
	tell  func(session.Update)
}

func newService(now session.Status) *service {
	s := &service{Handlers: session.Handlers{}, now: now}
	session.Handle(s.Handlers, session.VerbStatus, s.status)
	session.Handle(s.Handlers, session.VerbSet, s.set)
	session.Handle(s.Handlers, session.VerbHistory, s.history)
	return s
}

func at(step int, schedule string) session.Status {
	s := session.Status{
		Session: "a", State: session.Paused, Step: step, Steps: 500, StepsPerEpoch: 5, Epoch: float64(step) / 5, Config: config.Settings{K: 2},
	}
	s.Config.Live = config.Live{Epochs: 100, Tau0: 10, TauEnd: 0.01, Schedule: schedule, Sharpness: 16, SharpnessSchedule: "late"}
	if parsed, err := config.ParseSchedule(schedule); err == nil {
		s.Tau = parsed.Tau(s.Epoch, s.Config.Live)
		s.Sharpness = 1
	}
	return s
}

func (s *service) status(_ context.Context, _ session.NameRequest) (session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now, nil
}

func (s *service) set(_ context.Context, r session.SetRequest) (session.Event, error) {
	c := r.Changes
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, cmp.Or(c.Schedule, "σ "+c.SharpnessSchedule))
	return session.Event{Kind: "set", Text: "schedule is other"}, s.fails
}

func (s *service) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := strings.Join(s.calls, ", ")
	s.calls = nil
	return asked
}

func (s *service) history(context.Context, session.HistoryRequest) (session.History, error) {
	return session.History{
		Session: "a", PerEpoch: 5, Step: 10, Curves: map[string]session.Curve{"tau": {Steps: []int{5, 10}, Values: []float64{9, 8}}},
	}, nil
}

func (s *service) Watch(ctx context.Context, _ session.WatchRequest, tell func(session.Update)) error {
	s.mu.Lock()
	s.tell = tell
	u := s.update()
	s.mu.Unlock()
	tell(u)
	<-ctx.Done()
	return nil
}

func (s *service) update() session.Update {
	one, zero := 120, 0
	return session.Update{
		Progress: session.Progress{Status: s.now},
		Selection: []session.Selected{
			{Rank: 1, Selector: 1, Name: "g", Index: 3, Probability: 0.25, Entropy: 2,
				Leader: session.Entry{Name: "<f>", Probability: 0.5}, Second: session.Entry{Name: "g", Probability: 0.25}, LostTo: &zero},
			{Rank: 2, Selector: 0, Name: "<f>", Index: 2, Probability: 0.75, Leader: session.Entry{Name: "<f>", Probability: 0.75},
				Second: session.Entry{Name: "h", Probability: 0.125}, Changes: 4, LeadsSince: 30, SettlesAt: &one},
		},
		History: &session.Changes{History: session.History{PerEpoch: 5, Curves: map[string]session.Curve{
			"tau": {Steps: []int{5, 10}, Values: []float64{9, 8}}, "sharpness": {Steps: []int{5}, Values: []float64{1}},
		}}},
	}
}

type bench struct {
	*testing.T
	*service
	page    *pagetest.Page
	manager *ipywidgets.Manager
	view    *anneal.View
}

func newBench(t *testing.T, now session.Status) *bench {
	b := &bench{T: t, service: newService(now), page: &pagetest.Page{}}
	b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { t.Error(line) }})
	b.view = anneal.New(t.Context(), b.manager, b.service, now)
	b.view.Follow()
	b.settle()
	return b
}

// settle lets all that waits to be shown be shown.
func (b *bench) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (b *bench) state(name string) string {
	text, _ := json.Marshal(b.page.Value(b.view.ID(), name))
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
}

func (b *bench) draw(content string) {
	b.Helper()
	b.manager.Receive(
		ipywidgets.Message{Kind: ipywidgets.Tell, Comm: b.view.ID(), Data: json.RawMessage(`{"method":"custom","content":` + content + `}`)})
	b.settle()
}

func TestSelectorsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, at(50, "exponential"))
		if got := b.state("rows"); got != `[[0,"<f>",0.75,0,0.625,"h",4,30,120,null,"<f>",0.75],[1,"<f>",0.5,2,0.25,"g",0,0,null,0,"g",0.25]]` {
			t.Errorf("rows %s", got)
		}
		if got := b.state("points"); !strings.HasPrefix(got, `{"sharpness":[[0,1],[25,1],[50,1],[75,4],[100,16]],"tau":[[0,10],[25,1.77827941`) ||
			!strings.HasSuffix(got, `,[100,0.01]]}`) {
			t.Errorf("points %s", got)
		}
		if got := b.state("past_tau"); got != `"AACAPwAAEEEAAABAAAAAQQ=="` { // 1, 9, 2, 8
			t.Errorf("past τ %s", got)
		}
		if got := b.state("past_sharpness"); got != `"AACAPwAAgD8="` { // 1, 1
			t.Errorf("past σ %s", got)
		}
	})
}

func TestDrawingSetsTheSchedule(t *testing.T) {
	for _, c := range []struct {
		name     string
		now      session.Status
		draw     string
		schedule string
	}{
		{"from the present step", at(50, "hold:2"), `[[20,1],[100,0.5]]`, "points:10=2,20=1,100=0.5"},
		{"before the first step", at(0, "exponential"), `[[0,5],[100,0.01]]`, "points:0=5,100=0.01"},
		{"what lies behind stays", at(50, "points:0=8,5=4,40=4"), `[[40,1]]`, "points:0=8,5=4,10=4,40=1"},
		{"passed meanwhile", at(50, "hold:2"), `[[5,9],[10,9],[20,1]]`, "points:10=2,20=1"},
		{"none ahead", at(50, "hold:2"), `[]`, "points:10=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, c.now)
				b.draw(`{"points":` + c.draw + `}`)
				if got := b.asked(); got != c.schedule {
					t.Errorf("set %q, want %q", got, c.schedule)
				}
				if points := b.state("points"); !strings.HasPrefix(points, `{"sharpness":[[0,1],[25,1],[50,1],[75,4],[100,16]]`) {
					t.Errorf("the sharpness has moved: %s", points)
				}
				if !strings.Contains(b.state("message"), "schedule is other") || b.state("answer") != "1" {
					t.Errorf("message %s, answer %s", b.state("message"), b.state("answer"))
				}
				if _, err := config.ParseSchedule(c.schedule); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// The sharpness is drawn as the temperature is, into its own key.
func TestDrawingSetsTheSharpness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, at(50, "hold:2"))
		b.draw(`{"drawn":"sharpness","points":[[20,1],[100,30]]}`)
		if got, want := b.asked(), "σ points:10=1,20=1,100=30"; got != want {
			t.Errorf("set %q, want %q", got, want)
		}
		if got := b.state("points"); !strings.HasPrefix(got, `{"sharpness":[[10,1],[20,1],[100,30]],"tau":[[0,2],`) {
			t.Errorf("points %s", got)
		}
	})
}

// What the choice does not depend on is said with config's reason, and is not what the page opens on; a schedule that is drawn acts where the
// one in force has nothing to go between.
func TestIdleSchedules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, protocol := range config.Protocols() {
			settings, err := config.Config{Data: "ALLAML", Protocol: protocol}.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			now := at(0, "exponential")
			now.Config = settings
			var shown struct{ Idle map[string]string }
			if err := json.Unmarshal([]byte(newBench(t, now).state("now")), &shown); err != nil {
				t.Fatal(err)
			}
			want, _ := settings.Idle("schedule")
			if got := shown.Idle["tau"]; got != want {
				t.Errorf("%s: of the temperature it says %q, want %q", protocol, got, want)
			}
			if got := shown.Idle["sharpness"]; protocol == config.Paper && got != "" {
				t.Errorf("the paper has no sharpness, but one can be drawn: it says %q", got)
			}
			if len(shown.Idle) == 2 {
				t.Errorf("%s: nothing can be drawn", protocol)
			}
		}
	})
}

// What no schedule can be changes nothing, and the page is told so in one line.
func TestBadDrawingsChangeNothing(t *testing.T) {
	many := strings.TrimSuffix(strings.Repeat("[20,1],", 65), ",")
	for draw, says := range map[string]string{
		`{"points":[[20,1],[20,2]]}`: "does not come after",
		`{"points":[[20,1],[15,2]]}`: "does not come after", `{"points":[[20,0]]}`: "not from 1e-06",
		`{"points":[[20,-1]]}`: "not from", `{"points":[[20,1e300]]}`: "not from",
		`{"points":[[101,1]]}`: "not from 0 to 100", `{"points":[[-1,1]]}`: "not from 0",
		`{"points":[[20]]}`: "1 numbers", `{"points":[[20,1,2]]}`: "3 numbers",
		`{"points":"all"}`: "has no points", `{"points":[["a",1]]}`: "has no points",
		`{}`: "has no points", `[]`: "has no points", `null`: "has no points",
		`{"points":[` + many + `]}`: "64 are the most", `{"points":[[20,1e999]]}`: "has no points",
		`{"points":[[20,1],[20.0000000001,2]]}`: "too close", `{"drawn":"sharpness","points":[[20,0.5]]}`: "a sharpness of 0.5 is not from 1 ",
		`{"drawn":"lambda","points":[[20,1]]}`: `\"lambda\" cannot be drawn`,
	} {
		t.Run(draw[:min(len(draw), 40)], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, at(50, "hold:2"))
				points := b.state("points")
				b.draw(draw)
				if got := b.asked(); got != "" || b.state("points") != points {
					t.Errorf("set %q", got)
				}
				if got := b.state("message"); !strings.Contains(got, says) || strings.Contains(got, `\n`) || b.state("answer") != "1" {
					t.Errorf("message %s, answer %s", got, b.state("answer"))
				}
			})
		})
	}
}

func TestRefusalsAndTheEndAreSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, at(50, "hold:2"))
		b.fails = fault.New(fault.Request, "open it anew", "session <a> is read-only")
		b.draw(`{"points":[[20,1]]}`)
		if got := b.state("message"); !strings.Contains(got, "session <a> is read-only - open it anew") {
			t.Errorf("message %s", got)
		}
		b.tell(session.Update{Progress: session.Progress{Status: session.Status{Session: "a", State: session.Closed}}})
		b.settle()
		if got := b.state("message"); !strings.Contains(got, "session a is closed") || !strings.Contains(b.state("rows"), "<f>") {
			t.Errorf("message %s; rows %s", got, b.state("rows"))
		}
		b.tell(b.update())
		b.settle()
		if b.state("message") != `""` {
			t.Errorf("open again: message %s", b.state("message"))
		}
	})
}

// A page is sent less than 100 kB a second for K = 50, however long the run.
func TestFewBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, at(50, "exponential"))
		b.page.Bytes()
		const seconds, each = 20, 5
		for n := range seconds * each {
			u := session.Update{Progress: session.Progress{Status: at(50+n, "exponential")}}
			u.History = &session.Changes{From: 50 + 20*n, History: session.History{PerEpoch: 5, Curves: map[string]session.Curve{"tau": {}}}}
			for k := range 50 {
				name := fmt.Sprintf("AFFX-gene-%06d_at", n*50+k)
				u.Selection = append(u.Selection, session.Selected{
					Selector: k, Name: name, Probability: 0.123456789123 / float64(n+1),
					Leader: session.Entry{Name: name, Probability: 0.123456789123 / float64(n+1)}, Second: session.Entry{Name: name},
				})
			}
			var c session.Curve
			for i := range 20 {
				c.Steps, c.Values = append(c.Steps, 50+20*n+i), append(c.Values, 1)
			}
			u.History.Curves["tau"] = c
			b.tell(u)
			time.Sleep(time.Second / each)
		}
		synctest.Wait()
		if perSecond := b.page.Bytes() / seconds; perSecond > 100_000 || perSecond < 1000 {
			t.Errorf("%d bytes a second", perSecond)
		} else {
			t.Logf("%d bytes a second", perSecond)
		}
	})
}

func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBench(t, at(50, "exponential")).view.Picture()
		text, _ := p.Data["text/plain"].(string)
		if !strings.Contains(text, "selector 1: <f> 0.500") ||
			!strings.Contains(text, "duplicate: selector 0 has it, this one gets g") || p.Data["image/png"] == nil || len(p.Data) != 2 {
			t.Errorf("picture with %d forms, %q", len(p.Data), text)
		}
	})
}

func ExampleDrawn_Compose() {
	s := session.Status{Step: 50, Epoch: 10, Tau: 4}
	s.Config.Live = config.Live{Epochs: 300, Schedule: "exponential"}
	schedule, _, err := anneal.Temperature.Compose(s, []anneal.Point{{Epoch: 150, Value: 1}, {Epoch: 300, Value: 0.01}})
	fmt.Println(schedule, err)
	// Output: points:10=4,150=1,300=0.01 <nil>
}
