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
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/ipywidgets/pagetest"
	"fsnetlab/widgets/panel"
)

// service is one session that remembers what it was asked.
type service struct {
	session.Service // nil: a verb that is not below panics

	mu     sync.Mutex
	status session.Status
	calls  []string
	fails  error
	held   chan bool // where not nil, a step waits for one
	tell   func(session.Update)

	others   []session.Status
	events   map[string][]session.Event
	branches []string // that were watched
}

func newService() *service {
	settings, err := config.Config{Data: "ALLAML", K: 3, Epochs: 20}.Resolve()
	if err != nil {
		panic(err)
	}
	return &service{status: session.Status{Session: "leukemia", State: session.Idle, Steps: 100, Config: settings}}
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

func (s *service) Step(_ context.Context, _ string, n int) (session.Status, error) {
	if s.held != nil {
		<-s.held
	}
	s.mu.Lock()
	s.status.Step += n
	s.status.State = session.Paused
	s.mu.Unlock()
	return s.note("step %d", n)
}

func (s *service) Run(_ context.Context, _ string, until session.Until) (session.Status, error) {
	return s.note("run waits=%v", until.Waits())
}

func (s *service) Pause(context.Context, string) (session.Status, error) { return s.note("pause") }

func (s *service) Set(_ context.Context, _ string, c session.Config) (session.Event, error) {
	key := c.Given()[0].Name
	_, err := s.note("set %s=%s", key, c.Text(key))
	if err == nil {
		s.mu.Lock()
		s.status.Config, _, err = s.status.Config.Apply(c)
		s.mu.Unlock()
	}
	return session.Event{Kind: "set", Text: key + " is other"}, err
}

func (s *service) Rewind(_ context.Context, _ string, step int) (session.Status, error) {
	if _, err := s.note("rewind %d", step); err != nil {
		return session.Status{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status.Step = step
	return s.status, nil
}

func (s *service) Fork(_ context.Context, _ string, r session.ForkRequest) (session.Status, error) {
	status, err := s.note("fork %s at %d", r.As, r.Step)
	status.Session = r.As
	if r.Step >= 0 {
		status.Step = r.Step
	}
	return status, err
}

func (s *service) Sessions(context.Context) ([]session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]session.Status{s.status}, s.others...), nil
}

func (s *service) Status(context.Context, string) (session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, nil
}

func (s *service) History(_ context.Context, name string, _ session.HistoryRequest) (session.History, error) {
	return session.History{Session: name, PerEpoch: 5, Events: s.events[name]}, nil
}

func (s *service) Watch(ctx context.Context, name string, request session.WatchRequest, tell func(session.Update)) error {
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
	panel   *panel.Panel
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, service: newService(), page: &pagetest.Page{}}
	b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { t.Error(line) }})
	b.panel = panel.New(t.Context(), b.manager, b.service, b.status)
	b.panel.Follow()
	return b
}

func (b *bench) find(key string, value any) string {
	b.Helper()
	id := b.page.Find(func(state map[string]any) bool { return state[key] == value })
	if id == "" {
		b.Fatalf("no model has %s = %v", key, value)
	}
	return id
}

func (b *bench) shows(text string) {
	b.Helper()
	if !b.says(text) {
		b.Errorf("nothing shows %q", text)
	}
}

func (b *bench) says(text string) bool {
	b.settle()
	return b.page.Find(func(state map[string]any) bool {
		value, ok := state["value"].(string)
		return ok && strings.Contains(value, text)
	}) != ""
}

// settle lets all that waits to be shown be shown.
func (b *bench) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (b *bench) send(id, data string) {
	b.Helper()
	if !b.manager.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: id, Data: json.RawMessage(data)}) {
		b.Errorf("%s is not known", id)
	}
}

func (b *bench) press(text string) {
	b.Helper()
	b.send(b.find("description", text), `{"method":"custom","content":{"event":"click"}}`)
}

// put changes the value of the control with that tooltip.
func (b *bench) put(tooltip, value string) {
	b.Helper()
	b.send(b.find("tooltip", tooltip), `{"method":"update","state":{"value":`+value+`},"buffer_paths":[]}`)
}

// value is what the control with that tooltip shows.
func (b *bench) value(tooltip string) any {
	b.Helper()
	id := b.find("tooltip", tooltip)
	return b.page.Value(id, "value")
}

// tip is a key's tooltip.
func tip(key string) string {
	known, _ := config.Lookup(key)
	if known.Range == "" {
		return known.Meaning + ", from the next step on"
	}
	return known.Meaning + " (" + known.Range + "), from the next step on"
}

func TestButtonsAreVerbs(t *testing.T) {
	for _, c := range []struct{ button, call string }{
		{"Step 1", "step 1"}, {"Step 10", "step 10"}, {"Step 100", "step 100"}, {"Step 1000", "step 1000"},
		{"Run", "run waits=false"}, {"Pause", "pause"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t)
			b.press(c.button)
			synctest.Wait()
			if got := b.asked(); got != c.call {
				t.Errorf("%s asks %q, want %q", c.button, got, c.call)
			}
		})
	}
}

// Presses while steps are made are added up; Pause forgets them.
func TestPressesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.held = make(chan bool)
		b.press("Step 1")
		synctest.Wait()
		for range 5 {
			b.press("Step 10")
		}
		b.press("Step 100")
		synctest.Wait()
		b.held <- true
		synctest.Wait()
		b.press("Step 1000")
		synctest.Wait()
		b.press("Pause")
		synctest.Wait()
		b.held <- true
		synctest.Wait()
		if got := b.asked(); got != "step 1, pause, step 150" {
			t.Errorf("asked %q", got)
		}
		b.shows(">151 of 100<")
	})
}

func TestLambdaFromSliderAndField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.put(tip("lambda"), "0.12589254117941673")
		synctest.Wait()
		b.put(tip("lambda")+", exactly", "0")
		synctest.Wait()
		if got := b.asked(); got != "set lambda=0.126, set lambda=0" {
			t.Errorf("asked %q", got)
		}
		b.shows("lambda is other")
		if field, slider := b.value(tip("lambda")+", exactly"), b.value(tip("lambda")); field != 0.0 || slider != 0.001 { // it has no 0
			t.Errorf("the field shows %v, the slider %v", field, slider)
		}
	})
}

// A verb that fails is explained in the panel, and the controls show what is in force.
func TestFailuresAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.fails = fault.New(fault.Busy, "pause it first", "session <leukemia> is running")
		b.press("Step 10")
		b.shows("session &lt;leukemia&gt; is running")
		b.press("Run")
		b.shows("pause it first")
		b.put(tip("lambda"), "0.01")
		b.settle()
		if b.value(tip("lambda")) != 1.0 {
			t.Error("the slider shows a λ that is not in force")
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
		b.shows(">42 of 100<")
		b.shows(">1.25<")
		b.shows("running")
		b.tell(session.Update{Progress: session.Progress{Status: session.Status{Session: "leukemia", State: session.Closed}}})
		b.shows("closed")
		b.shows(">42 of 100<")
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
		b.shows("the disk is &lt;full&gt;")
		b.shows("read only: it can be looked at and forked")
		b.shows(`title="its checkpoints are in /runs/&#34;leukemia&#34;"`)
		b.tell(session.Update{Progress: session.Progress{Verb: "rewind", Reached: 30, Target: 40, Status: now}})
		b.shows("rewind: step 30 of 40 is made again")
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

func ExampleNew() {
	s := newService() // a host, or a client of one
	m := ipywidgets.NewManager(&pagetest.Page{}, ipywidgets.Options{})
	p := panel.New(context.Background(), m, s, s.status)
	view := m.View(p, p)
	fmt.Print(view.Data["text/plain"])
	// Output: leukemia idle · step 0 of 100 · epoch 0 of 20 · τ 0 · 0 of 3 selectors settled
	// a live view as it stood here: run its cell again to go on with it
}

// Before the first look at P there is no accuracy of the validation rows, which is not one of 0.
func TestAccuracyOfTheValidationRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		synctest.Wait()
		now := b.status
		now.Trained, now.Validate, now.AccuracyTrain = true, 8, 0.75
		b.tell(session.Update{Progress: session.Progress{Session: "leukemia", Status: now}})
		b.shows(`class="fsnet-accuracy-validation" style="white-space:nowrap">–<`)
		now.AccuracyValidation = new(0.625)
		b.tell(session.Update{Progress: session.Progress{Session: "leukemia", Status: now}})
		b.shows(`class="fsnet-accuracy-validation" style="white-space:nowrap">0.625<`)
	})
}
