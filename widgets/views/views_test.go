package views

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

const evil = `<script>alert("x")</script>`

// service is one session that remembers what it was asked. Verbs that no view uses panic.
type service struct {
	session.Handlers

	mu      sync.Mutex
	status  session.Status
	calls   []string
	fails   error
	held    chan bool  // where not nil, a step waits for one
	end     chan error // of a watch
	watch   session.WatchRequest
	watches int
	watcher func(session.Update)

	telling sync.Mutex // a watcher hears one update after another, whoever tells it

	curves map[string]session.Curve
	forks  []string // that were watched
	left   []string // whose watch has ended
}

// paused is a session at step 50 of 500.
func paused() session.Status {
	settings, err := config.Config{Data: "ALLAML", K: 2, Epochs: 100}.Resolve()
	if err != nil {
		panic(err)
	}
	settings = settings.ForData(40) // as those of a training are
	return session.Status{
		Session: "leukemia", State: session.Paused, Step: 50, Steps: 500, StepsPerEpoch: 5, Epoch: 10, Tau: 2, Sharpness: 1, Config: settings,
		Classes: []string{"a", "b"},
	}
}

// update is what a watch that asks for everything tells of a session.
func update(s session.Status) session.Update {
	one, zero := 120, 0
	m := matrixAt(s.Step)
	return session.Update{
		Progress: session.Progress{Status: s}, Matrix: &m,
		Selection: []session.Selected{
			{Rank: 1, Selector: 1, Name: "g", Index: 3, Probability: 0.25, Entropy: 2, Margin: 0.25,
				Leader: session.Entry{Name: "<f>", Probability: 0.5}, Second: session.Entry{Name: "g", Probability: 0.25}, LostTo: &zero},
			{Rank: 2, Selector: 0, Name: "<f>", Index: 2, Probability: 0.75, Margin: 0.5, Leader: session.Entry{Name: "<f>", Probability: 0.75},
				Second: session.Entry{Name: "h", Probability: 0.125}, Changes: 4, LeadsSince: 30, SettlesAt: &one},
		},
		History: &session.Changes{History: session.History{PerEpoch: 5, Step: s.Step, Curves: map[string]session.Curve{
			"tau": {Steps: []int{5, 10}, Values: []float64{9, 8}}, "sharpness": {Steps: []int{5}, Values: []float64{1}},
		}}},
	}
}

func matrixAt(step int) session.Matrix {
	return session.Matrix{
		Session: "leukemia", Of: "probability", Step: step, D: 100, Index: []int{7, 3, 5}, Names: []string{"g", evil, "5"}, Selectors: []int{1, 0},
		Values: [][]float64{{0.5, 0.25, 0.0625}, {0.125, 0.5, 0.03125}}, LeftOut: []float64{0.1875, 0.34375}, Leaders: []string{"elsewhere", "g"},
	}
}

func newService(now session.Status) *service {
	s := &service{Handlers: session.Handlers{}, status: now, end: make(chan error)}
	on(s, session.VerbStep, func(r session.StepRequest) (session.Status, error) {
		if s.held != nil {
			<-s.held
		}
		s.mu.Lock()
		s.status.Step += r.N
		s.mu.Unlock()
		return s.note("step %d", r.N)
	})
	on(s, session.VerbRun, func(r session.RunRequest) (session.Status, error) {
		if r.Until.Step == 0 {
			return s.note("run waits=%v", r.Until.Waits())
		}
		s.mu.Lock()
		s.status.Step = r.Until.Step
		s.mu.Unlock()
		return s.note("run to %d", r.Until.Step)
	})
	on(s, session.VerbPause, func(session.NameRequest) (session.Status, error) { return s.note("pause") })
	on(s, session.VerbSet, func(r session.SetRequest) (session.Event, error) {
		key := r.Changes.Given()[0].Name
		_, err := s.note("set %s=%s", key, r.Changes.Text(key))
		if err == nil {
			s.mu.Lock()
			s.status.Config, _, err = s.status.Config.Apply(r.Changes)
			s.mu.Unlock()
		}
		return session.Event{Kind: "set", Text: key + " is other"}, err
	})
	on(s, session.VerbRewind, func(r session.RewindRequest) (session.Status, error) {
		status, err := s.note("rewind %d", *r.Step)
		if err != nil {
			return session.Status{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		status.Step = *r.Step
		s.status = status
		return status, nil
	})
	on(s, session.VerbFork, func(r session.ForkRequest) (session.Status, error) {
		at := -1
		if r.Step != nil {
			at = *r.Step
		}
		status, err := s.note("fork %s at %d", r.As, at)
		if status.Session = r.As; r.Step != nil {
			status.Step = at
		}
		return status, err
	})
	on(s, session.VerbStatus, func(session.NameRequest) (session.Status, error) { return s.now(), nil })
	on(s, session.VerbHistory, func(r session.HistoryRequest) (session.History, error) {
		return session.History{Session: r.Session, Step: 10, PerEpoch: 5, Curves: s.curves}, nil
	})
	on(s, session.VerbSelection, func(session.NameRequest) (session.Selection, error) { return update(s.now()).Selection, nil })
	on(s, session.VerbMatrix, func(r session.MatrixRequest) (session.Matrix, error) {
		step := s.now().Step
		if r.Step != nil {
			step = *r.Step
		}
		_, err := s.note("matrix %s top=%d at %d", r.Of, r.Top, step)
		return matrixAt(step), err
	})
	on(s, session.VerbFeature, func(r session.FeatureRequest) (session.Feature, error) {
		_, err := s.note("feature %s", r.Feature)
		return session.Feature{
			Name: string(r.Feature), Index: 3, Bins: session.Bins{Edges: []float64{0, 1, 2}, Counts: [][]int{{4, 0}, {0, 4}}},
			Classes: []session.Distribution{{Class: "a", N: 4, Mean: 1.5}, {Class: "b"}},
		}, err
	})
	return s
}

// on answers a verb.
func on[P, R any](s *service, verb session.Verb[P, R], answer func(P) (R, error)) {
	session.Handle(s.Handlers, verb, func(_ context.Context, r P) (R, error) { return answer(r) })
}

// now returns where the session stands.
func (s *service) now() session.Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

func (s *service) note(format string, args ...any) (session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	return s.status, s.fails
}

func (s *service) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := strings.Join(s.calls, ", ")
	s.calls = nil
	return asked
}

func (s *service) Watch(ctx context.Context, r session.WatchRequest, tell func(session.Update)) error {
	name := r.Session
	s.mu.Lock()
	if name != s.status.Session {
		fork := fmt.Sprintf("%s from %d", name, r.History.From)
		s.forks = append(s.forks, fork)
		s.mu.Unlock()
		<-ctx.Done()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.left = append(s.left, fork)
		return nil
	}
	s.watch, s.watcher = r, tell
	s.watches++
	now := s.status
	s.mu.Unlock()
	s.told(now)
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.end:
		return err
	}
}

// told tells the watcher where the session stands.
func (s *service) told(now session.Status) {
	s.mu.Lock()
	if s.status = now; s.status.State == session.Closed {
		now = session.Status{Session: now.Session, State: session.Closed}
	}
	u := update(now)
	if s.watch.Matrix == nil {
		u.Matrix = nil
	}
	s.mu.Unlock()
	s.tell(u)
}

// tell tells the watcher an update, after those before it.
func (s *service) tell(u session.Update) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	tell := s.watcher
	s.mu.Unlock()
	tell(u)
}

// bench is a view and a person.
type bench struct {
	*testing.T
	*service
	page     *pagetest.Page
	manager  *ipywidgets.Manager
	view     *View
	reported []string
}

type maker = func(context.Context, *ipywidgets.Manager, session.Caller, session.Status) *View

// drive shows the view of a session and lets a test play with it. Short tests, which the race detector runs, draw no pictures.
func drive(t *testing.T, view maker, now session.Status, test func(b *bench)) {
	t.Helper()
	driveDrawn(t, view, now, test, testing.Short())
}

// driveDrawn is drive with pictures, or without.
func driveDrawn(t *testing.T, view maker, now session.Status, test func(b *bench), blank bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, service: newService(now), page: &pagetest.Page{}}
		b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { b.reported = append(b.reported, line) }})
		b.view = view(t.Context(), b.manager, b.service, now)
		if blank {
			b.view.draw = func() ipywidgets.Bundle {
				return ipywidgets.Bundle{Data: map[string]any{chart.MIMEPNG: "", chart.MIMEText: "a snapshot of a live view"}}
			}
		}
		b.view.Follow()
		b.settle()
		test(b)
	})
}

// settle lets all that waits to be shown be shown.
func settle() {
	time.Sleep(2 * time.Second)
	synctest.Wait()
}

func (b *bench) settle() { settle() }

// at lets the session stand at a step, to which a move has taken it, unless it goes on running.
func (b *bench) at(step int, state session.State) {
	now := b.now()
	if now.State != session.Running || state != session.Running {
		now.Moves++
	}
	now.Step, now.Epoch, now.State = step, float64(step)/5, state
	b.told(now)
	b.settle()
}

func (b *bench) receive(data string) {
	b.Helper()
	if !b.manager.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: b.view.ID(), Data: json.RawMessage(data)}) {
		b.Error("the view is not known")
	}
}

// send sends a message of the module's own.
func (b *bench) send(content string) {
	b.Helper()
	b.receive(`{"method":"custom","content":` + content + `}`)
}

// put changes entries of the state, as a person does.
func (b *bench) put(state string) {
	b.Helper()
	b.receive(`{"method":"update","state":` + state + `,"buffer_paths":[]}`)
	b.settle()
}

func (b *bench) value(entry string) any { return b.page.Value(b.view.ID(), entry) }

// state is an entry as the page has it, as JSON.
func (b *bench) state(entry string) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(b.value(entry)); err != nil {
		b.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// shows expects a text in an entry.
func (b *bench) shows(entry, text string) {
	b.Helper()
	b.settle()
	if got := b.state(entry); !strings.Contains(got, text) {
		b.Errorf("%s shows %s, not %s", entry, got, text)
	}
}

// expect compares what was asked since.
func (b *bench) expect(want string) {
	b.Helper()
	synctest.Wait()
	if got := b.asked(); got != want {
		b.Errorf("asked %q, want %q", got, want)
	}
}

// What every view does, and what is special to each.
func TestViews_Common(t *testing.T) {
	for _, c := range []struct {
		name   string
		view   maker
		stays  string   // an entry that tells of the session
		forms  int      // of its picture
		says   []string // the picture's text
		states string   // entries that a person may change
		bad    []string
	}{
		{"panel", Panel, "facts", 2, []string{"step 50 of 500"}, "lambda past fork smoothing", []string{
			`{"lambda":"x"}`, `{"class_weight":"never"}`, `{"past":1e300}`, `{"fork":7}`, `{"saved":"{}"}`,
		}},
		{"matrix", Matrix, "values", 2, []string{"Selection matrix P of leukemia"}, "of top least at log picked", []string{
			`{"of":"probabilty"}`, `{"of":3}`, `{"of":null}`, `{"top":"40"}`, `{"top":1e999}`,
			`{"least":[]}`, `{"at":-2}`, `{"at":0.5}`, `{"at":1e300}`, `{"at":{}}`, `{"log":1}`, `{"picked":"g"}`, `{"values":"x"}`,
		}},
		{"annealing", Annealing, "rows", 2, []string{"selector 1: <f> 0.500", "duplicate: selector 0 has it, this one gets g"}, "", []string{
			`{"points":{}}`, `{"answer":7}`,
		}},
		{"table", Table, "rows", 3, []string{"<f>", "mean a"}, "sort down", []string{
			`{"sort":"size"}`, `{"sort":3}`, `{"sort":"mean:"}`, `{"sort":"mean:-1"}`, `{"sort":"mean:99999"}`, `{"down":1}`, `{"rows":[]}`,
		}},
	} {
		t.Run(c.name+"/end", func(t *testing.T) {
			drive(t, c.view, paused(), func(b *bench) {
				before, now := b.state(c.stays), b.status
				closed := now
				closed.State = session.Closed
				b.told(closed)
				b.shows("message", "session leukemia is closed")
				if after := b.state(c.stays); after != before {
					t.Errorf("%s was %s and is %s", c.stays, before, after)
				}
				if got := b.view.Picture().Data["image/png"]; got == nil {
					t.Error("the picture has gone with the session")
				}
				b.told(now)
				b.settle()
				if b.state("message") != `""` {
					t.Errorf("open again: message %s", b.state("message"))
				}
			})
		})
		t.Run(c.name+"/problem", func(t *testing.T) {
			drive(t, c.view, paused(), func(b *bench) {
				u := session.Update{Progress: session.Progress{Status: b.status}, Problem: "the history is\nnot a number"}
				b.tell(u)
				b.shows("message", "the history is not a number")
				b.told(b.status)
				b.shows("message", `""`)
			})
		})
		t.Run(c.name+"/picture", func(t *testing.T) {
			if testing.Short() {
				t.Skip("the race detector's build draws ten times as long")
			}
			driveDrawn(t, c.view, paused(), func(b *bench) {
				b.curves = update(b.status).History.Curves
				p := b.view.Picture()
				text, _ := p.Data["text/plain"].(string)
				html, _ := p.Data["text/html"].(string)
				if p.Data["image/png"] == nil || len(p.Data) != c.forms || strings.Contains(html, "<f>") {
					t.Errorf("picture with %d forms, %s", len(p.Data), html)
				}
				for _, says := range append(c.says, "a snapshot of a live view") {
					if !strings.Contains(text, says) {
						t.Errorf("no %q in %s", says, text)
					}
				}
			}, false)
		})
		t.Run(c.name+"/bad", func(t *testing.T) {
			drive(t, c.view, paused(), func(b *bench) {
				all := func() (text string) {
					for _, entry := range append(strings.Fields(c.states), c.stays, "message") {
						text += entry + ": " + b.state(entry) + "\n"
					}
					return text
				}
				b.asked()
				before := all()
				for _, state := range append(c.bad, `{"message":"hello"}`, `{"nothing":1}`, `{"_esm":"alert(1)"}`) {
					b.reported = nil
					b.put(state)
					if after := all(); after != before {
						t.Errorf("%s makes it %s", state, after)
					}
					if len(b.reported) != 1 || strings.Contains(b.reported[0], "\n") || !strings.Contains(b.reported[0], "nothing changed") {
						t.Errorf("%s: reported %q, want one line", state, b.reported)
					}
				}
				b.expect("")
			})
		})
	}
}

// If a session is closed and opened again before its view has heard of the end,
// the view continues with the new one. The view of a session that is only
// closed keeps the line that says so.
func TestView_FollowsReplacedSession(t *testing.T) {
	drive(t, Table, paused(), func(b *bench) {
		b.view.Follow() // while the watch is on, as for a session that was opened again
		b.end <- nil    // and only now the end of the first is told
		synctest.Wait()
		if b.watches != 2 {
			t.Fatalf("%d watches: the session that was opened again is not followed", b.watches)
		}
		gone := errs.New(errs.NotFound, "open it", "there is no session")
		b.view.Follow()
		b.end <- nil
		synctest.Wait()
		b.end <- gone
		b.settle()
		if b.watches != 3 || b.state("failed") != "false" {
			t.Errorf("%d watches, want 3 and no failure: %s", b.watches, b.state("message"))
		}
		b.view.Follow()
		synctest.Wait()
		b.end <- gone
		b.shows("message", "there is no session - open it")
		b.view.follow(session.WatchRequest{Rate: 2}) // nobody is watched
		b.view.Follow()
		b.settle()
		if b.watches != 5 || b.watch.Rate != 2 {
			t.Errorf("%d watches, the last of %+v", b.watches, b.watch)
		}
		b.view.follow(session.WatchRequest{Rate: 3})
		b.settle()
		if b.watches != 6 || b.watch.Rate != 3 {
			t.Errorf("%d watches, the last of %+v", b.watches, b.watch)
		}
	})
}

// A view that panics during an update says so: its watch ends, and the process
// goes on. The same is true if its drawing panics.
func TestView_Panics(t *testing.T) {
	odd := func(life context.Context, m *ipywidgets.Manager, s session.Caller, now session.Status) *View {
		v := newView(life, m, s, now, ipywidgets.Module{Name: "odd"}, map[string]ipywidgets.Entry{})
		return v.setUp(session.WatchRequest{}, func(session.Update) { panic("an odd matrix") }, func() ipywidgets.Bundle { panic("odd ink") })
	}
	driveDrawn(t, odd, paused(), func(b *bench) {
		b.shows("message", "the view of session leukemia failed unexpectedly in views.TestView_Panics")
		b.shows("message", "an odd matrix")
		b.view.Follow() // such as for a session that was opened again
		b.settle()
		if b.watches != 2 {
			t.Errorf("%d watches", b.watches)
		}
		if p := b.view.Picture(); len(p.Data) > 0 {
			t.Errorf("drawn %v", p)
		}
		b.shows("message", "odd ink")
	}, false)
}

// Whatever a page sends, what a view shows of the training stays as it is.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		`{"method":"custom","content":{"do":"curves"}}`, `{"method":"custom","content":{"do":7}}`, `{"method":"custom","content":[]}`,
		`{"method":"custom"}`, `{"method":"update","state":{"_esm":"alert(1)"},"buffer_paths":[]}`, `{"method":"request_state"}`, `{`, ``,
		`{"method":"update","state":{"past":1e300},"buffer_paths":[]}`, `{"method":"custom","content":{"do":"rewind","step":null}}`,
		`{"method":"custom","content":{"drawn":"sharpness","points":[[20,1],[100,20]]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, view := range []maker{Panel, Annealing} {
			synctest.Test(t, func(t *testing.T) {
				s := newService(paused())
				m := ipywidgets.NewManager(&pagetest.Page{}, ipywidgets.Options{})
				v := view(t.Context(), m, s, s.status)
				v.Follow()
				settle() // for the first drawing
				shown := []any{v.Get("saved"), v.Get("steps"), v.Get("rows")}
				m.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: v.ID(), Data: json.RawMessage(data)})
				settle()
				for i, entry := range []string{"saved", "steps", "rows"} {
					if now := v.Get(entry); fmt.Sprint(now) != fmt.Sprint(shown[i]) {
						t.Errorf("%q changed %s to %v", data, entry, now)
					}
				}
			})
		}
	})
}
