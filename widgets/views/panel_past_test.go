package views

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

// at lets the watch tell that the session stands at a step.
func (b *panelBench) at(step int, state session.State) {
	b.Helper()
	synctest.Wait()
	b.mu.Lock()
	b.status.Step, b.status.State = step, state
	now := b.status
	b.mu.Unlock()
	b.tell(session.Update{Progress: session.Progress{Status: now}})
	b.settle()
}

// The slider alone does nothing; Rewind takes it, and it stands at the present step again.
func TestPanelRewind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		b.at(40, session.Paused)
		b.press("rewind", `"step":40`)
		b.shows("choose an earlier one")
		b.put("past", "15")
		b.at(50, session.Paused) // steps that others make do not move what was chosen
		if asked, past := b.asked(), b.value("past"); asked != "" || past != 15.0 {
			t.Errorf("a moved slider asks %q and stands at %v", asked, past)
		}
		b.press("rewind", `"step":15`)
		b.shows("rewound to step 15")
		if asked, past := b.asked(), b.value("past"); asked != "rewind 15" || past != -1.0 {
			t.Errorf("asked %q, the slider stands at %v", asked, past)
		}
	})
}

// A page sends the last values of a slider after a press that followed them: they choose nothing that is not past any more.
func TestPanelLateValuesOfTheSlider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		b.at(40, session.Paused)
		b.put("past", "30")
		b.press("rewind", `"step":15`)
		b.shows("rewound to step 15")
		b.put("past", "15")
		b.settle()
		if asked, past := b.asked(), b.value("past"); asked != "rewind 15" || past != -1.0 {
			t.Errorf("asked %q, the slider stands at %v", asked, past)
		}
	})
}

// What the session answers during a run is shown as it is.
func TestPanelRewindDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		b.at(40, session.Running)
		b.fails = fault.New(fault.Busy, "pause it first", "running since 3 s")
		b.press("rewind", `"step":15`)
		b.shows("running since 3 s - pause it first")
		b.press("reset")
		synctest.Wait()
		b.press("reset")
		b.shows("running since 3 s - pause it first")
	})
}

// Reset is pressed twice within five seconds.
func TestPanelReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		b.at(40, session.Paused)
		b.press("reset")
		b.shows("press Reset again")
		if b.value("sure") != true {
			t.Error("the button does not warn")
		}
		time.Sleep(6 * time.Second)
		b.press("reset")
		synctest.Wait()
		if asked := b.asked(); asked != "" {
			t.Errorf("a slow second press asks %q", asked)
		}
		b.press("reset")
		b.shows("rewound to step 0")
		if asked := b.asked(); asked != "rewind 0" {
			t.Errorf("asked %q", asked)
		}
	})
}

// A fork is named, says how its panel is shown, and its curves are drawn from where it parts.
func TestPanelFork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newPanelBench(t)
		b.at(40, session.Paused)
		b.press("fork", `"as":"leukemia-2"`)
		b.shows("forked at step 40: the panel of leukemia-2 opens beside; %fsnet panel leukemia-2")
		first := b.value("beside")
		if name := b.value("fork"); name != "leukemia-3" {
			t.Errorf("the next fork is called %v", name)
		}
		b.press("fork", `"as":"leukemia-3","step":15`)
		b.shows("forked at step 15: the panel of leukemia-3 opens beside")
		if second := b.value("beside"); first == "" || second == first {
			t.Errorf("beside the panel is %q, then %q", first, second)
		}
		b.press("fork", `"as":" other ","step":15`)
		b.shows("%fsnet panel other ")
		if asked := b.asked(); asked != "fork leukemia-2 at -1, fork leukemia-3 at 15, fork other at 15" {
			t.Errorf("asked %q", asked)
		}
		watched := slices.DeleteFunc(b.branches, func(w string) bool { return strings.HasSuffix(w, " from 0") }) // the panels beside watch all
		if want := []string{"leukemia-2 from 40", "leukemia-3 from 15", "other from 15"}; !slices.Equal(watched, want) {
			t.Errorf("watches %q, want %q", watched, want)
		}
		b.fails = fault.New(fault.Request, "choose another name", "a session is open already")
		b.press("fork", `"as":"other"`)
		b.shows("a session is open already")
	})
}

// Forks that others made are found by the past that they share; sessions that only look alike are not.
func TestPanelBranchesAreFound(t *testing.T) {
	opened, changed := session.Event{Kind: "open", Text: "opened"}, session.Event{Step: 10, Kind: "set", Text: "lambda 1 → 2"}
	forked := session.Event{Step: 20, Kind: "fork", Text: "forked at step 20"}
	for _, c := range []struct {
		what         string
		mine, theirs []session.Event
		found        []string
	}{
		{"a fork", []session.Event{opened, changed}, []session.Event{opened, changed, forked}, []string{"other from 20"}},
		{"what it was forked from", []session.Event{opened, forked, changed}, []session.Event{opened}, []string{"other from 20"}},
		{"a twin", []session.Event{opened, changed}, []session.Event{opened, changed}, nil},
		{"another's fork", []session.Event{opened}, []session.Event{opened, changed, forked}, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newPanelBench(t)
			b.events = map[string][]session.Event{"leukemia": c.mine, "other": c.theirs}
			other := b.status
			other.Session = "other"
			b.others = []session.Status{other}
			b.at(30, session.Paused)
			if !slices.Equal(b.branches, c.found) {
				t.Errorf("%s: found %q, want %q", c.what, b.branches, c.found)
			}
		})
	}
}
