package train

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// argmaxByHand takes the largest entry, rules out its row and column, and so on.
func argmaxByHand(m []float32, k, d int) []int {
	chosen := slices.Repeat([]int{-1}, k)
	free := make([]bool, d)
	for j := range free {
		free[j] = true
	}
	for range k {
		best, row, column := math.Inf(-1), 0, 0
		for i := range k {
			for j := range d {
				if v := float64(m[i*d+j]); chosen[i] < 0 && free[j] && v > best {
					best, row, column = v, i, j
				}
			}
		}
		chosen[row], free[column] = column, false
	}
	return chosen
}

func indices(t *testing.T, training *Training) []int {
	t.Helper()
	list := must(training.Selection())
	by := make([]int, len(list))
	for _, s := range list {
		by[s.Selector] = s.Index
	}
	return by
}

// sampleOf is the features of the unique argmax of M with a training's next
// noise and temperature.
func sampleOf(t *testing.T, training *Training) []int {
	t.Helper()
	m := must(training.engine.Matrix(engine.MatrixSample, training.step, training.tau(), training.lookAt(training.step)))
	chosen := argmaxByHand(m, training.engine.Layout.K, training.engine.Layout.D)
	for i, j := range chosen {
		chosen[i], _ = training.feature(j)
	}
	return chosen
}

func paperRules(change func(*config.Rules)) *config.Rules {
	r := config.RulesOf(config.Paper)
	change(&r)
	return &r
}

func paperCode(t *testing.T, d *device.Device, change config.Config) *Training {
	t.Helper()
	change.Protocol, change.K, change.Epochs, change.Seed = config.Paper, 3, 12, 4
	return open(t, d, planted(40, 90), change)
}

// selection=sample is the unique argmax of one noisy M, and changes neither the
// steps nor P.
func TestTraining_SelectionOfASample(t *testing.T) {
	d := devicetest.All(t)[0]
	plain, sampled := paperCode(t, d, config.Config{}), paperCode(t, d, config.Config{Rules: paperRules(func(r *config.Rules) { r.Selection = config.BySample })})
	differ := false
	for _, step := range []int{0, 7, plain.Steps()} {
		advance(t, plain, step)
		advance(t, sampled, step)
		got, want := indices(t, sampled), sampleOf(t, plain)
		if !slices.Equal(got, want) {
			t.Errorf("step %d: %v, by hand %v", step, got, want)
		}
		differ = differ || !slices.Equal(got, indices(t, plain))
	}
	if !differ {
		t.Error("the sample never differs from P")
	}
	a, _, errA := plain.engine.Parameters()
	b, _, errB := sampled.engine.Parameters()
	if errA != nil || errB != nil || !slices.Equal(a, b) {
		t.Error("the steps differ", errA, errB)
	}
	e := must(sampled.Evaluate(session.Test))
	if want := accuracyWith(t, sampled, sampleOf(t, plain)); e.Score.Value != want {
		t.Errorf("the network is evaluated to %g, with the sample it comes to %g", e.Score.Value, want)
	}
}

// accuracyWith is that of the network on the test rows with these features of
// the file.
func accuracyWith(t *testing.T, training *Training, features []int) float64 {
	t.Helper()
	theta, _, err := training.engine.Parameters()
	check(t, err)
	var weights [][]float32
	for _, name := range []string{"encoder/0", "encoder/1", "encoder/2", "classifier/0"} {
		for _, kind := range []string{"/weights", "/biases"} {
			for _, p := range training.engine.Layout.Parameters() {
				if p.Name == name+kind {
					weights = append(weights, theta[p.Start:p.Start+p.Size()])
				}
			}
		}
	}
	right := 0
	for _, row := range training.data.Parts.Test {
		var x []float64
		for _, f := range features {
			c := slices.Index(training.data.Kept, f)
			x = append(x, float64(training.data.Row(row)[c]))
		}
		for i := 0; i < len(weights); i += 2 {
			out := make([]float64, len(weights[i+1]))
			for o := range out {
				out[o] = float64(weights[i+1][o])
				for in, v := range x {
					out[o] += v * float64(weights[i][in*len(out)+o])
				}
				if i+2 < len(weights) && out[o] < 0 {
					out[o] *= 0.2
				}
			}
			x = out
		}
		best := 0
		for c, v := range x {
			if v > x[best] {
				best = c
			}
		}
		if training.slots[training.data.Y[row]] == best {
			right++
		}
	}
	return float64(right) / float64(len(training.data.Parts.Test))
}

// evaluation=as-built measures the network on the features that a sample chose
// before the first step, whatever is learned and wherever the training was
// resumed. The features that it returns are the learned ones.
func TestTraining_EvaluationAsBuilt(t *testing.T) {
	d := devicetest.All(t)[0]
	plain, built := paperCode(t, d, config.Config{}), paperCode(t, d, config.Config{Rules: paperRules(func(r *config.Rules) { r.Evaluation = config.AsBuilt })})
	first := sampleOf(t, plain)
	advance(t, plain, plain.Steps())
	advance(t, built, built.Steps())
	if !slices.Equal(indices(t, plain), indices(t, built)) {
		t.Error("the features differ")
	}
	past := must(built.Fork(t.Context(), 7))
	defer past.Close()
	for _, training := range []*Training{built, past} {
		e := must(training.Evaluate(session.Test))
		if want := accuracyWith(t, training, first); e.Score.Value != want {
			t.Errorf("step %d: accuracy %g, by hand %g", training.step, e.Score.Value, want)
		}
	}
}

// The protocol authors runs to its end: the temperature that τ's pace leads to,
// and the rates that the decay leads to, are the same in status, device and
// curve.
func TestTraining_AuthorsRuns(t *testing.T) {
	d := devicetest.All(t)[0]
	training := open(t, d, planted(40, 90), config.Config{Protocol: config.Authors, K: 3, Epochs: 12, Batch: new(8), Seed: 4})
	train, test := len(training.data.Parts.Train), len(training.data.Parts.Test)
	pace := float64((train+7)/8+(test+7)/8) / float64((train+7)/8)
	perEpoch := float64(training.engine.StepsPerEpoch)
	for training.step < training.Steps() {
		plan := must(training.engine.Plan(training.step, 1, 1, training.settings.Live))
		tau := 10 * math.Pow(0.01/10, min(1, float64(training.step)/perEpoch*pace/12))
		rate := 0.001 / (1 + 0.001/12*float64(training.step))
		if got := float64(plan.Hypers[0]); math.Abs(got/tau-1) > 1e-6 || math.Abs(training.Status().Tau/tau-1) > 1e-12 {
			t.Errorf("step %d: τ = %g, not %g", training.step, got, tau)
		}
		for _, i := range []int{1, 2} {
			if got := float64(plan.Hypers[i]); math.Abs(got/rate-1) > 1e-6 {
				t.Errorf("step %d: rate %d is %g, not %g", training.step, i, got, rate)
			}
		}
		advance(t, training, training.step+1)
	}
	paced := training.settings.TauPace
	if _, err := training.Set(config.Config{Epochs: 20}); err != nil || training.settings.TauPace != paced || paced == "auto" {
		t.Errorf("the pace is %q, not %q, %v", training.settings.TauPace, paced, err)
	}
}
