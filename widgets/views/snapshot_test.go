package views

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/tests/kit/pagetest"
	"fsnetlab/widgets/chart"
	"fsnetlab/widgets/ipywidgets"
)

// snapshotBench is a view whose picture says how often it was drawn.
type snapshotBench struct {
	page   *pagetest.Page
	module *ipywidgets.Model
	keeper *keeper
	drawn  atomic.Int64
	closed atomic.Bool
	slow   atomic.Bool // it takes a minute to draw
	large  string
}

func newSnapshotBench(t *testing.T) *snapshotBench {
	b := &snapshotBench{page: &pagetest.Page{}}
	m := ipywidgets.NewManager(b.page, ipywidgets.Options{})
	b.module = ipywidgets.NewModel(m, ipywidgets.Module{Name: "view"}, map[string]ipywidgets.Entry{snapshotEntry: {}})
	b.keeper = newKeeper(t.Context(), b.module, func() ipywidgets.Bundle {
		data := map[string]any{chart.MIMEText: "gone"}
		if !b.closed.Load() {
			n := b.drawn.Add(1)
			if b.slow.Load() {
				time.Sleep(time.Minute)
			}
			data = map[string]any{chart.MIMEPNG: "png", chart.MIMEText: fmt.Sprint(n) + b.large}
		}
		return ipywidgets.Bundle{Data: data, Metadata: map[string]any{}}
	})
	return b
}

// shown is the text of the picture that the page has.
func (b *snapshotBench) shown() string {
	synctest.Wait()
	picture, _ := b.page.Value(b.module.ID(), snapshotEntry).(map[string]any)
	if picture == nil {
		return ""
	}
	if picture["root"] != b.module.ID() {
		return fmt.Sprint("the root is ", picture["root"])
	}
	return picture["data"].(map[string]any)[chart.MIMEText].(string)
}

// When a session comes to rest, it is drawn a moment later, once, however many
// changes led there.
func TestSnapshot_AtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSnapshotBench(t)
		for range 8 {
			b.keeper.changed(false)
			time.Sleep(500 * time.Millisecond)
		}
		if b.drawn.Load() != 0 {
			t.Fatalf("drawn %d times while it changed", b.drawn.Load())
		}
		time.Sleep(time.Second)
		if got := b.shown(); got != "1" {
			t.Fatalf("the page has %q", got)
		}
		for range 40 { // changes that do not end
			b.keeper.changed(false)
			time.Sleep(500 * time.Millisecond)
		}
		if n := b.drawn.Load(); n < 4 || n > 6 {
			t.Errorf("drawn %d times in twenty seconds of changes, want about every five seconds", n)
		}
	})
}

// During a run, few pictures are drawn, large ones more rarely, and at its end
// the last one.
func TestSnapshot_DuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSnapshotBench(t)
		run := func(d time.Duration) {
			for range d / (100 * time.Millisecond) {
				b.keeper.changed(true)
				time.Sleep(100 * time.Millisecond)
			}
		}
		run(61 * time.Second)
		if b.drawn.Load() != 3 {
			t.Errorf("drawn %d times in a minute", b.drawn.Load())
		}
		b.keeper.changed(false)
		time.Sleep(time.Second)
		if got := b.shown(); got != "4" {
			t.Errorf("at its end the page has %q", got)
		}
		b.large = string(make([]byte, 400_000))
		run(21 * time.Second)
		before := b.drawn.Load()
		run(90 * time.Second)
		if b.drawn.Load() != before {
			t.Errorf("a picture of 400 kB was sent %d times in ninety seconds", b.drawn.Load()-before+1)
		}
	})
}

// A view of a closed session keeps the last picture that was drawn.
func TestSnapshot_ClosedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSnapshotBench(t)
		b.closed.Store(true)
		if got := b.keeper.Picture().Data[chart.MIMEText]; got != "gone" {
			t.Errorf("without a picture before: %q", got)
		}
		b.closed.Store(false)
		b.keeper.changed(false)
		time.Sleep(time.Second)
		synctest.Wait()
		b.closed.Store(true)
		if got := b.keeper.Picture().Data[chart.MIMEText]; got != "1" {
			t.Errorf("with a picture before: %q", got)
		}
	})
}

// The last picture costs nothing if nothing has changed since, or if there is
// no time to draw.
func TestSnapshot_Last(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSnapshotBench(t)
		last := func(draw bool, want string) {
			t.Helper()
			if got := b.keeper.Last(draw).Data[chart.MIMEText]; got != want {
				t.Errorf("the last picture is %q, want %q", got, want)
			}
		}
		last(false, "1") // there was none
		last(true, "1")
		b.keeper.changed(true)
		last(false, "1")
		last(true, "2")
		last(true, "2")
		b.keeper.changed(false)
		time.Sleep(time.Second)
		last(true, "3") // as it was sent
	})
}

// A picture in progress, like one that waits for a session that hangs, isn't
// there yet.
func TestSnapshot_LastWhileDrawing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newSnapshotBench(t)
		b.keeper.Picture()
		b.slow.Store(true)
		b.keeper.changed(false)
		time.Sleep(time.Second) // it has begun
		b.slow.Store(false)
		if got := b.keeper.Last(true).Data[chart.MIMEText]; got != "3" {
			t.Errorf("the last picture is %q, want the third", got)
		}
		time.Sleep(time.Minute)
		if got := b.keeper.Last(false).Data[chart.MIMEText]; got != "3" {
			t.Errorf("the slow one took its place: %q", got)
		}
	})
}
