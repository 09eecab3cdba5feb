package table_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/widgets/ipywidgets"
	"fsnetlab/widgets/table"
)

// service is one session that remembers which features it was asked for.
type service struct {
	session.Handlers // a verb that is not below is an error

	mu    sync.Mutex
	calls []string
	fails error
	tell  func(session.Update)
}

func newService() *service {
	s := &service{Handlers: session.Handlers{}}
	session.Handle(s.Handlers, session.VerbFeature, s.feature)
	return s
}

func (s *service) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := strings.Join(s.calls, ", ")
	s.calls = nil
	return asked
}

func (s *service) feature(_ context.Context, r session.FeatureRequest) (session.Feature, error) {
	feature := string(r.Feature)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, feature)
	return session.Feature{
		Name: feature, Bins: session.Bins{Edges: []float64{0, 1, 2}, Counts: [][]int{{4, 0}, {0, 4}}},
		Classes: []session.Distribution{{Class: "a", N: 4, Mean: 1.5}, {Class: "b"}},
	}, s.fails
}

func (s *service) Watch(ctx context.Context, _ session.WatchRequest, tell func(session.Update)) error {
	s.tell = tell
	tell(update(session.Paused, 3, 5))
	<-ctx.Done()
	return nil
}

func update(state session.State, columns ...int) session.Update {
	u := session.Update{Progress: session.Progress{Status: session.Status{Session: "a", State: state, Step: 7, Classes: []string{"a", "b"}}}}
	for i, c := range columns {
		u.Selection = append(u.Selection,
			session.Selected{Rank: i + 1, Index: c, Name: fmt.Sprintf("<g%d>", c), Probability: 0.5, Margin: 0.25, Selector: i})
	}
	return u
}

type bench struct {
	*testing.T
	*service
	page     *pagetest.Page
	manager  *ipywidgets.Manager
	view     *table.View
	reported []string
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, service: newService(), page: &pagetest.Page{}}
	b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { b.reported = append(b.reported, line) }})
	b.view = table.New(t.Context(), b.manager, b.service, session.Status{Session: "a", State: session.Paused})
	b.view.Follow()
	b.settle()
	return b
}

// settle lets all that waits to be shown be shown.
func (b *bench) settle() {
	time.Sleep(5 * time.Second)
	synctest.Wait()
}

func (b *bench) state(name string) string {
	text, _ := json.Marshal(b.page.Value(b.view.ID(), name))
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
}

func TestTableFollowsTheSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		if got := b.state("rows"); got != `[[1,"<g3>",3,0.5,0.25,0],[2,"<g5>",5,0.5,0.25,1]]` {
			t.Fatalf("rows %s", got)
		}
		if got := b.state("facts"); got != `{"3":[1,1.5,null],"5":[1,1.5,null]}` {
			t.Errorf("facts %s", got)
		}
		if got := b.asked(); got != "<g3>, <g5>" {
			t.Errorf("asked for %q", got)
		}
		marked := update(session.Running, 3, 5)
		marked.Selection[1].Must = true
		b.tell(marked)
		b.settle()
		if got := b.state("rows"); got != `[[1,"<g3>",3,0.5,0.25,0],[2,"<g5>",5,0.5,0.25,1,true]]` {
			t.Errorf("what must be chosen is not marked: %s", got)
		}
		b.tell(update(session.Running, 5, 8))
		b.tell(update(session.Running, 8, 3))
		b.settle()
		if got := b.asked(); got != "<g8>" {
			t.Errorf("asked for %q, want what is new, once", got)
		}
		if got := b.state("facts"); got != `{"3":[1,1.5,null],"8":[1,1.5,null]}` {
			t.Errorf("the page has facts %s, want those of the selected features", got)
		}
	})
}

// A long run selects thousands of features for a moment: what the page is told of stays small, and what is remembered, too.
func TestTableForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		for column := range 1200 {
			b.tell(update(session.Paused, column, column+1))
			synctest.Wait()
		}
		b.settle()
		if got := b.state("facts"); got != `{"1199":[1,1.5,null],"1200":[1,1.5,null]}` {
			t.Errorf("the page has facts %.200s", got)
		}
		b.asked()
		b.tell(update(session.Paused, 1198, 0))
		b.settle()
		if got := b.asked(); got != "<g0>" {
			t.Errorf("asked for %q, want what was forgotten and not what was just there", got)
		}
	})
}

// A feature may fail to be told without ending the table, and a session may be opened again with other rows.
func TestTableGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.asked()
		b.fails = fault.New(fault.Failed, "open it again", "the engine crashed")
		b.tell(update(session.Paused, 9))
		b.settle()
		if got := b.state("message"); got != `"the engine crashed - open it again"` {
			t.Errorf("message %s", got)
		}
		b.fails = nil
		b.tell(update(session.Closed))
		b.settle()
		if got := b.state("message"); !strings.Contains(got, "session a is closed") {
			t.Errorf("message %s", got)
		}
		if got := b.state("rows"); !strings.Contains(got, "<g9>") {
			t.Errorf("the last rows have gone: %s", got)
		}
		b.asked()
		b.tell(update(session.Paused, 3))
		b.settle()
		if b.asked() != "<g3>" || b.state("message") != `""` {
			t.Error("what was known of the closed session is taken for the new one's")
		}
	})
}

func TestBadStateChangesNothing(t *testing.T) {
	for _, state := range []string{
		`{"sort":"size"}`, `{"sort":3}`, `{"sort":"mean:"}`, `{"sort":"mean:-1"}`,
		`{"sort":"mean:99999"}`, `{"down":1}`, `{"rows":[]}`, `{"facts":{}}`,
	} {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				before := b.state("sort") + b.state("down") + b.state("rows") + b.state("facts")
				b.manager.Receive(ipywidgets.Message{
					Kind: ipywidgets.Tell, Comm: b.view.ID(), Data: json.RawMessage(`{"method":"update","state":` + state + `,"buffer_paths":[]}`),
				})
				b.settle()
				if after := b.state("sort") + b.state("down") + b.state("rows") + b.state("facts"); after != before {
					t.Errorf("%s became %s", before, after)
				}
				if len(b.reported) != 1 || !strings.Contains(b.reported[0], "nothing changed") {
					t.Errorf("reported %q", b.reported)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.manager.Receive(ipywidgets.Message{
			Kind: ipywidgets.Tell, Comm: b.view.ID(),
			Data: json.RawMessage(`{"method":"update","state":{"sort":"mean:1","down":true},"buffer_paths":[]}`),
		})
		b.settle()
		if b.state("sort") != `"mean:1"` || b.state("down") != "true" {
			t.Errorf("sorted by %s, down %s", b.state("sort"), b.state("down"))
		}
	})
}

func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newBench(t).view.Picture()
		text, _ := p.Data["text/plain"].(string)
		html, _ := p.Data["text/html"].(string)
		if !strings.Contains(text, "<g3>") || !strings.Contains(text, "mean a") ||
			!strings.Contains(html, "&lt;g3&gt;") || p.Data["image/png"] == nil || len(p.Data) != 3 {
			t.Errorf("picture with %d forms, %q", len(p.Data), text)
		}
	})
}

// The values are worked by hand: H(Y) for a feature that tells the class, 0 for one that says nothing of it.
func TestInformation(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts [][]int
		want   float64
	}{
		{"tells the class", [][]int{{4, 0}, {0, 4}}, 1},
		{"tells three classes", [][]int{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, math.Log2(3)},
		{"independent", [][]int{{2, 6}, {1, 3}}, 0},
		{"half of it", [][]int{{2, 2}, {0, 4}}, 0.31127812445913283},
		{"uneven rows", [][]int{{4}, {0, 4}}, 1},
		{"one bin", [][]int{{5}, {3}}, 0},
		{"none", nil, 0},
		{"no counts", [][]int{{0, 0}, {0, 0}}, 0},
	} {
		if got := table.Information(c.counts); !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%s: %g bits, want %g", c.name, got, c.want)
		}
	}
}

func ExampleInformation() {
	fmt.Printf("%.2f bits\n", table.Information([][]int{{9, 1}, {2, 8}}))
	// Output: 0.40 bits
}
