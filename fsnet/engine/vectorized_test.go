package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/device/devicetest"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/rng"
)

// toys are trainings of one architecture, each with a seed and data of its own.
func toys(t testing.TB, c config.Config, n int) []toy {
	t.Helper()
	list := make([]toy, n)
	for r := range list {
		one := newToy(t, c)
		one.settings.Seed += int64(r)
		random := rng.New(6, "toys", uint64(r))
		for i := range one.x {
			one.x[i] += float32(random.NormFloat64())
		}
		one.phi = method.Embed(one.settings, one.x, one.arch.D, one.y, one.arch.Classes)
		list[r] = one
	}
	return list
}

func groupOf(t testing.TB, d *device.Device, list []toy) *Vectorized {
	t.Helper()
	members := make([]*Engine, len(list))
	for r, one := range list {
		members[r] = one.engine(t, d)
	}
	g, err := Vectorize(members)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// state is everything that a step changes.
func stateOf(t testing.TB, e *Engine) []float32 {
	t.Helper()
	theta, squares, err := e.Parameters()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(theta, squares)
}

func farthest(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i])-float64(b[i])))
	}
	return most
}

// After up to a hundred steps in a group every training has the state and the metrics of its own, in every variant and on every backend:
// within 1e-4 of what it would be alone, and to the bit where the backend adds up in one order, as the Go backend does.
func TestGroupIsItsTrainings(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for name, c := range variants() {
			// What these add is arithmetic, which Go's backend compares to the bit.
			if nn.LoopsOn(d.Name) && slices.Contains([]string{"one selector", "balanced, all", "ridge", "sum of free logit", "paper"}, name) {
				continue
			}
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				list, steps := toys(t, c, 3), 100
				if c.Epochs == 1 { // at the end of an annealing a rounding grows with every step
					steps = 2
				}
				live := list[0].settings.Live
				g := groupOf(t, d, list)
				made, err := g.Advance(0, steps, live)
				if err == nil {
					err = g.Share()
				}
				if err != nil {
					t.Fatal(err)
				}
				for r, one := range list {
					alone := one.engine(t, d)
					metrics, _, err := alone.Advance(0, steps, live)
					if err != nil {
						t.Fatal(err)
					}
					near := func(what string, got, want float64) {
						if off := math.Abs(got - want); off > 1e-4*(1+math.Abs(want)) || d.Name == "go" && off > 0 {
							t.Fatalf("replica %d: %s is %g, alone %g", r, what, got, want)
						}
					}
					got, want := stateOf(t, g.members[r]), stateOf(t, alone)
					for i := range want {
						near(fmt.Sprintf("element %d of the state", i), float64(got[i]), float64(want[i]))
					}
					if made[r].Broken != "" || len(made[r].Metrics) != steps {
						t.Fatalf("replica %d: %d steps, broken: %q", r, len(made[r].Metrics), made[r].Broken)
					}
					for i, m := range metrics {
						near(fmt.Sprintf("the loss of step %d", i), made[r].Metrics[i].Loss, m.Loss)
						near(fmt.Sprintf("the largest gradient of step %d", i), made[r].Metrics[i].gradient, m.gradient)
					}
				}
			})
		}
	}
}

// However a group's steps are grouped into calls, and however often they are made, the bits are the same.
func TestStepsOfAGroupAreBitExactHoweverGrouped(t *testing.T) {
	for _, d := range devicetest.All(t) {
		list := toys(t, config.Config{Seed: 3}, 3) // as many as elsewhere, which share the program
		var first []float32
		for _, calls := range [][]int{{60}, {60}, {7, 13, 40}, slices.Repeat([]int{1}, 60)} {
			g := groupOf(t, d, list)
			step := 0
			for _, n := range calls {
				if _, err := g.Advance(step, n, list[0].settings.Live); err != nil {
					t.Fatal(err)
				}
				step += n
			}
			if err := g.Share(); err != nil {
				t.Fatal(err)
			}
			var all []float32
			for _, member := range g.members {
				all = append(all, stateOf(t, member)...)
			}
			if first == nil {
				first = all
			} else if !slices.Equal(first, all) {
				t.Errorf("%s: %d calls give other bits than one", d.Name, len(calls))
			}
		}
	}
}

// A member whose loss stops being a number keeps the state before that step and leaves; the others do not notice.
func TestBrokenMemberLeavesTheOthersAlone(t *testing.T) {
	for _, d := range devicetest.All(t) {
		t.Run(d.Name, func(t *testing.T) {
			const steps = 40
			list := toys(t, config.Config{Seed: 3}, 3)
			live := list[0].settings.Live
			undisturbed := groupOf(t, d, list)
			if _, err := undisturbed.Advance(0, steps, live); err != nil {
				t.Fatal(err)
			}
			if err := undisturbed.Share(); err != nil {
				t.Fatal(err)
			}

			// A row of the second batch of the middle training is not finite.
			second, err := undisturbed.members[1].Plan(1, 1, 1, live)
			if err != nil {
				t.Fatal(err)
			}
			list[1].x[int(second.rows[0])*list[1].arch.D] = float32(math.Inf(1))
			alone := list[1].engine(t, d)
			good, broken, err := alone.Advance(0, steps, live)
			if err != nil || broken == "" || len(good) == 0 {
				t.Fatalf("alone it broke at step %d: %q, %v; the test is about a later step than the first", len(good), broken, err)
			}
			g := groupOf(t, d, list)
			made, err := g.Advance(0, steps, live)
			if err == nil {
				err = g.Share()
			}
			if err != nil {
				t.Fatal(err)
			}
			if made[1].Broken != broken || len(made[1].Metrics) != len(good) || !slices.Equal(g.Gone, []bool{false, true, false}) {
				t.Errorf("%q after %d steps, alone %q after %d; gone: %v", made[1].Broken, len(made[1].Metrics), broken, len(good), g.Gone)
			}
			if off := farthest(stateOf(t, g.members[1]), stateOf(t, alone)); !(off <= 1e-4) {
				t.Errorf("the state before it broke is off by %g", off)
			}
			for _, r := range []int{0, 2} {
				if made[r].Broken != "" || len(made[r].Metrics) != steps ||
					!slices.Equal(stateOf(t, g.members[r]), stateOf(t, undisturbed.members[r])) {
					t.Errorf("replica %d was disturbed", r)
				}
			}
		})
	}
}
