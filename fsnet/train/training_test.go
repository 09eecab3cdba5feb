package train

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// planted is data with known truth: the features named "signal…" tell the three
// classes apart, all others are noise.
func planted(rows, d int) *dataset.Dataset {
	r := num.RNG(11, "planted")
	data := &dataset.Dataset{Name: "planted", Source: "made for a test", N: rows, D: d, Classes: []string{"a", "b", "c"}}
	for i := range rows {
		class := i % 3
		data.Y = append(data.Y, class)
		for j := range d {
			x := r.NormFloat64()
			if j%50 == 7 {
				x = 0.4*x + 3*float64((class+j/50)%3)
			}
			data.X = append(data.X, float32(x))
		}
	}
	for j := range d {
		name := fmt.Sprintf("noise%04d", j)
		if j%50 == 7 {
			name = fmt.Sprintf("signal%d", j)
		}
		data.Features = append(data.Features, name)
	}
	return data
}

func open(t testing.TB, d *device.Device, data *dataset.Dataset, c config.Config) *Training {
	t.Helper()
	s := must(c.Resolve())
	training := must(Open(context.Background(), d, data, s))
	t.Cleanup(training.Close)
	size := training.engine.Layout.Size()
	training.engine.Fork(make([]float32, size), make([]float32, size)) // so that its programs stay: XLA takes seconds to compile them again
	return training
}

// settledTraining is one that found what was planted, trained once for the
// tests that look at such a one and leave it as it is.
var settledTraining = sync.OnceValues(func() (*Training, error) {
	s, err := config.Config{K: 4, Seed: 1}.Resolve()
	if err != nil {
		return nil, err
	}
	devices, err := devicetest.Opened()
	if err != nil {
		return nil, err
	}
	training, err := Open(context.Background(), devices[0], planted(90, 300), s)
	if err != nil {
		return nil, err
	}
	return training, training.Run(context.Background(), nil)
})

func settled(t testing.TB) *Training {
	t.Helper()
	training := must(settledTraining())
	return training
}

func run(t testing.TB, training *Training) {
	t.Helper()
	check(t, training.Run(context.Background(), nil))
}

func names(t testing.TB, training *Training) []string {
	t.Helper()
	list := must(training.Selection())
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return out
}

// On data with known truth, FsNet finds the features that matter, classifies by
// them, and settles.
func TestTraining_FindsPlantedFeatures(t *testing.T) {
	training := settled(t)
	found, looks := 0, training.Status().TestLooks
	for _, name := range names(t, training) {
		if strings.HasPrefix(name, "signal") {
			found++
		}
	}
	test := must(training.Evaluate("test"))
	if found < 3 || test.Score.Value < 0.9 {
		t.Errorf("%d of 4 features are planted ones, the test accuracy is %.3f", found, test.Score.Value)
	}
	if test.Guess > 0.4 || test.TestLooks != looks+1 || test.Rows != 45 {
		t.Errorf("%+v", test)
	}
}

// Labels that mean nothing leave the test accuracy at chance.
func TestTraining_PermutedLabelsAreAtChance(t *testing.T) {
	data := planted(90, 300)
	r := num.RNG(3, "labels")
	sum := 0.0
	for seed := range int64(3) {
		r.Shuffle(len(data.Y), func(i, j int) { data.Y[i], data.Y[j] = data.Y[j], data.Y[i] })
		training := open(t, devicetest.All(t)[0], data, config.Config{K: 4, Seed: seed, Epochs: 60})
		run(t, training)
		test := must(training.Evaluate("test"))
		sum += test.Score.Value / 3
	}
	if sum > 0.33+5*math.Sqrt(0.33*0.67/135) {
		t.Errorf("a mean test accuracy of %.3f with shuffled labels", sum)
	}
}

// The order of the columns in the file and the names of the classes have no
// influence at all: the bits are the same.
func TestTraining_IgnoresColumnOrderAndClassNames(t *testing.T) {
	d := devicetest.All(t)[0]
	data := planted(60, 120)
	permuted := &dataset.Dataset{Name: "permuted", N: data.N, D: data.D, Y: make([]int, data.N), Classes: []string{"x", "y", "z"}}
	order := num.RNG(2, "order").Perm(data.D)
	rename := []int{2, 0, 1} // a is now called z, b x, c y
	for _, j := range order {
		permuted.Features = append(permuted.Features, data.Features[j])
	}
	for i := range data.N {
		permuted.Y[i] = rename[data.Y[i]]
		for _, j := range order {
			permuted.X = append(permuted.X, data.At(i, j))
		}
	}
	a, b := open(t, d, data, config.Config{K: 3, Seed: 1, Epochs: 20}), open(t, d, permuted, config.Config{K: 3, Seed: 1, Epochs: 20})
	run(t, a)
	run(t, b)
	if x, y := names(t, a), names(t, b); !slices.Equal(x, y) {
		t.Errorf("%v, permuted %v", x, y)
	}
	x, _ := parametersOf(t, a)
	y, _ := parametersOf(t, b)
	if !slices.Equal(x, y) {
		t.Error("the parameters differ")
	}
	selected := must(b.Selection())
	for _, s := range selected {
		if permuted.Features[s.Index] != s.Name {
			t.Errorf("column %d of the file is %s, not %s", s.Index, permuted.Features[s.Index], s.Name)
		}
	}
	ea := must(a.Evaluate("test"))
	eb := must(b.Evaluate("test"))
	if ea.Score.Value != eb.Score.Value || ea.Confusion[0][1] != eb.Confusion[rename[0]][rename[1]] {
		t.Errorf("%v, renamed %v", ea.Confusion, eb.Confusion)
	}
}

// The network knows slots, not ranks: with the selected features in another
// order, the same network is much worse.
func TestTraining_SlotOrderMatters(t *testing.T) {
	training := settled(t)
	rows := training.data.Parts.Test
	slots := training.ending.chosen // that the network was trained on
	x := must(training.gather(context.Background(), rows, 0))
	accuracy := func(features []int) float64 {
		scores, _, err := training.engine.Infer(selectColumns(x, len(rows), features), x, len(rows))
		check(t, err)
		hits := 0
		for i, c := range training.classesOf(scores) {
			if c == training.data.Y[rows[i]] {
				hits++
			}
		}
		return float64(hits) / float64(len(rows))
	}
	right, wrong := accuracy(slots), 1.0
	for shift := 1; shift < len(slots); shift++ { // some orders may be as good by chance
		wrong = min(wrong, accuracy(slices.Concat(slots[shift:], slots[:shift])))
	}
	if right < 0.9 || wrong > right-0.2 {
		t.Errorf("accuracy %.3f in slot order, %.3f with the slots rotated", right, wrong)
	}
	test := must(training.Evaluate("test"))
	if test.Trained.Value != right {
		t.Errorf("Evaluate says %.3f, by slots it is %.3f", test.Trained.Value, right)
	}
}

// The steps and the history are the same however they are asked for.
func TestTraining_SameStepsHoweverAsked(t *testing.T) {
	d := devicetest.All(t)[0]
	data := planted(60, 120)
	at := open(t, d, data, config.Config{K: 3, Seed: 1, Epochs: 30, Stop: "never"})
	one := open(t, d, data, config.Config{K: 3, Seed: 1, Epochs: 30, Stop: "never"})
	run(t, at)
	for one.Status().Step < at.Status().Step {
		must(one.Advance(context.Background(), 1))
	}
	a := must(at.History(session.HistoryRequest{}))
	b := must(one.History(session.HistoryRequest{}))
	for name, curve := range a.Curves {
		if !slices.Equal(curve.Values, b.Curves[name].Values) || !slices.Equal(curve.Steps, b.Curves[name].Steps) {
			t.Errorf("the curve %s differs", name)
		}
	}
	if !slices.Equal(names(t, at), names(t, one)) {
		t.Error("the selections differ")
	}
	if made, err := at.Advance(context.Background(), 5); made != 0 || err != nil {
		t.Errorf("after the end: %d steps, %v", made, err)
	}
}

// Set changes what follows the current step, with an event on the timeline, and
// rejects fixed keys, wrong values and an end that is already over.
func TestTraining_SetChangesWhatIsAhead(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(60, 120), config.Config{K: 3, Epochs: 30})
	ctx := context.Background()
	advance(t, training, 13)
	event := must(training.Set(config.Config{Lambda: new(0.0), Schedule: "hold:2"}))
	if event.Step != training.Status().Step || event.Text != "lambda 1 → 0, schedule exponential → hold:2" {
		t.Errorf("%+v", event)
	}
	if tau := training.Status().Tau; tau != 2 {
		t.Errorf("τ is %g", tau)
	}
	for _, c := range []struct {
		changes config.Config
		want    string
	}{
		{config.Config{K: 4}, "k is fixed"},
		{config.Config{LearningRate: new(-1.0)}, "learning_rate"},
		{config.Config{Schedule: "hold:0"}, "schedule"},
	} {
		if _, err := training.Set(c.changes); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.changes, err)
		}
	}
	run(t, training)
	if _, err := training.Set(config.Config{Epochs: 2}); !errs.Is(err, errs.Request) {
		t.Errorf("an end that is already over: %v", err)
	}
	must(training.Set(config.Config{Epochs: 31}))
	if made, err := training.Advance(ctx, 100); made == 0 || err != nil {
		t.Errorf("after epochs=31: %d steps, %v", made, err)
	}
	history := must(training.History(session.HistoryRequest{Metrics: []string{"lambda"}}))
	curve := history.Curves["lambda"].Values
	if curve[0] != 1 || curve[len(curve)-1] != 0 || len(history.Events) < 3 {
		t.Errorf("λ went %v with %d events", curve, len(history.Events))
	}
}

// An annealing whose end is set to the current epoch is over, and the timeline
// says how long auto makes one.
func TestTraining_EpochsMayEndNow(t *testing.T) {
	training := open(t, goDevice(t), planted(40, 20), config.Config{K: 3, Epochs: 10, Stop: "never"})
	advance(t, training, 3*training.engine.StepsPerEpoch)
	set := func(epochs int) session.Event {
		event := must(training.Set(config.Config{Epochs: epochs}))
		return event
	}
	set(3)
	if s := training.Status(); s.State != session.Done || s.Reason != "all 3 epochs are done" || s.Step != s.Steps {
		t.Errorf("%s at step %d of %d: %q", s.State, s.Step, s.Steps, s.Reason)
	}
	event := set(config.Auto)
	if s, want := training.Status(), fmt.Sprintf("epochs 3 → %d", training.settings.Epochs); s.State != session.Paused || event.Text != want {
		t.Errorf("%s after %q, not %q", s.State, event.Text, want)
	}
	if event := set(config.Auto); len(event.Changes) > 0 || event.Text != "nothing changed" {
		t.Errorf("auto again: %+v", event)
	}
}

// An interrupted run stops soon, and continues without loss.
func TestTraining_InterruptedWithoutLoss(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(60, 120), config.Config{K: 3})
	ctx, cancel := context.WithCancel(context.Background())
	err := training.Run(ctx, func(s session.Status) {
		if s.Step > 20 {
			cancel()
		}
	})
	if !errs.Is(err, errs.Interrupted) {
		t.Fatal(err)
	}
	at := training.Status().Step
	if at < 20 || at >= training.Steps() {
		t.Errorf("interrupted at step %d", at)
	}
	run(t, training)
	if training.Status().Step <= at {
		t.Error("it does not go on")
	}
}

// A training that breaks says which tensor, at which step, and what to try. It
// refuses to go on and can still be inspected.
func TestTraining_BrokenExplainsItself(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(60, 120), config.Config{K: 3, LearningRate: new(1e12)})
	err := training.Run(context.Background(), nil)
	if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), "is not a number at step") ||
		!strings.Contains(err.Error(), "smaller learning_rate") {
		t.Fatal(err)
	}
	if s := training.Status(); s.State != session.Broken || math.IsNaN(s.Loss) || math.IsInf(s.Loss, 0) {
		t.Errorf("%+v", s)
	}
	if _, err := training.Advance(context.Background(), 1); !errs.Is(err, errs.Failed) {
		t.Errorf("it went on: %v", err)
	}
	names(t, training)
}

// Patience ends a run and says so. The next run goes on.
func TestTraining_PatienceEndsARun(t *testing.T) {
	training := open(t, devicetest.All(t)[0], planted(60, 120),
		config.Config{K: 3, Stop: "patience:4", LearningRate: new(1e-9), SelectorLearningRate: new(1e-9)})
	run(t, training)
	s := training.Status()
	if s.Step >= s.Steps || !strings.Contains(s.Reason, "4 epochs") {
		t.Errorf("step %d of %d: %q", s.Step, s.Steps, s.Reason)
	}
	run(t, training)
	if training.Status().Step <= s.Step {
		t.Error("it does not go on")
	}
}

// The matrix shows the selection on its diagonal, names its columns, and
// accounts for the mass that it leaves out.
func TestMatrix_ShowsTheSelection(t *testing.T) {
	training := settled(t)
	selected := names(t, training)
	for _, of := range []string{"", "probability", "soft", "sample"} {
		m := must(training.Matrix(session.MatrixRequest{Of: of, Top: 12}))
		if len(m.Values) != 4 || len(m.Names) > 12 || !slices.Equal(m.Names[:4], selected) {
			t.Fatalf("%s: %d rows, columns %v, selected %v", of, len(m.Values), m.Names, selected)
		}
		for k, row := range m.Values {
			sum := m.LeftOut[k]
			for _, v := range row {
				sum += v
			}
			if math.Abs(sum-1) > 1e-4 {
				t.Errorf("%s: row %d and what is left out sum to %g", of, k, sum)
			}
		}
	}
	if _, err := training.Matrix(session.MatrixRequest{Of: "probabilty"}); !errs.Is(err, errs.Request) ||
		!strings.Contains(err.Error(), "probability") {
		t.Errorf("%v", err)
	}
}

// TestOpenPrepared_Shared ensures that trainings which share prepared data have
// the bits of one that prepares them itself, and that data prepared for another
// seed do not suit.
func TestOpenPrepared_Shared(t *testing.T) {
	data, settings, device := weak(), resolved(t, config.Config{K: 3, Epochs: 4, Seed: 5}), goDevice(t)
	prepared := must(dataset.Prepare(data, settings))
	other := settings
	other.Seed++
	if !prepared.Suits(settings) || prepared.Suits(other) {
		t.Fatalf("suits its own settings: %t, those of another seed: %t", prepared.Suits(settings), prepared.Suits(other))
	}

	var want portrait
	for i := range 3 {
		open := func() (*Training, error) { return OpenPrepared(t.Context(), device, prepared, settings) }
		if i == 0 {
			open = func() (*Training, error) { return Open(t.Context(), device, data, settings) }
		}
		training := must(open())
		advance(t, training, training.Steps())
		got := portraitOf(t, training)
		training.Close()
		if i == 0 {
			want = got
		}
		got.equal(t, "prepared before", want)
	}
}
