package views

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/widgets/chart/words"
	"fsnetlab/widgets/ipywidgets"
)

// All views of a session in a notebook show the past step that one of them is
// set to, and the present again when it is set back or the session goes behind
// it. Views of other sessions don't change.
func TestPastStep_SharedByViews(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		matrix, table := Matrix(b.Context(), b.manager, b.service, b.status), Table(b.Context(), b.manager, b.service, b.status)
		anneal := Annealing(b.Context(), b.manager, b.service, b.status)
		other := b.status
		other.Session = "other"
		stranger := Panel(b.Context(), b.manager, b.service, other)
		b.put(`{"past":15}`)
		late := Matrix(b.Context(), b.manager, b.service, b.status) // one that is opened meanwhile shows it, too
		settle()
		for _, v := range []*View{matrix, late} {
			if at := v.Get("at"); at != 15 {
				t.Errorf("a matrix shows step %v", at)
			}
		}
		if when, _ := table.Get("when").(map[string]any); when["step"] != 15 {
			t.Errorf("the table shows %v", when)
		}
		if at := anneal.Get("at"); at != 15 {
			t.Errorf("the inspector shows step %v", at)
		}
		b.shows("facts", `"15 of 500"`)
		if stranger.Get("past") != now {
			t.Errorf("the panel of another session shows step %v", stranger.Get("past"))
		}
		b.manager.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: matrix.ID(), Data: []byte(`{"method":"update","state":{"at":-1},"buffer_paths":[]}`)})
		b.shows("past", "-1")
		b.shows("facts", `"50 of 500"`)
		b.put(`{"past":40}`)
		rewound := b.now()
		rewound.Step = 30
		rewound.Moves++
		b.told(rewound)
		b.shows("past", "-1")
		settle()
		if at := late.Get("at"); at != now {
			t.Errorf("after a rewind behind it a matrix shows step %v", at)
		}
	})
}

// A position stops at the looks at P, whichever view it is chosen in, so that lanes, facts, matrix, table and inspector are of one step and
// one τ: of the settings that were in force then.
func TestPosition_Snaps(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		matrix, anneal := Matrix(b.Context(), b.manager, b.service, b.status), Annealing(b.Context(), b.manager, b.service, b.status)
		u := update(b.status)
		u.Status.Trained = true
		u.History.Events = []session.Event{{Step: 30, Kind: "set", Changes: []config.Change{{Key: "tau0", From: "5", To: "10"}}}}
		u.History.Selectors = &session.Selectors{Settled: []int{10, 40}}
		for _, step := range []int{1, 10, 40} {
			u.History.Selectors.Looks = append(u.History.Selectors.Looks, session.Look{Step: step, Leaders: []int{1, 2}, Probability: []float64{1, 1}})
		}
		b.tell(u)
		b.put(`{"past":39}`)
		for at, v := range map[string]*View{"past": b.view, "at": matrix} {
			if got := v.Get(at); got != 10 {
				t.Errorf("%s is %v, want the look at step 10", at, got)
			}
		}
		settle()
		course, err := func() config.Settings { c := b.status.Config; c.Tau0 = 5; return c }().Course()
		if err != nil {
			t.Fatal(err)
		}
		b.shows("facts", `"10 of 500"`)
		b.shows("facts", `["tau","τ","`+words.Number(course.Tau(2))+`",`)
		b.shows("facts", `"1 of 2 settled"`)
		if then, _ := anneal.Get("then").(map[string]any); then["step"] != 10 {
			t.Errorf("the inspector shows %v", then)
		}
		b.manager.Receive(ipywidgets.Message{Kind: ipywidgets.Tell, Comm: matrix.ID(), Data: []byte(`{"method":"update","state":{"at":45},"buffer_paths":[]}`)})
		b.shows("past", "40")
		if matrix.Get("at") != 40 {
			t.Errorf("the matrix that was put to step 45 shows %v", matrix.Get("at"))
		}
		b.at(60, session.Paused) // somebody has made steps
		b.shows("past", "-1")
		asked := strings.Split(b.asked(), ", ") // once by each view
		slices.Sort(asked)
		if want := "matrix  top=200 at 10, matrix  top=200 at 40, matrix probability top=40 at 10, matrix probability top=40 at 40"; strings.Join(asked, ", ") != want {
			t.Errorf("asked %q", asked)
		}
	})
}

// Somebody looks at the past while a session runs at full speed: views that hear of the run later than others, and of fewer of its steps, and
// the answer to Run, leave the position alone. The next move shows the present, whoever makes it.
func TestPosition_OfARun(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		table := Table(b.Context(), b.manager, b.service, b.status)
		running := b.now()
		running.State, running.Step, running.Moves = session.Running, 400, 1
		b.told(running)
		b.put(`{"past":300}`)
		late := running
		late.Step = 60 // as a view has it that waits for its turn
		for range 2 {
			table.note(update(late))
			b.shows("past", "300")
		}
		b.view.setStatus(late)
		b.shows("past", "300")
		running.Step = 450
		b.told(running)
		b.shows("past", "300")
		done := running
		done.State, done.Moves = session.Paused, 2 // a step that somebody made
		table.note(update(done))
		b.shows("past", "-1")

		// Another session of the name counts from 0.
		b.put(`{"past":300}`)
		closed := done
		closed.State = session.Closed
		b.told(closed)
		opened := paused()
		opened.Moves = 0
		b.told(opened)
		b.shows("past", "-1")
	})
}

// Of several steps requested while another one is shown, only the last is
// shown.
func TestPastStep_ShowsOnlyTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var past pastStep
		var seen []int
		proceed := make(chan bool)
		show := func(step int) {
			seen = append(seen, step)
			<-proceed
		}
		go past.goTo(1, show)
		synctest.Wait()
		for step := 2; step < 9; step++ {
			past.goTo(step, show)
		}
		proceed <- true
		proceed <- true
		synctest.Wait()
		if len(seen) != 2 || seen[1] != 8 || past.busy {
			t.Errorf("went to %v", seen)
		}
	})
	var past pastStep // a panic of a view ends nothing but itself
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing panicked")
			}
		}()
		past.goTo(1, func(int) { panic("an odd matrix") })
	}()
	shown := 0
	past.goTo(2, func(step int) { shown = step })
	if shown != 2 {
		t.Errorf("after a panic it shows step %d", shown)
	}
}

// If the process of a training dies, its panel says so and doesn't claim to
// run. Once the session is open again, no error remains.
func TestPanel_HostDies(t *testing.T) {
	now := paused()
	now.State, now.StepsPerSecond, now.SecondsLeft = session.Running, 100, 3000
	drive(t, Panel, now, func(b *bench) {
		b.told(now)
		b.shows("facts", `"50 min 0 s left"`)
		b.end <- errs.New(errs.Unavailable, "open it again", "the training process ended")
		b.shows("message", "the training process ended - open it again")
		b.shows("head", `"state":"closed"`)
		b.shows("head", "its process has ended")
		if facts := b.state("facts"); strings.Contains(facts, "left") {
			t.Errorf("it claims of a run %s", facts)
		}
		b.view.Follow()
		b.at(60, session.Paused)
		b.shows("message", `""`)
		b.shows("head", `"state":"paused"`)
		b.view.fail(errs.New(errs.Busy, "", "an old error"))
		b.end <- nil
		b.settle()
		b.view.Follow()
		b.at(70, session.Paused)
		b.shows("message", `""`)
	})
}

// What the inspector knows of rivals is a sentence.
func TestRivals_Sentence(t *testing.T) {
	list := func(leaders ...string) (selected []session.Selected) {
		first := map[string]int{}
		for k, leader := range leaders {
			s := session.Selected{Selector: k, Name: leader, Leader: session.Entry{Name: leader, Probability: 0.5}}
			if winner, taken := first[leader]; taken {
				s.LostTo, s.Name = &winner, "X"+leader
			} else {
				first[leader] = k
			}
			selected = append(selected, s)
		}
		return selected
	}
	for want, leaders := range map[string][]string{
		"": {"A", "B"},
		"selectors 0 and 2 both want A; 2 is likely to get XA":                                                       {"A", "B", "A"},
		"selectors 0, 1 and 2 all want A; 1 is likely to get XA; 2 is likely to get XA":                              {"A", "A", "A"},
		"selectors 0 and 1 both want A; 1 is likely to get XA. selectors 2 and 3 both want B; 3 is likely to get XB": {"A", "A", "B", "B"},
	} {
		if got := rivals(list(leaders...), true); got != want {
			t.Errorf("%v: %q, want %q", leaders, got, want)
		}
		if got, want := rivals(list(leaders...), false), strings.ReplaceAll(want, "is likely to get", "gets"); got != want {
			t.Errorf("%v after the training: %q, want %q", leaders, got, want)
		}
	}
}
