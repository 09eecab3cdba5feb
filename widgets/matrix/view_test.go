package matrix_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
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
	"fsnetlab/widgets/matrix"
)

const evil = `<script>alert("x")</script>`

// service is one session that remembers what it was asked.
type service struct {
	session.Handlers // a verb that is not below is an error

	mu    sync.Mutex
	calls []string
	fails error
	k     int // 0 is 2
	watch session.WatchRequest
	tell  func(session.Update)
}

func (s *service) note(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	return s.fails
}

func (s *service) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := strings.Join(s.calls, ", ")
	s.calls = nil
	return asked
}

func newService() *service {
	s := &service{Handlers: session.Handlers{}}
	session.Handle(s.Handlers, session.VerbMatrix, s.answerMatrix)
	session.Handle(s.Handlers, session.VerbFeature, s.answerFeature)
	return s
}

func at(step int) session.Matrix {
	return session.Matrix{
		Session: "a", Of: "probability", Step: step, D: 100, Index: []int{7, 3, 5}, Names: []string{"g", evil, "5"}, Selectors: []int{1, 0},
		Values: [][]float64{{0.5, 0.25, 0.0625}, {0.125, 0.5, 0.03125}}, LeftOut: []float64{0.1875, 0.34375}, Leaders: []string{"elsewhere", "g"},
	}
}

func status(step int) session.Status {
	return session.Status{Session: "a", State: session.Paused, Step: step, Steps: 1000, Config: config.Settings{K: 2}}
}

func (s *service) answerMatrix(_ context.Context, r session.MatrixRequest) (session.Matrix, error) {
	step := "now"
	if r.Step != nil {
		step = fmt.Sprint(*r.Step)
	}
	err := s.note("matrix %s top=%d at %s", r.Of, r.Top, step)
	if r.Step != nil {
		return at(*r.Step), err
	}
	return at(20), err
}

func (s *service) answerFeature(_ context.Context, r session.FeatureRequest) (session.Feature, error) {
	feature := string(r.Feature)
	err := s.note("feature %s", feature)
	return session.Feature{Name: feature, Index: 3, Bins: session.Bins{Edges: []float64{0, 1}, Counts: [][]int{{3}}}}, err
}

func (s *service) Watch(ctx context.Context, r session.WatchRequest, tell func(session.Update)) error {
	s.mu.Lock()
	s.watch, s.tell = r, tell
	s.mu.Unlock()
	s.told(20)
	<-ctx.Done()
	return nil
}

// told tells the watcher of a step.
func (s *service) told(step int) {
	s.mu.Lock()
	tell, request := s.tell, s.watch
	s.mu.Unlock()
	now := status(step)
	if s.k > 0 {
		now.Config.K = s.k
	}
	u := session.Update{Progress: session.Progress{Status: now}}
	if request.Matrix != nil {
		m := at(step)
		u.Matrix = &m
	}
	tell(u)
}

// bench is a view and a person.
type bench struct {
	*testing.T
	*service
	page     *pagetest.Page
	manager  *ipywidgets.Manager
	view     *matrix.View
	reported []string
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, service: newService(), page: &pagetest.Page{}}
	b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { b.reported = append(b.reported, line) }})
	b.view = matrix.New(t.Context(), b.manager, b.service, status(20))
	b.view.Follow()
	b.settle()
	return b
}

// settle lets all that waits to be shown be shown.
func (b *bench) settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func (b *bench) state(name string) any {
	return b.page.Value(b.view.ID(), name)
}

func (b *bench) put(state string) {
	b.Helper()
	if !b.manager.Receive(ipywidgets.Message{
		Kind: ipywidgets.Tell, Comm: b.view.ID(), Data: json.RawMessage(`{"method":"update","state":` + state + `,"buffer_paths":[]}`),
	}) {
		b.Fatal("the view is not known")
	}
	b.settle()
}

func (b *bench) step() float64 { return b.state("when").(map[string]any)["step"].(float64) }

func (b *bench) values() []float32 {
	bytes := b.state("values").([]byte)
	var list []float32
	for i := 0; i < len(bytes); i += 4 {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(bytes[i:])))
	}
	return list
}

func TestMatrixFollowsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		if b.step() != 20 || fmt.Sprint(b.values()) != "[0.5 0.25 0.0625 0.1875 0.125 0.5 0.03125 0.34375]" {
			t.Fatalf("shows step %v, %v", b.step(), b.values())
		}
		if got, _ := json.Marshal(b.state("leaders")); string(got) != `["elsewhere","g"]` {
			t.Errorf("the leaders are %s", got)
		}
		if got, _ := json.Marshal(b.state("columns")); !strings.Contains(string(got), `[7,"g"]`) {
			t.Errorf("columns %s", got)
		}
		b.told(30)
		b.settle()
		if b.step() != 30 || b.asked() != "" {
			t.Errorf("shows step %v; a view that only shows asked for something", b.step())
		}
	})
}

func TestWhatIsShownCanBeChosen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.put(`{"of":"soft"}`)
		b.put(`{"top":3}`)
		if m := b.watch.Matrix; m == nil || m.Of != "soft" || m.Top != 3 {
			t.Fatalf("watches %+v", b.watch)
		}
		b.put(`{"least":0.2}`)
		if got := fmt.Sprint(b.values()); got != "[0.5 0.25 0.25 0.125 0.5 0.375]" {
			t.Errorf("columns from 0.2: %s", got)
		}
		b.put(`{"least":1}`)
		if got := len(b.values()); got != 4 {
			t.Errorf("%d values where no column holds that much, want the largest column", got)
		}
	})
}

func TestThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.put(`{"at":4}`)
		if got := b.asked(); got != "matrix probability top=40 at 4" || b.step() != 4 {
			t.Fatalf("asked %q, shows step %v", got, b.step())
		}
		b.told(50)
		b.settle()
		if b.step() != 4 {
			t.Error("the run moves a picture of the past")
		}
		b.put(`{"of":"sample"}`)
		if got := b.asked(); got != "matrix sample top=40 at 4" {
			t.Errorf("asked %q", got)
		}
		b.told(2) // a rewind
		b.settle()
		if b.state("at") != -1.0 {
			t.Errorf("after a rewind the slider stands at %v", b.state("at"))
		}
		b.told(60)
		b.settle()
		if b.step() != 60 {
			t.Errorf("shows step %v, want the present one", b.step())
		}
		b.fails = fault.New(fault.Request, "take one from 0", "no such <step>")
		b.put(`{"at":5}`)
		if got := fmt.Sprint(b.state("message")); got != "no such <step> - take one from 0" {
			t.Errorf("message %q", got)
		}
	})
}

func TestAPickedFeature(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.put(`{"picked":3}`)
		if got := b.asked(); got != "feature "+evil {
			t.Fatalf("asked %q: names go before numbers", got)
		}
		if f := b.state("feature").(map[string]any); f["name"] != evil {
			t.Errorf("feature %v", f["name"])
		}
		b.told(21)
		b.settle()
		if got := b.asked(); got != "feature "+evil {
			t.Errorf("after a step: asked %q, its course has grown", got)
		}
		b.put(`{"picked":-1}`)
		if b.state("feature") != nil || b.asked() != "" {
			t.Error("closed, and still there")
		}
	})
}

// What no view can be asked for changes nothing, is reported in one line, and the page is told the true state.
func TestBadStateChangesNothing(t *testing.T) {
	for _, state := range []string{
		`{"of":"probabilty"}`, `{"of":3}`, `{"of":null}`, `{"top":0}`, `{"top":1e9}`,
		`{"top":2.5}`, `{"top":"many"}`, `{"top":1e999}`, `{"least":-0.1}`, `{"least":2}`,
		`{"least":[]}`, `{"at":-2}`, `{"at":0.5}`, `{"at":1e300}`, `{"at":{}}`, `{"log":1}`,
		`{"picked":"g"}`, `{"picked":1e10}`, `{"values":"x"}`, `{"message":"hello"}`, `{"nothing":1}`,
	} {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				before := fmt.Sprint(b.state("of"), b.state("top"), b.state("least"),
					b.state("at"), b.state("log"), b.state("picked"), b.step(), b.state("message"))
				b.put(state)
				after := fmt.Sprint(b.state("of"), b.state("top"), b.state("least"),
					b.state("at"), b.state("log"), b.state("picked"), b.step(), b.state("message"))
				if before != after || b.asked() != "" {
					t.Errorf("%s became %s", before, after)
				}
				if len(b.reported) != 1 || strings.Contains(b.reported[0], "\n") || !strings.Contains(b.reported[0], "nothing changed") {
					t.Errorf("reported %q, want one line", b.reported)
				}
			})
		})
	}
}

func TestTheEndOfASessionIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.tell(session.Update{Progress: session.Progress{Status: session.Status{Session: "a", State: session.Closed}}})
		b.settle()
		if got := fmt.Sprint(b.state("message")); !strings.Contains(got, "session a is closed") {
			t.Errorf("message %q", got)
		}
		if b.step() != 20 {
			t.Error("the last matrix has gone")
		}
		b.told(21)
		b.settle()
		if b.state("message") != "" {
			t.Errorf("open again: message %q", b.state("message"))
		}
	})
}

// A page is sent less than 100 kB a second, however large the matrix.
func TestRateLimitsBytes(t *testing.T) {
	for _, c := range []struct{ k, top int }{{10, 40}, {50, 50}, {50, 200}, {200, 200}} {
		synctest.Test(t, func(t *testing.T) {
			s := &service{k: c.k}
			b := &bench{T: t, service: s, page: &pagetest.Page{}}
			b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{})
			st := status(0)
			st.Config.K, st.State = c.k, session.Running
			b.view = matrix.New(t.Context(), b.manager, s, st)
			b.view.Follow()
			synctest.Wait()
			b.view.Adjust(session.MatrixRequest{Top: c.top})
			b.settle()
			b.page.Bytes()
			const seconds = 20
			updates := int(seconds * b.watch.Rate)
			for n := range updates {
				m := session.Matrix{Session: "a", Of: "probability", Step: n, D: 20_000, LeftOut: make([]float64, c.k)}
				for j := range c.top {
					m.Index, m.Names = append(m.Index, 10_000+(j+n)%c.top), append(m.Names, fmt.Sprintf("AFFX-gene-%06d_at", (j+n)%c.top))
				}
				for i := range c.k {
					m.Selectors, m.Values = append(m.Selectors, i), append(m.Values, make([]float64, c.top))
					m.Values[i][0] = float64(n)
				}
				now := st
				now.Step = n
				b.tell(session.Update{Progress: session.Progress{Status: now}, Matrix: &m})
				time.Sleep(time.Duration(float64(time.Second) / b.watch.Rate))
			}
			synctest.Wait()
			if perSecond := b.page.Bytes() / seconds; perSecond > 100_000 || perSecond < 1000 {
				t.Errorf("K = %d, %d columns: %d bytes a second at %.2f updates a second", c.k, c.top, perSecond, b.watch.Rate)
			} else {
				t.Logf("K = %d, %d columns: %d bytes a second at %.2f updates a second", c.k, c.top, perSecond, b.watch.Rate)
			}
		})
	}
}

func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBench(t).view.Picture()
		if text, _ := p.Data["text/plain"].(string); !strings.Contains(text, "Selection matrix P of a") ||
			p.Data["image/png"] == nil || len(p.Data) != 2 {
			t.Errorf("picture with %d forms, %q", len(p.Data), text)
		}
	})
}
