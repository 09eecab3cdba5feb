package views

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

func (b *bench) step() float64 { return b.value("when").(map[string]any)["step"].(float64) }

func (b *bench) values() []float32 {
	bytes := b.value("values").([]byte)
	var list []float32
	for i := 0; i < len(bytes); i += 4 {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(bytes[i:])))
	}
	return list
}

// The matrix follows its run, with the kind, the number and the least mass of
// columns that a person sets.
func TestMatrix_FollowsTheRun(t *testing.T) {
	drive(t, Matrix, paused(), func(b *bench) {
		if b.step() != 50 || fmt.Sprint(b.values()) != "[0.5 0.25 0.0625 0.1875 0.125 0.5 0.03125 0.34375]" {
			t.Fatalf("shows step %v, %v", b.step(), b.values())
		}
		b.shows("leaders", `["elsewhere","g"]`)
		b.shows("columns", `[7,"g"]`)
		b.at(60, session.Running)
		if b.step() != 60 {
			t.Errorf("shows step %v", b.step())
		}
		b.expect("")
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

// The matrix stays at a past step until a person or a new run goes back to the
// present.
func TestMatrix_OfThePast(t *testing.T) {
	drive(t, Matrix, paused(), func(b *bench) {
		b.put(`{"at":4}`)
		b.expect("matrix probability top=40 at 4")
		b.at(60, session.Running) // a run begins at the present
		if b.state("at") != "-1" || b.step() != 60 {
			t.Errorf("where a run has begun it shows step %v", b.step())
		}
		b.put(`{"at":4}`)
		b.at(70, session.Running) // it goes on, and a person may look back
		if b.step() != 4 {
			t.Errorf("the run moves a picture of step 4 to %v", b.step())
		}
		b.asked()
		b.put(`{"of":"sample"}`)
		b.expect("matrix sample top=40 at 4")
		b.at(2, session.Paused) // a rewind
		if b.state("at") != "-1" {
			t.Errorf("after a rewind the slider stands at %v", b.state("at"))
		}
		b.at(60, session.Running)
		if b.step() != 60 {
			t.Errorf("shows step %v, want the present one", b.step())
		}
		b.fails = errs.New(errs.Request, "take one from 0", "no such <step>")
		b.put(`{"at":5}`)
		b.shows("message", "no such <step> - take one from 0")
	})
}

// A picked column asks for its feature by name, and shows it until it is
// closed.
func TestMatrix_PicksAFeature(t *testing.T) {
	drive(t, Matrix, paused(), func(b *bench) {
		b.put(`{"picked":3}`)
		b.expect("feature " + evil) // names go before numbers
		if f := b.value("feature").(map[string]any); f["name"] != evil {
			t.Errorf("feature %v", f["name"])
		}
		b.at(51, session.Paused)
		b.expect("feature " + evil) // its course has grown
		b.put(`{"picked":-1}`)
		if b.value("feature") != nil {
			t.Error("closed, and still there")
		}
		b.expect("")
	})
}

// A page is sent less than 100 kB a second, however large the matrix.
func TestMatrix_LimitsBytes(t *testing.T) {
	for _, c := range []struct{ k, top int }{{10, 40}, {50, 50}, {50, 200}, {200, 200}} {
		now := paused()
		now.Config.K, now.State = c.k, session.Running
		drive(t, Matrix, now, func(b *bench) {
			b.view.Adjust(session.MatrixRequest{Top: c.top})
			b.settle()
			b.page.Bytes()
			const seconds = 20
			for n := range int(seconds * b.watch.Rate) {
				m := session.Matrix{Session: "a", Of: "probability", Step: n, D: 20_000, LeftOut: make([]float64, c.k)}
				for j := range c.top {
					m.Index, m.Names = append(m.Index, 10_000+(j+n)%c.top), append(m.Names, fmt.Sprintf("AFFX-gene-%06d_at", (j+n)%c.top))
				}
				for i := range c.k {
					m.Selectors, m.Values = append(m.Selectors, i), append(m.Values, make([]float64, c.top))
					m.Values[i][0] = float64(n)
				}
				now.Step = n
				b.tell(session.Update{Progress: session.Progress{Status: now}, Matrix: &m})
				time.Sleep(time.Duration(float64(time.Second) / b.watch.Rate))
			}
			if perSecond := b.page.Bytes() / seconds; perSecond > 100_000 || perSecond < 1000 {
				t.Errorf("K = %d, %d columns: %d bytes a second at %.2f updates a second", c.k, c.top, perSecond, b.watch.Rate)
			}
		})
	}
}

// A selector's feature is a position among the remaining columns. If its column
// is left out, it isn't shown.
func TestMatrix_RemainingColumnsKeepSelection(t *testing.T) {
	m := session.Matrix{
		Index: []int{4, 9, 2}, Names: []string{"a", "b", "c"}, Selectors: []int{0, 1, 2}, Selected: []int{0, 2, 1},
		Values: [][]float64{{0.9, 0.01, 0.05}, {0.1, 0.02, 0.8}, {0.1, 0.03, 0.7}}, LeftOut: []float64{0, 0, 0},
	}
	kept := withColumnsFrom(m, 0.5)
	if !reflect.DeepEqual(kept.Names, []string{"a", "c"}) || !reflect.DeepEqual(kept.Selected, []int{0, 1, -1}) {
		t.Errorf("columns %v, selected %v", kept.Names, kept.Selected)
	}
	if whole := withColumnsFrom(m, 0); !reflect.DeepEqual(whole, m) {
		t.Errorf("all columns are %+v", whole)
	}
}

// A number that the matrix doesn't accept is answered, and the one in force
// stays.
func TestMatrix_RejectsNumbers(t *testing.T) {
	drive(t, Matrix, paused(), func(b *bench) {
		b.put(`{"top":7}`)
		for _, c := range []struct{ entry, typed, says, stays string }{
			{"top", "0", "0 is out of range - choose 1 to 200", "7"}, {"top", "1e9", "1000000000 is out of range", "7"},
			{"top", "2.5", "2.5 is out of range", "7"}, {"least", "-0.1", "-0.1 is out of range - choose 0 to 1", "0"}, {"least", "2", "2 is out", "0"},
		} {
			b.put(`{"` + c.entry + `":` + c.typed + `}`)
			b.shows("message", c.says)
			if got := b.state(c.entry); got != c.stays {
				t.Errorf("%s = %s: it is %s", c.entry, c.typed, got)
			}
		}
	})
}
