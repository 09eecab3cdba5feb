package views

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
)

// press sends what a button does: its verb and, as JSON, what belongs to it.
func (b *bench) press(verb string, more ...string) {
	b.Helper()
	b.send(`{` + strings.Join(append([]string{`"do":"` + verb + `"`}, more...), ",") + `}`)
	synctest.Wait()
}

// Each button calls its verb.
func TestPanel_ButtonsAreVerbs(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		for _, c := range []struct{ verb, more, call string }{
			{"step", `"n":1`, "step 1"}, {"step", `"n":1000`, "step 1000"}, {"run", `"n":0`, "run waits=false"}, {"pause", `"n":0`, "pause"},
		} {
			b.press(c.verb, c.more)
			b.expect(c.call)
		}
	})
}

// Presses during steps are added up. Pause forgets them.
func TestPanel_PressesAddUp(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		b.held = make(chan bool)
		b.press("step", `"n":1`)
		for range 5 {
			b.press("step", `"n":10`)
		}
		b.press("step", `"n":100`)
		b.held <- true
		synctest.Wait()
		b.press("step", `"n":1000`)
		b.press("pause")
		b.held <- true
		b.expect("step 1, pause, step 150")
		b.shows("facts", "201 of 500")
	})
}

// The panel explains a verb that fails, and the controls show what is in force.
func TestPanel_ShowsFailures(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		b.fails = errs.New(errs.Busy, "pause it first", "session <leukemia> is running")
		for _, press := range []string{"step", "run", "rewind", "fork"} {
			b.press(press, `"n":10`, `"step":15`, `"as":"other"`)
			b.shows("message", "session <leukemia> is running - pause it first")
			b.view.say("")
		}
		b.put(`{"lambda":0.01}`)
		if b.state("lambda") != "1" || b.state("failed") != "true" {
			t.Errorf("λ = %v, which is not in force; failed is %v", b.state("lambda"), b.state("failed"))
		}
	})
}

// The head and the facts show the session's current state, whoever changed it.
func TestPanel_ShowsStatus(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		now := b.status
		now.State, now.Trained, now.Loss, now.StepsPerSecond, now.SecondsLeft = session.Running, true, 1.25, 100, 0.6
		now.Warning, now.ReadOnly, now.RunDirectory, now.Validate, now.TrainScore.Value = "the disk is <full>", true, `/runs/"leukemia"`, 8, 0.75
		b.told(now)
		for entry, texts := range map[string][]string{
			"head": {"running", "the disk is <full>", `"read_only":true`, `"directory":"/runs/\"leukemia\""`,
				`"method":"fsnet: the gradient of the network's loss trains the selectors"`},
			"facts": {"50 of 500", `"0 of 2 settled"`, `"100 steps/s"`, `"1 s left"`},
		} {
			for _, text := range texts {
				b.shows(entry, text)
			}
		}
		now.State = session.Settled
		b.told(now)
		b.settle()
		if facts := b.state("facts"); strings.Contains(facts, "left") {
			t.Errorf("a training that has ended has %s", facts)
		}
		b.tell(session.Update{Progress: session.Progress{Verb: "rewind", Reached: 30, Target: 40, Status: now}})
		b.shows("head", "rewind: repeating step 30 of 40")
		b.expect("")
	})
}

// The smoothing that a person sets is used in the picture, too.
func TestPanel_KeepsSmoothing(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector's build draws ten times as long")
	}
	drive(t, Panel, paused(), func(b *bench) {
		var loss session.Curve
		for e := range 300 {
			loss.Steps, loss.Values = append(loss.Steps, 5*e+5), append(loss.Values, 1+float64(e%2))
		}
		b.curves = map[string]session.Curve{"loss": loss}
		for _, c := range []struct{ set, want string }{
			{"", "smoothed over 5 epochs"}, {"50", "smoothed over 50 epochs"}, {"0", "epoch 2: loss"}, {"-1", "smoothed over 5 epochs"},
		} {
			if c.set != "" {
				b.put(`{"smoothing":` + c.set + `}`)
			}
			if said := fmt.Sprint(b.view.Picture().Metadata); !strings.Contains(said, c.want) {
				t.Errorf("smoothing %s: the picture says %s, not %q", c.set, said, c.want)
			}
		}
	})
}

// The feature of a selector's line is asked for by its name, since a feature
// may be called 12, and shown until it is closed.
func TestPanel_FeatureOfALine(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		selectors := &session.Selectors{
			Looks: []session.Look{{Step: 5, Leaders: []int{11}, Probability: []float64{0.5}}}, Names: map[int]string{11: "12"},
		}
		b.tell(session.Update{
			Progress: session.Progress{Status: b.status},
			History:  &session.Changes{History: session.History{Step: 5, PerEpoch: 5, Selectors: selectors}},
		})
		b.press("feature", `"column":3`)
		b.press("feature", `"column":11`)
		b.expect("feature 3, feature 12")
		b.shows("feature", `"name":"12"`)
		b.press("feature", `"column":-1`)
		b.shows("feature", "null")
	})
}

// An unknown message is rejected in one line. A message that asks for the
// curves gets them.
func TestPanel_UnknownMessages(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		for _, content := range []string{`{"do":"fly"}`, `17`, `{"do":{}}`, `null`, `{"do":"step","n":"x"}`} {
			b.send(content)
			b.shows("message", "asks for something it cannot do")
			b.press("curves")
			b.press("rewind") // to no step
			b.shows("message", "choose an earlier one")
		}
		b.expect("")
	})
}

// The slider alone does nothing. Rewind goes to its step, and then the slider
// is at the current step again. If a page sends a slider's last values after a
// later press, they choose no step that isn't past any more.
func TestPanel_Rewind(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		b.press("rewind", `"step":50`)
		b.shows("message", "choose an earlier one")
		b.put(`{"past":15}`)
		b.expect("")
		b.shows("past", "15")
		b.at(60, session.Paused) // steps that others make begin at the present
		b.shows("past", "-1")
		b.put(`{"past":15}`)
		b.press("rewind", `"step":15`)
		b.shows("message", "rewound to step 15")
		b.expect("rewind 15")
		b.put(`{"past":15}`)
		b.shows("past", "-1")
		b.expect("")
	})
}

// Reset needs two presses within five seconds.
func TestPanel_Reset(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		b.press("reset")
		b.shows("message", "press Reset again")
		b.shows("sure", "true")
		time.Sleep(6 * time.Second)
		b.press("reset")
		b.expect("")
		b.press("reset")
		b.shows("message", "rewound to step 0")
		b.expect("rewind 0")
	})
}

// A fork has a name, a hint that says how to show its panel, and curves from
// where it parts. Its panel ends when another fork's replaces it, or a person
// closes it.
func TestPanel_Fork(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		b.press("fork", `"as":"leukemia-2"`)
		b.shows("message", "forked at step 50: the panel of leukemia-2 opens beside; %fsnet panel leukemia-2")
		b.shows("fork", "leukemia-3")
		first := b.state("beside")
		b.press("fork", `"as":" other ","step":15`)
		b.shows("message", "forked at step 15: the panel of other opens beside; %fsnet panel other ")
		if second := b.state("beside"); first == `""` || second == first {
			t.Errorf("beside the panel is %q, then %q", first, second)
		}
		b.expect("fork leukemia-2 at -1, fork other at 15")
		watched := slices.DeleteFunc(b.forks, func(w string) bool { return strings.HasSuffix(w, " from 0") }) // the panels beside watch from step 0
		if want := []string{"leukemia-2 from 50", "other from 15"}; !slices.Equal(watched, want) {
			t.Errorf("watches %q, want %q", watched, want)
		}
		if want := []string{"leukemia-2 from 0"}; !slices.Equal(b.left, want) || len(b.manager.Comms()) != 2 {
			t.Errorf("of the first fork's panel %q ended, and there are %d models", b.left, len(b.manager.Comms()))
		}
		b.press("apart")
		b.shows("beside", `""`)
		if want := []string{"leukemia-2 from 0", "other from 0"}; !slices.Equal(b.left, want) || len(b.manager.Comms()) != 1 {
			t.Errorf("of the closed panels %q ended, and there are %d models", b.left, len(b.manager.Comms()))
		}
	})
}

// Every live key has a control: what a person does is set, and the value in
// force is shown.
func TestPanel_Knobs(t *testing.T) {
	for _, c := range []struct{ key, put, shown string }{
		{"lambda", "10", "10"}, {"lambda", "0", "0"}, {"learning_rate", "0.00316", "0.00316"}, {"selector_learning_rate", "0.1", "0.1"},
		{"tau0", "1", "1"}, {"tau_end", "0.1", "0.1"}, {"dropout", "0.35", "0.35"}, {"epochs", "50", "50"},
		{"learning_rate", `"auto"`, "auto"}, {"epochs", `"auto"`, "auto"}, {"schedule", `"hold:2"`, "hold:2"}, {"stop", `"patience:7"`, "patience:7"}, {"class_weight", `"balanced"`, "balanced"},
	} {
		drive(t, Panel, paused(), func(b *bench) {
			b.put(fmt.Sprintf(`{"%s":%s}`, c.key, c.put))
			b.shows("message", c.key+" is other")
			b.expect("set " + c.key + "=" + c.shown)
			if got := b.status.Config.Text(c.key); got != c.shown {
				t.Errorf("%s = %s is in force, want %s", c.key, got, c.shown)
			}
		})
	}
	drive(t, Panel, paused(), func(b *bench) {
		for _, key := range config.Keys() {
			if key.Live && b.value(key.Name) == nil {
				t.Errorf("%s has none", key.Name)
			}
		}
		b.put(`{"lambda":"auto"}`) // which has no automatic value
		b.expect("")
	})
}

// If the choice doesn't depend on a key, there is config's reason instead of a
// control, until it takes effect again.
func TestPanel_IdleKeys(t *testing.T) {
	drive(t, Panel, paused(), func(b *bench) {
		why := func(key string) any { return b.value("idle").(map[string]any)[key] }
		if idle := b.value("idle").(map[string]any); len(idle) > 0 {
			t.Errorf("under fsnet every live key acts, not %v", idle)
		}
		b.put(`{"schedule":"hold:2"}`)
		if why("tau0") != "schedule=hold has values of its own" || why("schedule") != nil {
			t.Errorf("of a temperature that is held it says %v", b.value("idle"))
		}
		b.put(`{"schedule":"linear"}`)
		if why("tau0") != nil {
			t.Errorf("tau0 acts again, and it says %v", why("tau0"))
		}
		now := b.status
		var err error
		if now.Config, err = (config.Config{Data: "ALLAML", K: 3, Protocol: config.Stepwise}).Resolve(); err != nil {
			t.Fatal(err)
		}
		b.told(now)
		b.settle()
		for _, key := range config.Keys() {
			idle, _ := now.Config.Idle(key.Name)
			if said, _ := why(key.Name).(string); key.Live && said != idle {
				t.Errorf("under stepwise it says of %s %q", key.Name, said)
			}
		}
		if why("selector_learning_rate") == nil {
			t.Error("under stepwise no gradient reaches the selectors, and their rate has a control")
		}
	})
}

// A value that a key doesn't accept is explained, calls nothing, and the value
// in force is shown again.
func TestPanel_WrongValues(t *testing.T) {
	for _, c := range []struct{ key, put, says, before string }{
		{"schedule", `"quadratic"`, "not a schedule", `"exponential"`},
		{"stop", `"patience:-1"`, "settled · never · patience:N", `"settled"`},
		{"learning_rate", "0", "takes > 0", "0.001"},
		{"dropout", "1.5", `dropout = \"1.5\"`, "0.2"},
		{"lambda", "-1", `lambda = \"-1\"`, "1"},
		{"epochs", "0.5", `epochs = \"0.5\"`, "100"},
		{"lambda", "1e300", "lambda", "1"},
	} {
		drive(t, Panel, paused(), func(b *bench) {
			b.put(fmt.Sprintf(`{"%s":%s}`, c.key, c.put))
			b.shows("message", c.says)
			b.expect("")
			b.shows(c.key, c.before)
		})
	}
}

// Step and Run show the present first.
func TestPanel_StepsFromThePresent(t *testing.T) {
	for _, press := range []string{"step", "run"} {
		drive(t, Panel, paused(), func(b *bench) {
			b.put(`{"past":15}`)
			b.shows("past", "15")
			b.fails = errs.New(errs.Busy, "", "it is busy") // even if nothing comes of it
			b.press(press, `"n":1`)
			b.shows("past", "-1")
		})
	}
}

// A change is undone where it was made; the later ones, and others of its step, are made again at their steps, and the training ends where it
// stood.
func TestPanel_Undo(t *testing.T) {
	change := func(step int, key, from, to string) session.Event {
		return session.Event{Step: step, Kind: "set", Text: key + " " + from + " → " + to, Changes: []config.Change{{Key: key, From: from, To: to}}}
	}
	for _, c := range []struct {
		number int
		want   string
	}{
		{1, "rewind 0, set dropout=0.2, run to 10, set lambda=2, run to 20, set lambda=3, set dropout=0.3, run to 50"},
		{2, "rewind 9, run to 20, set lambda=3, set dropout=0.3, run to 50"},
		{3, "rewind 19, run to 20, set dropout=0.3, run to 50"},
		{4, "rewind 19, run to 20, set lambda=3, run to 50"},
		{0, ""}, {5, ""}, {9, ""}, {-1, ""},
	} {
		drive(t, Panel, paused(), func(b *bench) {
			u := update(b.status)
			u.History.Events = []session.Event{{Kind: "open", Text: "opened"}, change(0, "dropout", "0.2", "0.4"), change(10, "lambda", "1", "2"),
				change(20, "lambda", "2", "3"), change(20, "dropout", "0.4", "0.3"), {Step: 30, Kind: "rewind", Text: "rewound from step 60"}}
			b.tell(u)
			b.asked()
			b.press("without", fmt.Sprintf(`"event":%d`, c.number))
			b.expect(c.want)
			if c.want == "" {
				b.shows("message", "not there any more")
			}
		})
	}
}
