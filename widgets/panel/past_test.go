package panel_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/session"
)

const pastTip = "A step of the past, for Rewind and Fork; nothing happens until one of them is pressed"

// at lets the watch tell that the session stands at a step.
func (b *bench) at(step int, state session.State) {
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
func TestRewind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.at(40, session.Paused)
		if at := b.value(pastTip); at != 40.0 {
			t.Errorf("the slider stands at %v", at)
		}
		b.press("Rewind")
		b.shows("choose an earlier one")
		b.put(pastTip, "15")
		b.at(50, session.Paused) // steps that others make do not move what was chosen
		if asked := b.asked(); asked != "" {
			t.Errorf("a moved slider asks %q", asked)
		}
		b.press("Rewind")
		b.shows("rewound to step 15")
		if asked, at := b.asked(), b.value(pastTip); asked != "rewind 15" || at != 15.0 {
			t.Errorf("asked %q, the slider stands at %v", asked, at)
		}
		b.at(20, session.Paused)
		if at := b.value(pastTip); at != 20.0 {
			t.Errorf("the slider stands at %v after 5 more steps", at)
		}
	})
}

// A page sends the last values of a slider after a press that followed them: what is taken is what the slider shows.
func TestLateValuesOfTheSlider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.at(40, session.Paused)
		b.put(pastTip, "30")
		b.press("Rewind")
		synctest.Wait()
		time.Sleep(200 * time.Millisecond)
		b.put(pastTip, "15")
		b.shows("rewound to step 15")
		if asked := b.asked(); asked != "rewind 15" {
			t.Errorf("asked %q", asked)
		}
	})
}

// What the session answers during a run is shown as it is.
func TestRewindDuringARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.at(40, session.Running)
		b.at(41, session.Running) // the slider follows once a second
		b.fails = fault.New(fault.Busy, "pause it first", "running since 3 s")
		b.put(pastTip, "15")
		b.press("Rewind")
		b.shows("running since 3 s - pause it first")
		b.press("Reset")
		synctest.Wait()
		b.press("Reset")
		b.shows("running since 3 s - pause it first")
	})
}

// Reset is pressed twice within five seconds.
func TestReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.at(40, session.Paused)
		b.press("Reset")
		b.shows("press Reset again")
		time.Sleep(6 * time.Second)
		b.press("Reset")
		synctest.Wait()
		if asked := b.asked(); asked != "" {
			t.Errorf("a slow second press asks %q", asked)
		}
		b.press("Reset")
		b.shows("rewound to step 0")
		if asked := b.asked(); asked != "rewind 0" {
			t.Errorf("asked %q", asked)
		}
	})
}

// A fork is named, says how its panel is shown, and its curves are drawn from where it parts.
func TestFork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.at(40, session.Paused)
		b.press("Fork")
		b.shows("forked at step 40: %fsnet panel leukemia-2 shows the panel of leukemia-2")
		b.put(pastTip, "15")
		b.settle()
		b.press("Fork")
		b.shows("forked at step 15: %fsnet panel leukemia-3")
		b.put("The name of the fork", `" other "`)
		b.settle()
		b.press("Fork")
		b.shows("%fsnet panel other ")
		if asked := b.asked(); asked != "fork leukemia-2 at -1, fork leukemia-3 at 15, fork other at 15" {
			t.Errorf("asked %q", asked)
		}
		if want := []string{"leukemia-2 from 40", "leukemia-3 from 15", "other from 15"}; !slices.Equal(b.branches, want) {
			t.Errorf("watches %q, want %q", b.branches, want)
		}
		b.fails = fault.New(fault.Request, "take another name", "a session is open already")
		b.press("Fork")
		b.shows("a session is open already")
	})
}

// Forks that others made are found by the past that they share; sessions that only look alike are not.
func TestBranchesAreFound(t *testing.T) {
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
			b := newBench(t)
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
