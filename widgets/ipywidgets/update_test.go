package ipywidgets_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/widgets/ipywidgets"
)

// A value that changes a hundred times a second is sent ten times a second, and
// its last state always.
func TestUpdate_Throttles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		label := b.number(0)
		b.channel.take()
		began := time.Now()
		for i := range 300 {
			set(label, i+1)
			time.Sleep(10 * time.Millisecond)
		}
		during := len(b.channel.take())
		seconds := time.Since(began).Seconds()
		if most := int(10*seconds) + 3; during > most || during < int(9*seconds) {
			t.Errorf("%d updates in %.1f s", during, seconds)
		}
		set(label, 777)
		time.Sleep(time.Second)
		sent := b.channel.take()
		if len(sent) == 0 || read(t, sent[len(sent)-1]).State["value"] != 777.0 {
			t.Errorf("the last value was not sent: %v", sent)
		}
		if len(sent) > 2 {
			t.Errorf("%d updates for one value", len(sent))
		}
	})
}

// A single change is sent at once, and a value that stays the same isn't sent.
func TestUpdate_SingleAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		text := b.number(0)
		b.channel.take()
		for _, s := range []string{"a", "b", "b", "c"} {
			set(text, s)
		}
		if sent := b.channel.take(); len(sent) != 3 {
			t.Errorf("%d updates at once, want 3", len(sent))
		}
	})
}

// A person who changes a value after the program has the last word, even if the
// program's change was still waiting.
func TestUpdate_PersonHasLastWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		s := b.number(0)
		for i := range 10 {
			set(s, i+1) // the first are sent at once, the others wait
		}
		b.channel.take()
		b.tell(s, update("value", 5))
		time.Sleep(time.Second)
		for _, m := range b.channel.take() {
			if v, ok := read(t, m).State["value"]; ok && v != 5.0 {
				t.Errorf("%s %v after the person's 5", read(t, m).Method, v)
			}
		}
		if s.Get("value") != 5.0 {
			t.Errorf("value %v", s.Get("value"))
		}
	})
}

// A program's mistake changes nothing and is reported.
func TestSet_Rejects(t *testing.T) {
	for _, values := range []map[string]any{{"value": 3, "colour": "red"}, {"value": 3, "max": math.NaN()}} {
		b := newBench()
		s := b.number(0)
		s.Set(values)
		if lines := b.reports(); s.Get("value") != 0.0 || len(lines) != 1 {
			t.Errorf("value %v, reported %q", s.Get("value"), lines)
		}
	}
}

// drawing is a picture, drawn anew each time.
type drawing func() ipywidgets.Bundle

func (d drawing) Picture() ipywidgets.Bundle  { return d() }
func (d drawing) Last(bool) ipywidgets.Bundle { return d() }

// Close gives each widget that was shown once. It also tells each module, for
// pages that didn't run the cell and so don't know its display, and sends
// nothing afterwards.
func TestClose_GivesLastPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench()
		s := b.number(0)
		draw := drawing(func() ipywidgets.Bundle {
			return ipywidgets.Bundle{Data: map[string]any{"text/plain": fmt.Sprint("at ", s.Get("value"))}}
		})
		view := b.View(s, draw)
		again := b.View(s, draw)
		b.View(b.number(0), nil)
		model, _ := view.Data[ipywidgets.MIMEView].(map[string]any)
		if model["model_id"] != s.ID() || view.Data["text/plain"] != "at 0" {
			t.Errorf("view %v", view.Data)
		}
		for i := range 5 {
			set(s, i+1)
		}
		b.channel.take()
		last := b.Close()
		if sent := b.channel.take(); len(sent) != 2 || sent[0].Comm != s.ID() ||
			!reflect.DeepEqual(read(t, sent[0]), body{Method: "custom", Content: map[string]any{"ended": true}}) {
			t.Errorf("the modules were told %v", sent)
		}
		if len(last) != 1 || last[0].Widget != view.Widget || !slices.Equal(last[0].Displays, []string{view.DisplayID, again.DisplayID}) {
			t.Fatalf("shown were %v", last)
		}
		if picture := last[0].Last(true); picture.Data["text/plain"] != "at 5" || picture.Data[ipywidgets.MIMEView] != nil {
			t.Errorf("the last picture is %v", picture)
		}
		time.Sleep(time.Second)
		set(s, 9)
		b.number(0)
		if sent := b.channel.take(); len(sent) > 0 {
			t.Errorf("%d messages after the end", len(sent))
		}
		if len(b.Close()) > 0 {
			t.Error("pictures twice")
		}
	})
}

// However often a widget is shown, it is one widget, and the last of its
// displays are remembered.
func TestWidget_ShownRepeatedly(t *testing.T) {
	b := newBench()
	s := b.number(0)
	draw := drawing(func() ipywidgets.Bundle { return ipywidgets.Bundle{} })
	var view ipywidgets.View
	for range 1000 {
		view = b.View(s, draw)
	}
	last := b.Close()
	if len(last) != 1 || len(last[0].Displays) > 100 {
		t.Fatalf("%d widgets, the first with %d displays", len(last), len(last[0].Displays))
	}
	if ids := last[0].Displays; ids[len(ids)-1] != view.DisplayID {
		t.Error("the last display is not the last")
	}
}
