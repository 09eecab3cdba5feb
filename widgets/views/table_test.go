package views

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
)

// tableService is one session that remembers which features it was asked for.
type tableService struct {
	session.Service // nil: a verb that is not below panics

	mu    sync.Mutex
	calls []string
	fails error
	tell  func(session.Update)
}

func (s *tableService) asked() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := strings.Join(s.calls, ", ")
	s.calls = nil
	return asked
}

func (s *tableService) Feature(_ context.Context, _, feature string) (session.Feature, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, feature)
	return session.Feature{
		Name: feature, Bins: session.Bins{Edges: []float64{0, 1, 2}, Counts: [][]int{{4, 0}, {0, 4}}},
		Classes: []session.Distribution{{Class: "a", N: 4, Mean: 1.5}, {Class: "b"}},
	}, s.fails
}

func (s *tableService) Watch(ctx context.Context, _ string, _ session.WatchRequest, tell func(session.Update)) error {
	s.tell = tell
	tell(tableUpdate(session.Paused, 3, 5))
	<-ctx.Done()
	return nil
}

func tableUpdate(state session.State, columns ...int) session.Update {
	u := session.Update{Progress: session.Progress{Status: session.Status{Session: "a", State: state, Step: 7, Classes: []string{"a", "b"}}}}
	for i, c := range columns {
		u.Selection = append(u.Selection,
			session.Selected{Rank: i + 1, Index: c, Name: fmt.Sprintf("<g%d>", c), Probability: 0.5, Margin: 0.25, Selector: i})
	}
	return u
}

type tableBench struct {
	*testing.T
	*tableService
	page     *pagetest.Page
	manager  *ipywidgets.Manager
	view     *tableView
	reported []string
}

func newTableBench(t *testing.T) *tableBench {
	b := &tableBench{T: t, tableService: &tableService{}, page: &pagetest.Page{}}
	b.manager = ipywidgets.NewManager(b.page, ipywidgets.Options{Report: func(_ any, line string) { b.reported = append(b.reported, line) }})
	b.view = Table(t.Context(), b.manager, b.tableService, session.Status{Session: "a", State: session.Paused})
	b.view.Follow()
	b.settle()
	return b
}

// settle lets all that waits to be shown be shown.
func (b *tableBench) settle() {
	time.Sleep(5 * time.Second)
	synctest.Wait()
}

func (b *tableBench) state(name string) string {
	text, _ := json.Marshal(b.page.Value(b.view.ID(), name))
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
}

func TestTableTableFollowsTheSelection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTableBench(t)
		if got := b.state("rows"); got != `[[1,"<g3>",3,0.5,0.25,0],[2,"<g5>",5,0.5,0.25,1]]` {
			t.Fatalf("rows %s", got)
		}
		if got := b.state("facts"); got != `{"3":[1,1.5,null],"5":[1,1.5,null]}` {
			t.Errorf("facts %s", got)
		}
		if got := b.asked(); got != "<g3>, <g5>" {
			t.Errorf("asked for %q", got)
		}
		marked := tableUpdate(session.Running, 3, 5)
		marked.Selection[1].Must = true
		b.tell(marked)
		b.settle()
		if got := b.state("rows"); got != `[[1,"<g3>",3,0.5,0.25,0],[2,"<g5>",5,0.5,0.25,1,true]]` {
			t.Errorf("what must be chosen is not marked: %s", got)
		}
		b.tell(tableUpdate(session.Running, 5, 8))
		b.tell(tableUpdate(session.Running, 8, 3))
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
func TestTableTableForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTableBench(t)
		for column := range 1200 {
			b.tell(tableUpdate(session.Paused, column, column+1))
			synctest.Wait()
		}
		b.settle()
		if got := b.state("facts"); got != `{"1199":[1,1.5,null],"1200":[1,1.5,null]}` {
			t.Errorf("the page has facts %.200s", got)
		}
		b.asked()
		b.tell(tableUpdate(session.Paused, 1198, 0))
		b.settle()
		if got := b.asked(); got != "<g0>" {
			t.Errorf("asked for %q, want what was forgotten and not what was just there", got)
		}
	})
}

// A feature may fail to be told without ending the table, and a session may be opened again with other rows.
func TestTableTableGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newTableBench(t)
		b.asked()
		b.fails = fault.New(fault.Failed, "open it again", "the engine crashed")
		b.tell(tableUpdate(session.Paused, 9))
		b.settle()
		if got := b.state("message"); got != `"the engine crashed - open it again"` {
			t.Errorf("message %s", got)
		}
		b.fails = nil
		b.tell(tableUpdate(session.Closed))
		b.settle()
		if got := b.state("message"); !strings.Contains(got, "session a is closed") {
			t.Errorf("message %s", got)
		}
		if got := b.state("rows"); !strings.Contains(got, "<g9>") {
			t.Errorf("the last rows have gone: %s", got)
		}
		b.asked()
		b.tell(tableUpdate(session.Paused, 3))
		b.settle()
		if b.asked() != "<g3>" || b.state("message") != `""` {
			t.Error("what was known of the closed session is taken for the new one's")
		}
	})
}

func TestTableBadStateChangesNothing(t *testing.T) {
	for _, state := range []string{
		`{"sort":"size"}`, `{"sort":3}`, `{"sort":"mean:"}`, `{"sort":"mean:-1"}`,
		`{"sort":"mean:99999"}`, `{"down":1}`, `{"rows":[]}`, `{"facts":{}}`,
	} {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newTableBench(t)
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
		b := newTableBench(t)
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

func TestTablePicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTableBench(t).view.Picture()
		text, _ := p.Data["text/plain"].(string)
		html, _ := p.Data["text/html"].(string)
		if !strings.Contains(text, "<g3>") || !strings.Contains(text, "mean a") ||
			!strings.Contains(html, "&lt;g3&gt;") || p.Data["image/png"] == nil || len(p.Data) != 3 {
			t.Errorf("picture with %d forms, %q", len(p.Data), text)
		}
	})
}

// The values are worked by hand: H(Y) for a feature that tells the class, 0 for one that says nothing of it.
func TestTableInformation(t *testing.T) {
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
		if got := Information(c.counts); !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%s: %g bits, want %g", c.name, got, c.want)
		}
	}
}

func ExampleInformation() {
	fmt.Printf("%.2f bits\n", Information([][]int{{9, 1}, {2, 8}}))
	// Output: 0.40 bits
}
