package train

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/session"
	"fsnetlab/tests/kit/devicetest"
)

// The course of the selectors is what the looks saw. A checkpoint's file keeps
// it, a rewind undoes it, and a fork has its part of it.
func TestSelectors_KeepTheirCourse(t *testing.T) {
	training, c := small(t)
	course := func(of *Training) []session.Look {
		t.Helper()
		h := must(of.History(session.HistoryRequest{Metrics: []string{"loss"}, Selectors: true}))
		for _, l := range h.Selectors.Looks {
			for _, j := range l.Leaders {
				if h.Selectors.Names[j] != of.data.Features[j] {
					t.Fatalf("column %d is called %q, not %q", j, h.Selectors.Names[j], of.data.Features[j])
				}
			}
		}
		return h.Selectors.Looks
	}
	whole := course(training)
	if want := training.step / training.engine.StepsPerEpoch; len(whole) <= want || len(whole) < 3 {
		t.Fatalf("%d looks at step %d", len(whole), training.step)
	}
	h := must(training.History(session.HistoryRequest{Metrics: []string{"max_probability"}}))
	for i, l := range whole {
		mean := 0.0
		for _, p := range l.Probability {
			mean += p / float64(len(l.Probability))
		}
		if want := h.Curves["max_probability"].Values[i]; mean != want {
			t.Errorf("look %d has %v, of mean %v; the curve has %v", i, l.Probability, mean, want)
		}
	}
	resumed := must(Resume(t.Context(), training.device, training.data.Dataset, c))
	defer resumed.Close()
	if again := course(resumed); !reflect.DeepEqual(again, whole) {
		t.Error("the file has another course")
	}
	const part = 2
	half := whole[part-1].Step
	fork := must(training.Fork(t.Context(), half))
	defer fork.Close()
	if got := course(fork); !reflect.DeepEqual(got, whole[:part]) {
		t.Errorf("the fork has %d looks", len(got))
	}
	check(t, training.Rewind(t.Context(), half))
	if got := course(training); !reflect.DeepEqual(got, whole[:part]) {
		t.Errorf("rewound, it has %d looks", len(got))
	}
}

// A run looks at P after its first steps, then less and less often, until only
// regular looks remain. Its decisions don't depend on the early ones.
func TestTraining_EarlyLooks(t *testing.T) {
	for _, c := range []struct{ steps, interval, early, last int }{
		{100, 1, 0, 0}, {600, 6, 15, 28}, {1500, 15, 19, 56}, {20_000, 200, 287, 8064}, {1_000_000, 10_000, 479, 516_096},
	} {
		var early []int
		for step := 1; step <= min(c.steps, 1_000_000); step++ {
			if isEarlyLook(step, c.interval, c.steps) {
				early = append(early, step)
			}
		}
		if n := len(early); n != c.early || n > 0 && early[n-1] != c.last {
			t.Errorf("of %d steps %d are early looks, the last at %v", c.steps, n, early[max(0, n-1):])
		}
	}
	var r, early record
	saw := func(step int, regular bool, leaders ...int) {
		o := engine.Observation{Leader: leaders, Probability: []float64{0.95, 0.95}, Second: []float64{0, 0}, Entropy: []float64{0, 0}, Soft: []float64{0, 0}}
		if !regular {
			early.addLook(step, o, true, math.NaN())
			return
		}
		r.addLook(step, o, false, 0.5)
		early.addLook(step, o, false, 0.5)
	}
	saw(1, false, 7, 7)
	for step := 10; step <= 60; step += 10 {
		saw(step, true, 1, 2)
		saw(step+5, false, 3, 3)
		if a, b := r.settledSince(20), early.settledSince(20); !slices.Equal(a, b) || step == 60 && !slices.Equal(a, []int{30, 30}) {
			t.Errorf("at step %d selectors are settled since %v, with early looks %v", step, a, b)
		}
		for now := step; now < step+12; now++ { // the inspector says what the lanes say, also between looks
			switch at, since := early.settlesAt(0, now, 20, 200), early.settledSince(20)[0]; {
			case since > 0 && (at == nil || *at != since):
				t.Errorf("at step %d it is settled since %d, and settles at %v", now, since, at)
			case since == 0 && at != nil && *at <= now:
				t.Errorf("at step %d it is not settled, and settled at %d", now, *at)
			}
		}
	}
	if early.lastValidation() != 0.5 || early.lastLook().Step != 65 || early.leaderSince(0) != 65 || r.leaderSince(0) != 10 {
		t.Errorf("the last look is at step %d, and the leader leads since step %d", early.lastLook().Step, early.leaderSince(0))
	}
	for step := 70; step <= 100; step += 10 { // two selectors want one feature
		saw(step, true, 1, 1)
	}
	if n := r.settledCount(20); n != 0 || r.settlesAt(0, 100, 20, 200) != nil {
		t.Errorf("%d selectors of one leader are settled", n)
	}
	saw(110, true, 1, 4)
	saw(120, true, 1, 4)
	if got := r.settledSince(10); !slices.Equal(got, []int{110, 120}) {
		t.Errorf("once they have a leader each they are settled since %v", got)
	}
}

// The size of a model is that of its predictor, and its file has no more. The
// training learns more parameters.
func TestParameters_OfThePredictor(t *testing.T) {
	d, data := devicetest.All(t)[0], planted(30, 40)
	const classes, predict, decoder = 3, 11*64 + 65*32 + 33*16 + 17*3, 17*32 + 33*64
	for protocol, trained := range map[string]int{ // selectors and reconstruction, predicted from their embedding
		config.FsNet: (11*classes+1)*(10+64) + predict + decoder, config.Paper: 10*(10+64) + predict + decoder,
		config.Authors: 10*(10+64) + predict + decoder, config.Stepwise: 40*10 + (11*classes+1)*64 + predict + decoder,
	} {
		s := must(config.Config{Protocol: protocol, K: 10, Screen: new(0), Data: data.Name}.Resolve())
		training := must(Open(t.Context(), d, data, s))
		fitted := must(training.Fitted())
		saved := 0
		for _, l := range fitted.Networks[0].Layers {
			saved += len(l.Weights) + len(l.Biases)
		}
		if at := training.Status(); at.Parameters != predict || saved != predict || at.ModelKB != predict*4/1000. || at.ParametersTrained != trained {
			t.Errorf("%s: %d parameters of %d, %g kB, and %d in the file", protocol, at.Parameters, at.ParametersTrained, at.ModelKB, saved)
		}
		sum, gives := 0, 0
		for _, l := range training.Status().Layers {
			if sum += l.Parameters; l.Gives != nil {
				gives += l.Gives[1]
			}
		}
		if want := 80; sum != trained || protocol != config.Stepwise && gives != want { // 40 features, selected and made again
			t.Errorf("%s: layers of %d parameters, not %d, and %d columns", protocol, sum, trained, gives)
		}
		training.Close()
	}
}
