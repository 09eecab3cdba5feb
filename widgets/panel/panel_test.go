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
}

func newService() *service {
	return &service{status: session.Status{Session: "leukemia", State: session.Idle, Steps: 100, Config: config.Settings{K: 3, Live: config.Live{Epochs: 20, Lambda: 1}}}}
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
	_, err := s.note("set lambda=%s", c.Text("lambda"))
	if err == nil {
		s.mu.Lock()
		s.status.Config.Lambda = *c.Lambda
		s.mu.Unlock()
	}
	return session.Event{Kind: "set", Text: "lambda is other"}, err
}

func (s *service) Status(context.Context, string) (session.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, nil
}

func (s *service) History(context.Context, string, session.HistoryRequest) (session.History, error) {
	return session.History{Session: "leukemia", PerEpoch: 5}, nil
}

func (s *service) Watch(ctx context.Context, _ string, _ session.WatchRequest, tell func(session.Update)) error {
	s.mu.Lock()
	s.tell = tell
	s.mu.Unlock()
	<-ctx.Done()
	return nil
}

// channel keeps each model's state as a page would.
type channel struct {
	mu     sync.Mutex
	models map[string]map[string]any
}

func (c *channel) Send(m ipywidgets.Message) {
	var body struct {
		State map[string]any `json:"state"`
	}
	if json.Unmarshal(m.Data, &body) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.models[m.Comm] == nil {
		c.models[m.Comm] = map[string]any{}
	}
	for name, value := range body.State {
		c.models[m.Comm][name] = value
	}
}

// bench is a panel and a person.
type bench struct {
	*testing.T
	*service
	channel *channel
	manager *ipywidgets.Manager
	panel   *panel.Panel
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, service: newService(), channel: &channel{models: map[string]map[string]any{}}}
	b.manager = ipywidgets.NewManager(b.channel, ipywidgets.Options{Report: func(_ any, line string) { t.Error(line) }})
	b.panel = panel.New(t.Context(), b.manager, b.service, b.status)
	b.panel.Follow()
	return b
}

func (b *bench) find(key string, value any) string {
	b.Helper()
	b.channel.mu.Lock()
	defer b.channel.mu.Unlock()
	for id, state := range b.channel.models {
		if state[key] == value {
			return id
		}
	}
	b.Fatalf("no model has %s = %v", key, value)
	return ""
}

func (b *bench) shows(text string) {
	b.Helper()
	b.settle()
	b.channel.mu.Lock()
	defer b.channel.mu.Unlock()
	for _, state := range b.channel.models {
		if value, ok := state["value"].(string); ok && strings.Contains(value, text) {
			return
		}
	}
	b.Errorf("nothing shows %q", text)
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

func (b *bench) put(model, value string) {
	b.Helper()
	b.send(b.find("_model_name", model), `{"method":"update","state":{"value":`+value+`},"buffer_paths":[]}`)
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
		b.put("FloatLogSliderModel", "0.12589254117941673")
		synctest.Wait()
		b.put("BoundedFloatTextModel", "0")
		synctest.Wait()
		if got := b.asked(); got != "set lambda=0.126, set lambda=0" {
			t.Errorf("asked %q", got)
		}
		b.shows("lambda is other")
		b.find("value", 0.0)   // the field
		b.find("value", 0.001) // the slider has no 0
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
		b.put("FloatLogSliderModel", "0.01")
		b.settle()
		if b.channel.models[b.find("_model_name", "FloatLogSliderModel")]["value"] != 1.0 {
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
	m := ipywidgets.NewManager(&channel{models: map[string]map[string]any{}}, ipywidgets.Options{})
	p := panel.New(context.Background(), m, s, s.status)
	view := m.View(p, p.Picture)
	fmt.Print(view.Data["text/plain"])
	// Output: leukemia idle · step 0 of 100 · epoch 0 of 20 · τ 0 · 0 of 3 selectors settled, largest probability 0.00
}
