package panel_test

import (
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
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/panel"
)

// service is one session that remembers what it was asked.
type service struct {
	session.Handlers // a verb that is not below is an error

	mu     sync.Mutex
	status session.Status
	calls  []string
	fails  error
	held   chan bool // where not nil, a step waits for one
	tell   func(session.Update)

	others   []session.Status
	events   map[string][]session.Event
	curves   map[string]session.Curve
	branches []string // that were watched
}

func newService() *service {
	settings, err := config.Config{Data: "ALLAML", K: 3, Epochs: 20}.Resolve()
	if err != nil {
		panic(err)
	}
	s := &service{Handlers: session.Handlers{},
		status: session.Status{Session: "leukemia", State: session.Idle, Steps: 100, Config: settings}}
	session.Handle(s.Handlers, session.VerbStep, s.answerStep)
	session.Handle(s.Handlers, session.VerbRun, s.answerRun)
	session.Handle(s.Handlers, session.VerbPause, s.answerPause)
	session.Handle(s.Handlers, session.VerbSet, s.answerSet)
	session.Handle(s.Handlers, session.VerbRewind, s.answerRewind)
	session.Handle(s.Handlers, session.VerbFork, s.answerFork)
	session.Handle(s.Handlers, session.VerbSessions, s.answerSessions)
	session.Handle(s.Handlers, session.VerbStatus, s.answerStatus)
	session.Handle(s.Handlers, session.VerbHistory, s.answerHistory)
	session.Handle(s.Handlers, session.VerbFeature, s.answerFeature)
	return s
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

func (s *service) answerStep(_ context.Context, r session.StepRequest) (session.Status, error) {
	n := r.N
	if s.held != nil {
		<-s.held
	}
	s.mu.Lock()
	s.status.Step += n
	s.status.State = session.Paused
	s.mu.Unlock()
	return s.note("step %d", n)
}

func (s *service) answerRun(_ context.Context, r session.RunRequest) (session.Status, error) {
	until := r.Until
	return s.note("run waits=%v", until.Waits())
}

func (s *service) answerPause(_ context.Context, _ session.NameRequest) (session.Status, error) {
	return s.note("pause")
}

func (s *service) answerSet(_ context.Context, r session.SetRequest) (session.Event, error) {
	c := r.Changes
	key := c.Given()[0].Name
	_, err := s.note("set %s=%s", key, c.Text(key))
	if err == nil {
		s.mu.Lock()
		s.status.Config, _, err = s.status.Config.Apply(c)
		s.mu.Unlock()
	}
	return session.Event{Kind: "set", Text: key + " is other"}, err
}

func (s *service) answerRewind(_ context.Context, r session.RewindRequest) (session.Status, error) {
	step := *r.Step
	if _, err := s.note("rewind %d", step); err != nil {
		return session.Status{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Step = step
	return s.status, nil
}

func (s *service) answerFork(_ context.Context, r session.ForkRequest) (session.Status, error) {
	at := -1
	if r.Step != nil {
		at = *r.Step
	}
	status, err := s.note("fork %s at %d", r.As, at)
	status.Session = r.As
	if r.Step != nil {
		status.Step = at
	}
	return status, err
}

func (s *service) answerSessions(_ context.Context, _ session.None) ([]session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]session.Status{s.status}, s.others...), nil
}

func (s *service) answerStatus(_ context.Context, _ session.NameRequest) (session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, nil
}

func (s *service) answerHistory(_ context.Context, r session.HistoryRequest) (session.History, error) {
	name := r.Session
	return session.History{Session: name, PerEpoch: 5, Events: s.events[name], Curves: s.curves}, nil
}

func (s *service) answerFeature(_ context.Context, r session.FeatureRequest) (session.Feature, error) {
	feature := string(r.Feature)
	s.mu.Lock()
	defer s.mu.Unlock()
	return session.Feature{Name: feature, Index: 11}, s.fails
}

func (s *service) Watch(ctx context.Context, request session.WatchRequest, tell func(session.Update)) error {
	name := request.Session
	s.mu.Lock()
	if name == s.status.Session {
		s.tell = tell
	} else {
		s.branches = append(s.branches, fmt.Sprintf("%s from %d", name, request.History.From))
	}
	s.mu.Unlock()
	<-ctx.Done()
	return nil
}

// bench is a panel and a person.
type bench struct {
	*testing.T
	*service
	page    *pagetest.Page
	manager *ipywidgets.Manager
	panel   *panel.View
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, service: newService(), page: &pagetest.Page{}}
	b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { t.Error(line) }})
	b.panel = panel.New(t.Context(), b.manager, b.service, b.status)
	b.panel.Follow()
	return b
}

// shows expects a text in one of the entries, as JSON.
func (b *bench) shows(text string) {
	b.Helper()
	b.settle()
	var all strings.Builder
	for _, entry := range []string{"message", "head", "facts"} {
		encoder := json.NewEncoder(&all)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(b.value(entry)); err != nil {
			b.Fatal(err)
		}
	}
	if !strings.Contains(all.String(), text) {
		b.Errorf("nothing shows %q:\n%s", text, &all)
	}
}

// settle lets all that waits to be shown be shown.
func (b *bench) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (b *bench) send(data string) {
	b.Helper()
	if !b.manager.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: b.panel.ID(), Data: json.RawMessage(data)}) {
		b.Error("the panel is not known")
	}
}

// press sends what a button does: its verb and, as JSON, what belongs to it.
func (b *bench) press(verb string, more ...string) {
	b.Helper()
	b.send(`{"method":"custom","content":{` + strings.Join(append([]string{`"do":"` + verb + `"`}, more...), ",") + `}}`)
}

// put changes an entry of the state.
func (b *bench) put(entry, value string) {
	b.Helper()
	b.send(`{"method":"update","state":{"` + entry + `":` + value + `},"buffer_paths":[]}`)
}

// value is an entry of the state as the page has it.
func (b *bench) value(entry string) any { return b.page.Value(b.panel.ID(), entry) }

func TestButtonsAreVerbs(t *testing.T) {
	for _, c := range []struct{ verb, more, call string }{
		{"step", `"n":1`, "step 1"}, {"step", `"n":1000`, "step 1000"}, {"run", `"n":0`, "run waits=false"}, {"pause", `"n":0`, "pause"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.press(c.verb, c.more)
			synctest.Wait()
			if got := b.asked(); got != c.call {
				t.Errorf("%s asks %q, want %q", c.verb, got, c.call)
			}
		})
	}
}

// Presses while steps are made are added up; Pause forgets them.
func TestPressesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.held = make(chan bool)
		b.press("step", `"n":1`)
		synctest.Wait()
		for range 5 {
			b.press("step", `"n":10`)
		}
		b.press("step", `"n":100`)
		synctest.Wait()
		b.held <- true
		synctest.Wait()
		b.press("step", `"n":1000`)
		synctest.Wait()
		b.press("pause")
		synctest.Wait()
		b.held <- true
		synctest.Wait()
		if got := b.asked(); got != "step 1, pause, step 150" {
			t.Errorf("asked %q", got)
		}
		b.shows("151 of 100")
	})
}

// Of a training that does not run no time is left.
func TestTimeIsLeftOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.status.StepsPerSecond, b.status.SecondsLeft = 100, 0.6
		b.at(40, session.Running)
		b.shows(`"time left","1 s"`)
		b.at(40, session.Settled)
		b.shows(`"time left","–"`)
	})
}

// A verb that fails is explained in the panel, and the controls show what is in force.
func TestFailuresAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fails = fault.New(fault.Busy, "pause it first", "session <leukemia> is running")
		b.press("step", `"n":10`)
		b.shows("session <leukemia> is running")
		b.press("run")
		b.shows("pause it first")
		b.put("lambda", "0.01")
		b.settle()
		if b.value("lambda") != 1.0 || b.value("failed") != true {
			t.Errorf("λ = %v, which is not in force; failed is %v", b.value("lambda"), b.value("failed"))
		}
	})
}

// What others do is shown, and so is the end of the session.
func TestWatchIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		synctest.Wait()
		now := b.status
		now.Step, now.State, now.Trained, now.Loss = 42, session.Running, true, 1.25
		b.tell(session.Update{Progress: session.Progress{Status: now}})
		b.shows("42 of 100")
		b.shows("1.25")
		b.shows("running")
		b.tell(session.Update{Progress: session.Progress{Status: session.Status{Session: "leukemia", State: session.Closed}}})
		b.shows("closed")
		b.shows("42 of 100")
		if b.asked() != "" {
			t.Error("a panel that only shows asked for something")
		}
	})
}

// What does not work beside the training, and where it is kept, stands at the head, as text.
func TestHeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		synctest.Wait()
		now := b.status
		now.Warning, now.ReadOnly, now.RunDirectory = "the disk is <full>", true, `/runs/"leukemia"`
		b.tell(session.Update{Progress: session.Progress{Status: now}})
		b.shows("the disk is <full>")
		b.shows(`"read_only":true`)
		b.shows(`"directory":"/runs/\"leukemia\""`)
		b.shows(`"method":"fsnet: the gradient of the network's loss trains the selectors"`)
		b.tell(session.Update{Progress: session.Progress{Verb: "rewind", Reached: 30, Target: 40, Status: now}})
		b.shows("rewind: repeating step 30 of 40")
	})
}

// A watch that leaves something out says why, in one line.
func TestProblemsAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		synctest.Wait()
		b.tell(session.Update{Progress: session.Progress{Status: b.status}, Problem: "the history is not a number any more"})
		b.shows("the history is not a number any more")
	})
}

func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBench(t).panel.Picture()
		if text, _ := p.Data["text/plain"].(string); !strings.Contains(text, "step 0 of 100") || p.Data["image/png"] == nil || len(p.Data) != 2 {
			t.Errorf("picture with %d forms, %q", len(p.Data), text)
		}
	})
}

// What a person sets the smoothing to holds in the picture, too.
func TestSmoothingIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var loss session.Curve
		for e := range 300 {
			loss.Steps, loss.Values = append(loss.Steps, 5*e+5), append(loss.Values, 1+float64(e%2))
		}
		b.curves = map[string]session.Curve{"loss": loss}
		for _, c := range []struct{ set, want string }{
			{"", "smoothed over 5 epochs"}, {"50", "smoothed over 50 epochs"}, {"0", "epoch 0: loss"}, {"-1", "smoothed over 5 epochs"},
		} {
			if c.set != "" {
				b.put("smoothing", c.set)
				b.settle()
			}
			if said := fmt.Sprint(b.panel.Picture().Metadata); !strings.Contains(said, c.want) {
				t.Errorf("smoothing %s: the picture says %s, not %q", c.set, said, c.want)
			}
		}
	})
}

func ExampleNew() {
	s := newService() // a host, or a client of one
	m := ipywidgets.NewManager(&pagetest.Page{}, ipywidgets.Options{})
	p := panel.New(context.Background(), m, s, s.status)
	view := m.View(p.Model, p)
	fmt.Print(view.Data["text/plain"])
	// Output: leukemia idle · step 0 of 100 · epoch 0 of 20 · τ 0 · 0 of 3 selectors settled · fsnet: the gradient of the network's loss trains the selectors
	// a snapshot of a live view: run its cell again to continue
}

// Before the first look at P there is no accuracy of the validation rows, which is not one of 0.
func TestAccuracyOfTheValidationRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		synctest.Wait()
		now := b.status
		now.Trained, now.Validate, now.AccuracyTrain = true, 8, 0.75
		b.tell(session.Update{Progress: session.Progress{Session: "leukemia", Status: now}})
		b.shows(`["accuracy-validation","accuracy, validation","–"]`)
		now.AccuracyValidation = new(0.625)
		b.tell(session.Update{Progress: session.Progress{Session: "leukemia", Status: now}})
		b.shows(`["accuracy-validation","accuracy, validation","0.625 of 8 rows"]`)
		b.shows(`["loss-class","loss, class",`)
		now.Config.Task = config.Regression
		b.tell(session.Update{Progress: session.Progress{Session: "leukemia", Status: now}})
		b.shows(`["loss-class","loss, quantity",`)
		b.shows(`["accuracy-validation","R², validation",`)
	})
}

// A feature that a selector's line leads to is asked for by its name, since a feature may be called 12, and shown until it is closed.
func TestFeatureOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.settle()
		selectors := &session.Selectors{
			Looks: []session.Look{{Step: 5, Leaders: []int{11}, Probability: []float64{0.5}}}, Names: map[int]string{11: "12"},
		}
		b.tell(session.Update{
			Progress: session.Progress{Session: "leukemia", Status: b.status},
			History:  &session.Changes{History: session.History{Step: 5, PerEpoch: 5, Selectors: selectors}},
		})
		for column, name := range map[string]string{"11": "12", "3": "3"} {
			b.press("feature", `"column":`+column)
			b.settle()
			if f, _ := b.value("feature").(map[string]any); f == nil || f["name"] != name {
				t.Errorf("column %s shows %v", column, b.value("feature"))
			}
		}
		b.press("feature", `"column":-1`)
		b.settle()
		if b.value("feature") != nil {
			t.Error("it is not closed")
		}
		b.fails = fault.New(fault.NotFound, "open it again", "no session")
		b.press("feature", `"column":11`)
		b.shows("no session - open it again")
	})
}

// A message that asks for nothing that the panel does is refused in a line; one that asks for the curves gets them.
func TestUnknownMessages(t *testing.T) {
	for _, content := range []string{`{"do":"fly"}`, `17`, `{"do":{}}`, `null`, `{"do":"step","n":"x"}`} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.send(`{"method":"custom","content":` + content + `}`)
			b.shows("asks for something it cannot do")
			b.press("curves")
			b.press("rewind") // to no step
			b.shows("choose an earlier one")
			if asked := b.asked(); asked != "" {
				t.Errorf("%s asked %q", content, asked)
			}
		})
	}
}
