package train

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// portrait is all that can be seen of a training, but for how fast it went.
type portrait struct {
	theta, squares []float32
	status         session.Status
	curves         map[string]session.Curve
	selection      []session.Selected
}

// parametersOf are a training's parameters and RMSprop's state.
func parametersOf(t testing.TB, training *Training) (theta, squares []float32) {
	t.Helper()
	theta, squares, err := training.engine.Parameters()
	check(t, err)
	return theta, squares
}

func portraitOf(t *testing.T, training *Training) portrait {
	t.Helper()
	var p portrait
	p.theta, p.squares = parametersOf(t, training)
	p.status = training.Status()
	p.status.StepsPerSecond, p.status.SecondsLeft, p.status.Seconds = 0, 0, 0
	history := must(training.History(session.HistoryRequest{Points: 100000}))
	p.curves = history.Curves
	p.selection = must(training.Selection())
	return p
}

func (p portrait) equal(t *testing.T, what string, other portrait) {
	t.Helper()
	if !slices.Equal(p.theta, other.theta) || !slices.Equal(p.squares, other.squares) {
		t.Errorf("%s: the parameters differ", what)
	}
	if !reflect.DeepEqual(p.status, other.status) {
		t.Errorf("%s: the status differs:\n%+v\n%+v", what, p.status, other.status)
	}
	if !reflect.DeepEqual(p.curves, other.curves) {
		t.Errorf("%s: the curves differ", what)
	}
	if !reflect.DeepEqual(p.selection, other.selection) {
		t.Errorf("%s: the selection differs:\n%v\n%v", what, p.selection, other.selection)
	}
}

func advance(t testing.TB, training *Training, step int) {
	t.Helper()
	for training.step < step {
		if made, err := training.Advance(context.Background(), step-training.step); err != nil || made == 0 {
			t.Fatalf("%d steps made at step %d: %v", made, training.step, err)
		}
	}
}

// changes are what is set on the way, by step.
func changes() map[int]config.Config {
	return map[int]config.Config{37: {Lambda: new(0.3)}, 38: {Schedule: "hold:0.7"}, 90: {SelectorLearningRate: new(0.03), Dropout: new(0.0)}}
}

// story makes steps up to one and sets what is to be set on the way.
func story(t *testing.T, training *Training, to int) {
	t.Helper()
	for _, step := range []int{37, 38, 90} {
		if step > to {
			break
		}
		advance(t, training, step)
		must(training.Set(changes()[step]))
	}
	advance(t, training, to)
}

// Every step that was made can be had again, exactly: before, at and after
// changes, observations and checkpoints.
func TestRewind_IsExact(t *testing.T) {
	for _, d := range devicetest.All(t) {
		t.Run(d.Name, func(t *testing.T) {
			ctx := context.Background()
			data := planted(40, 90)
			c := config.Config{K: 3, Seed: 6, Epochs: 80, ValidationFraction: new(0.2), Stop: "never"}
			told := open(t, d, data, c)
			story(t, told, 130)
			last := portraitOf(t, told)
			steps := []int{130, 129, 91, 90, 64, 38, 37, 36, 16, 1, 0}
			if testing.Short() && d.Name == "go" { // the race detector's build takes ten times as long to compute in Go
				steps = []int{91, 16}
			}
			for _, step := range steps {
				fresh := open(t, d, data, c)
				story(t, fresh, step)
				fork := must(told.Fork(ctx, step))
				portraitOf(t, fork).equal(t, "fork", portraitOf(t, fresh))
				fork.Close()
			}
			last.equal(t, "the parent after its forks", portraitOf(t, told))

			// Rewound and run on with the same changes it comes to the same end.
			check(t, told.Rewind(ctx, 20))
			if events := told.events; len(events) != 2 || events[1].Kind != "rewind" || events[1].Step != 20 ||
				!strings.Contains(events[1].Text, "from step 130") {
				t.Errorf("%+v", events)
			}
			story(t, told, 130)
			last.equal(t, "rewound and run on", portraitOf(t, told))
		})
	}
}

// What a training knows of its target is kept: a quantity stays one, and the
// embedding's dimensions keep their names.
func TestRewind_KeepsTarget(t *testing.T) {
	ctx := context.Background()
	devices := devicetest.All(t)
	on := devices[len(devices)-1] // the one that compiles at once
	quantity, _ := quantities(t, 70, 60)
	for name, told := range map[string]*Training{
		"classes": open(t, on, planted(40, 90), config.Config{K: 3, Epochs: 40, Stop: "never"}),
		"a quantity": open(t, on, quantity, config.Config{Task: config.Regression, K: 3, Epochs: 40,
			ValidationFraction: new(0.2), Stop: "never"}),
	} {
		t.Run(name, func(t *testing.T) {
			advance(t, told, 30)
			want := portraitOf(t, told)
			test := must(told.Evaluate(session.Test))
			feature := must(told.Feature("0"))
			advance(t, told, 50)
			check(t, told.Rewind(ctx, 30))
			want.status.TestLooks = 1
			portraitOf(t, told).equal(t, "rewound", want)
			again, err := told.Evaluate(session.Test)
			if test.TestLooks++; err != nil || !reflect.DeepEqual(again, test) {
				t.Errorf("rewound: %+v, %v, not %+v", again, err, test)
			}
			f, err := told.Feature("0")
			if err != nil || !slices.Equal(f.EmbeddingLabels, feature.EmbeddingLabels) || len(f.EmbeddingLabels) != len(f.Embedding) {
				t.Errorf("rewound: %d dimensions are called %q, %v", len(f.Embedding), f.EmbeddingLabels, err)
			}
		})
	}
}

// However long a training, the checkpoints stay few, the first is step 0, and
// none is far from the next.
func TestCheckpoints_StayFew(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(40, 90), config.Config{K: 2, Epochs: 2000, Hidden: []int{4}, Stop: "never"})
	run(t, training)
	list := training.checkpoints.list
	if len(list) > engine.MaxCheckpoints || len(list) < engine.MaxCheckpoints/4 || list[0].step != 0 {
		t.Errorf("%d checkpoints, the first at step %d", len(list), list[0].step)
	}
	for i := 1; i < len(list); i++ {
		if gap := list[i].step - list[i-1].step; gap <= 0 || gap > training.step/8 {
			t.Errorf("%d steps between the checkpoints %d and %d", gap, i-1, i)
		}
	}
}

// In an older program a rule was a key and could change during the training.
// Such a run is rewound exactly.
func TestRewind_RulesOfOlderPrograms(t *testing.T) {
	ctx := context.Background()
	devices := devicetest.All(t)
	on := devices[len(devices)-1] // the one that compiles at once
	training := open(t, on, planted(40, 90), config.Config{K: 3, Epochs: 40, Stop: "never"})
	advance(t, training, 10)
	training.settings.TauEvery = config.TauEpoch
	training.addEvent("set", "tau_every step → epoch", []config.Change{{Key: "tau_every", From: "step", To: "epoch"}})
	advance(t, training, 30)
	want := portraitOf(t, training)
	advance(t, training, 50)
	check(t, training.Rewind(ctx, 30))
	training.events = training.events[:len(training.events)-1] // the rewind
	portraitOf(t, training).equal(t, "rewound", want)
}
