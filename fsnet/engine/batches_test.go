package engine

import (
	"fmt"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/devicetest"
)

// In batches of one row up to more than there are, an epoch reads every row
// once, padding rows have no weight, and every step's losses are the
// reference's at the parameters before it.
func TestStep_BatchesOfEverySize(t *testing.T) {
	const rows = 10 // of the toy
	for _, device := range devicetest.All(t) {
		for _, test := range []struct{ batch, width, steps int }{
			{1, 1, 10}, {4, 4, 3}, {rows - 1, rows - 1, 2}, {rows, rows, 1}, {0, rows, 1}, {rows + 1, rows, 1}, {1000, rows, 1},
		} {
			if nn.LoopsOn(device.Name) && test.batch == rows-1 { // XLA takes a second to compile what differs from 4 in a number
				continue
			}
			t.Run(fmt.Sprintf("%s/batch %d", device.Name, test.batch), func(t *testing.T) {
				toy := newToy(t, config.Config{Batch: new(test.batch), Seed: 3})
				e := toy.engine(t, device)
				if toy.arch.B != test.width || e.StepsPerEpoch != test.steps {
					t.Fatalf("B = %d, %d steps an epoch; want %d, %d", toy.arch.B, e.StepsPerEpoch, test.width, test.steps)
				}
				var read []int
				for step := range test.steps {
					plan := must(e.Plan(step, 1, 1, toy.settings.Live))
					read = append(read, checkBatch(t, toy, e, plan, step)...)
				}
				slices.Sort(read)
				for i := range rows {
					if len(read) != rows || read[i] != i {
						t.Fatalf("the epoch read the rows %v", read)
					}
				}
			})
		}
	}
}

// checkBatch makes a step, compares its losses with the reference's and returns the rows that it read.
func checkBatch(t *testing.T, toy toy, e *Engine, plan stepPlan, step int) (read []int) {
	t.Helper()
	theta, _ := parametersOf(t, e)
	var x [][]float64
	var y []int
	var mask []float64
	for b, row := range plan.rows {
		x = append(x, float64sOf(toy.x[int(row)*toy.arch.D:(int(row)+1)*toy.arch.D]))
		y = append(y, toy.y[row])
		mask = append(mask, float64(plan.masks[b]))
		if plan.masks[b] == 1 {
			read = append(read, int(row))
		} else if plan.masks[b] != 0 {
			t.Errorf("step %d: a mask of %g", step, plan.masks[b])
		}
	}
	want := toy.referenceOf(float64sOf(theta), plan).loss(x, y, mask, float64sOf(e.ClassWeights(toy.settings.Live)), step)
	metrics := advanced(t, e, step, 1, toy.settings.Live)
	compareLosses(t, metrics[0], want)
	return read
}
