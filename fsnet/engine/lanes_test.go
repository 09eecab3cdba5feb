package engine

import (
	"math"
	"slices"
	"sync"
	"testing"

	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method/repair"
	"fsnetlab/tests/kit/devicetest"
)

// laned is what a lane's training comes to.
type laned struct {
	parameters []float32
	metrics    []Metrics
	look       Observation
}

// inLanes makes steps of the toy in one program, each lane with its seed, and a look after each cut.
func (toy toy) inLanes(t *testing.T, d *device.Device, places int, seeds []int64, cuts ...int) []laned {
	t.Helper()
	lanes := d.NewLanes(places)
	defer lanes.Close()
	list := make([]laned, len(seeds))
	var group sync.WaitGroup
	for i, seed := range seeds {
		group.Go(func() { list[i] = toy.lane(t, lanes.Device(), seed, cuts...) })
	}
	group.Wait()
	return list
}

// lane makes the steps of one training.
func (toy toy) lane(t *testing.T, on *device.Device, seed int64, cuts ...int) (l laned) {
	e := must(newWith(on, toy.layout(on), seed, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x), Spokesmen: toy.spokesmen()}, toy.target(), nil))
	defer e.Close()
	keepPrograms(e)
	e.programs.ahead.Do(func() {})
	for _, cut := range cuts {
		metrics, broken, err := e.Advance(len(l.metrics), cut-len(l.metrics), toy.settings.Live)
		if err != nil || broken != "" {
			t.Error(broken, err)
			return l
		}
		l.metrics = append(l.metrics, metrics...)
		if l.look, err = e.Observe(Look{Sharpness: 2, Exclusive: true}, 0.5); err != nil {
			t.Error(err)
			return l
		}
	}
	theta, squares := parametersOf(t, e)
	l.parameters = append(theta, squares...)
	return l
}

// spokesmen are those of the toy's features where its architecture has some.
func (toy toy) spokesmen() []int32 {
	if !toy.arch.HasSpokesmen {
		return nil
	}
	lists := make([]int32, toy.arch.D*repair.Speakers)
	for i := range lists {
		lists[i] = int32((i*7 + 3) % toy.arch.D)
	}
	return lists
}

// Trainings of one program make the steps of trainings alone, and see the same at their looks, except for rounding: after 15 steps a parameter
// differs by a hundred-thousandth at most.
func TestLanes_TrainAsAlone(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if d.Name == "go" {
			continue // it makes single steps
		}
		for name, c := range variants() {
			if !slices.Contains([]string{"fsnet", "stepwise", "hidden predictor"}, name) {
				continue // the others have no operation of their own, and XLA takes long to compile each
			}
			t.Run(name+"/"+d.Name, func(t *testing.T) {
				toy := newToy(t, c)
				toy.arch.HasSpokesmen = name == "fsnet"
				seeds := []int64{3, -4, 1 << 40}
				for i, got := range toy.inLanes(t, d, 4, seeds, 1, 6, 15) {
					want := toy.lane(t, d, seeds[i], 15)
					if len(got.metrics) != 15 || len(got.parameters) != len(want.parameters) {
						t.Fatalf("lane %d: %d steps, %d parameters", i, len(got.metrics), len(got.parameters))
					}
					for j, p := range want.parameters {
						if math.Abs(float64(got.parameters[j]-p)) > 1e-5*(1+math.Abs(float64(p))) {
							t.Errorf("lane %d: parameter %s is %g, alone %g", i, blockOf(toy.arch, j%toy.arch.Size()), got.parameters[j], p)
							break
						}
					}
					for j, m := range want.metrics {
						if math.Abs(got.metrics[j].Loss-m.Loss) > 1e-5*(1+math.Abs(m.Loss)) {
							t.Errorf("lane %d: the loss of step %d is %g, alone %g", i, j, got.metrics[j].Loss, m.Loss)
						}
					}
					if !slices.Equal(got.look.Leader, want.look.Leader) {
						t.Errorf("lane %d: leaders %v, alone %v", i, got.look.Leader, want.look.Leader)
					}
				}
			})
		}
	}
}

// A lane comes to the same bits in any place, beside any others, however its steps are divided into calls, and if it is the only one.
func TestLanes_DoNotDependOnOneAnother(t *testing.T) {
	for _, d := range devicetest.All(t) {
		if d.Name == "go" {
			continue
		}
		toy := newToy(t, variants()["stepwise"])
		want := toy.inLanes(t, d, 4, []int64{3}, 15)[0].parameters
		for _, got := range [][]laned{
			toy.inLanes(t, d, 4, []int64{3, 5}, 15), toy.inLanes(t, d, 4, []int64{3, 8, 9, 11}, 4, 15), toy.inLanes(t, d, 4, []int64{3, 3, 3, 3}, 15),
		} {
			if !slices.Equal(got[0].parameters, want) {
				t.Errorf("on %s with %d lanes: other bits", d.Name, len(got))
			}
		}
		all := toy.inLanes(t, d, 4, []int64{3, 3, 3, 3}, 15)
		for i, l := range all {
			if !slices.Equal(l.parameters, want) {
				t.Errorf("on %s place %d: other bits", d.Name, i)
			}
		}
	}
}
