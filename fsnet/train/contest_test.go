package train

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// middling is data in which gene "M" lies in the middle for one class and
// outside for the other, with equal means. The gradient often settles on noise,
// and the contest then finds it.
func middling(rows, d int) *dataset.Dataset {
	r := num.RNG(3, "middling")
	var x []float32
	var names, labels []string
	for i := range rows {
		class := i % 2
		labels = append(labels, fmt.Sprint("class ", class))
		for j := range d {
			v := r.NormFloat64()
			if j == d/2 {
				v = 0.2*v + 2*float64(class)*float64(2*r.IntN(2)-1)
			}
			x = append(x, float32(v))
		}
	}
	for j := range d {
		names = append(names, fmt.Sprintf("g%03d", j))
	}
	names[d/2] = "M"
	return must(dataset.New("middling", x, names, labels))
}

// contestConfig makes a training of middling(60, 200) whose contest exchanges a
// feature before the annealing ends.
func contestConfig() config.Config {
	return config.Config{K: 3, Seed: 2, Epochs: 100, ValidationFraction: new(0.2)}
}

// agree checks that everything that names a choice names the same one, and
// returns its names by selector.
func agree(t *testing.T, what string, training *Training) []string {
	t.Helper()
	a := training.engine.Layout
	p := must(training.engine.Probability(training.lookAt(training.step)))
	list := make([]string, a.K)
	for k, j := range method.UniqueArgmax(p, a.K, a.D) {
		_, list[k] = training.feature(j)
	}
	m := must(training.Matrix(session.MatrixRequest{}))
	for row, s := range must(training.Selection()) {
		if s.Name != list[s.Selector] || m.Names[m.Selected[row]] != s.Name {
			t.Errorf("%s, step %d: selector %d has %s, by P %s, in the matrix %s", what, training.step, s.Selector, s.Name, list[s.Selector], m.Names[m.Selected[row]])
		}
		if s.ChosenBy == session.ByContest && (s.Probability != 1 || s.Leader.Name != s.Name || s.Replaced == nil || s.Replaced.Name == s.Name) {
			t.Errorf("%s, step %d: chosen in the contest: %+v", what, training.step, s)
		}
	}
	if last := training.record.lastLook(); last != nil && last.Step == training.step {
		for k, j := range last.leaders {
			if _, name := training.feature(j); name != list[k] {
				t.Errorf("%s: the look at step %d saw %s, not %s", what, last.Step, name, list[k])
			}
		}
	}
	status := training.Status()
	if all := status.SettledRows == a.K; all == strings.Contains(status.Reason, "after the contest") && status.State == session.Settled || !all && status.Reason == "every selector is settled" {
		t.Errorf("%s, step %d: %d of %d are settled, and the reason is %q", what, training.step, status.SettledRows, a.K, status.Reason)
	}
	return list
}

func kinds(training *Training) (list []string) {
	for _, e := range training.events {
		list = append(list, e.Kind)
	}
	return list
}

// A contest is of the training's path: at one step, whatever button got there.
// Steps after it keep it, a rewind before it undoes it, a fork and a file have
// it. The choice is the unique argmax of P throughout.
func TestTraining_ContestIsOfThePath(t *testing.T) {
	d, data := devicetest.All(t)[0], middling(60, 200)
	whole := open(t, d, data, contestConfig())
	run(t, whole)
	at, after := whole.step, agree(t, "run", whole)
	onwards := min(at+40, whole.Steps())
	contest := whole.Status().Contest
	if at == whole.Steps() || contest == nil || contest.Step != at || len(contest.Exchanges) == 0 || contest.Exchanges[0].To.Name != "M" ||
		contest.Exchanges[0].By != session.ByContest || !(contest.Exchanges[0].Share > 0.3) || !(contest.Exchanges[0].ErrorChange < -0.02) {
		t.Fatalf("the run ended at step %d of %d with %+v", at, whole.Steps(), contest)
	}
	if got := kinds(whole); !slices.Equal(got, []string{"open", "stop", "contest", "final"}) || !strings.Contains(whole.events[2].Text, "M takes selector") {
		t.Errorf("its events are %v: %s", got, whole.events[2])
	}
	if s := whole.Status(); s.SettledRows != 3 || s.State != session.Settled {
		t.Errorf("it is %s, with %d selectors settled", s.State, s.SettledRows)
	}

	singly := open(t, d, data, contestConfig())
	advance(t, singly, at-1)
	before := agree(t, "before", singly)
	if s := singly.Status(); slices.Equal(before, after) || s.Contest != nil || s.Final != nil {
		t.Errorf("before the contest %v are chosen, after it %v; %+v", before, after, s.Contest)
	}
	must(singly.Step(t.Context(), 1))
	check(t, whole.scoreFinal()) // as a session does
	portraitOf(t, singly).equal(t, "singly", portraitOf(t, whole))

	must(singly.Step(t.Context(), 1))
	if got := agree(t, "after", singly); !slices.Equal(got, after) || !strings.Contains(singly.Status().Reason, fmt.Sprint("belong to step ", at)) {
		t.Errorf("a step later %v are chosen, not %v: %s", got, after, singly.Status().Reason)
	}
	advance(t, singly, onwards)
	later := agree(t, "later", singly)
	if got := kinds(singly); slices.Index(got, "contest") != slices.Index(got, "final")-1 || singly.Status().Contest.Step != at {
		t.Errorf("stepping on, its events are %v", got)
	}

	plain := open(t, d, data, contestConfig())
	advance(t, plain, onwards)
	onward := portraitOf(t, plain)
	for _, step := range []int{onwards, at + 1, at, at - 1, 0} {
		fork := must(plain.Fork(t.Context(), step))
		names := agree(t, "fork", fork)
		if fork.Status().Contest != nil != (step >= at) || step == at && !slices.Equal(names, after) || step == at-1 && !slices.Equal(names, before) {
			t.Errorf("forked at step %d %v are chosen; %+v", step, names, fork.Status().Contest)
		}
		check(t, fork.Rewind(t.Context(), step))
		advance(t, fork, onwards)
		portraitOf(t, fork).equal(t, fmt.Sprint("forked at step ", step), onward)
		fork.Close()
	}

	for _, step := range []int{at, onwards} {
		told := must(plain.Fork(t.Context(), step))
		resumed := must(Resume(t.Context(), d, data, written(t, told)))
		portraitOf(t, resumed).equal(t, "resumed", portraitOf(t, told))
		same := func(a, b nn.Perceptron) bool {
			return slices.EqualFunc(a.Layers, b.Layers, func(a, b nn.Layer) bool {
				return slices.Equal(a.Weights, b.Weights) && slices.Equal(a.Biases, b.Biases)
			})
		}
		if !slices.EqualFunc(must(resumed.ending.networks()), must(told.ending.networks()), same) {
			t.Error("the file has other final networks")
		}
		advance(t, resumed, onwards)
		portraitOf(t, resumed).equal(t, "resumed and stepped on", onward)
		check(t, resumed.Rewind(t.Context(), at-1))
		if got := agree(t, "resumed and rewound", resumed); !slices.Equal(got, before) {
			t.Errorf("before its contest a resumed training chooses %v, not %v", got, before)
		}
		told.Close()
		resumed.Close()
	}
	if e := must(singly.Evaluate(session.Test)); e.Final == nil || e.Final.Step != at || e.Final.OtherChoice == slices.Equal(later, after) {
		t.Errorf("at step %d %v are chosen; %+v", e.Step, later, e.Final)
	}
	if f := singly.Status().Final; f.Test == nil || *f.Test != must(singly.Evaluate(session.Test)).Final.Score {
		t.Errorf("once the test rows were evaluated their score is %+v", f.Test)
	}
}

// The contest may follow a change of epochs, which ends the annealing at the
// present step. The final networks are those of that step, whatever is set
// later.
func TestTraining_ContestFollowsSet(t *testing.T) {
	d, data := devicetest.All(t)[0], middling(60, 200)
	c := contestConfig()
	c.Stop = "never"
	training := open(t, d, data, c)
	advance(t, training, 270)
	before := len(training.record.looks)
	must(training.Set(config.Config{Epochs: 90}))
	if s := training.Status(); s.Contest == nil || s.Contest.Step != 270 || s.Final.Train == nil {
		t.Fatalf("%s: %+v, %+v", s.State, s.Contest, s.Final)
	}
	names := agree(t, "set", training)
	if got := kinds(training); !slices.Equal(got[len(got)-1-len(training.Status().Contest.Exchanges):][:1], []string{"contest"}) || got[1] != "set" {
		t.Errorf("its events are %v", got)
	}
	if len(training.record.looks) != before {
		t.Errorf("%d looks became %d", before, len(training.record.looks))
	}
	there := portraitOf(t, training)
	networks := must(training.Fitted()).Networks
	must(training.Set(config.Config{Epochs: 110, Dropout: new(0.5)}))
	if again := must(training.Fitted()).Networks; !slices.Equal(networks[0].Layers[0].Weights, again[0].Layers[0].Weights) {
		t.Error("another dropout changes the final networks")
	}
	advance(t, training, 280)
	check(t, training.Rewind(t.Context(), 270)) // with every change that was made there
	if got := agree(t, "rewound", training); !slices.Equal(got, names) || training.settings.Epochs != 110 {
		t.Errorf("rewound, %v are chosen, not %v", got, names)
	}
	check(t, training.Rewind(t.Context(), 269))
	if s := training.Status(); s.Contest != nil || s.Config.Epochs != 100 {
		t.Errorf("rewound before it: %+v", s.Contest)
	}
	advance(t, training, 270)
	must(training.Set(config.Config{Epochs: 90}))
	again := portraitOf(t, training)
	again.equal(t, "once more", there)
}

// A file from before there was an ending gets it where it stands, if the
// training had ended there.
func TestResume_WithoutEnding(t *testing.T) {
	d, data := devicetest.All(t)[0], middling(60, 200)
	training := open(t, d, data, contestConfig())
	run(t, training)
	after := agree(t, "run", training)
	c := written(t, training)
	c.ending, c.scores, c.older, c.Events = nil, finalScores{}, true, c.Events[:2]
	c.record.hold(0, nil)
	resumed := must(Resume(t.Context(), d, data, c))
	defer resumed.Close()
	if got := agree(t, "resumed", resumed); !slices.Equal(got, after) || resumed.Status().Final == nil {
		t.Errorf("%v are chosen, not %v", got, after)
	}
	check(t, resumed.Rewind(t.Context(), resumed.step-1))
	if resumed.Status().Contest != nil {
		t.Error("a rewind does not undo its contest")
	}
}

// The course of a feature through the past is as P was then, not as held
// selectors make it now.
func TestFeature_CourseBeforeTheContest(t *testing.T) {
	training := open(t, devicetest.All(t)[0], middling(60, 200), contestConfig())
	run(t, training)
	x := training.Status().Contest.Exchanges[0]
	f := must(training.Feature(x.To.Name))
	steps, course := f.Course.Steps, f.Course.Probability
	if last := len(steps) - 1; steps[last] != training.step || course[last] != 1 || course[last-1] == 1 {
		t.Errorf("the probability of %s went %v", x.To.Name, course)
	}
	agree(t, "after asking", training)
}
