package engine

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/tests/kit/devicetest"
)

// A call of the device makes room for the rows of its steps, not for every step
// that it could make, and doesn't read back the training's classes.
func TestCall_SendsLittle(t *testing.T) {
	d := devicetest.All(t)[0]
	for name, c := range map[string]config.Config{"all rows": {Batch: new(0)}, "balanced": {Batch: new(4), ClassWeight: "balanced"}} {
		toy := newToy(t, c)
		const rows = 20_000
		toy.x, toy.y = slices.Repeat(toy.x, rows/toy.arch.Rows), slices.Repeat(toy.y, rows/toy.arch.Rows)
		toy.arch.Rows = rows
		if *c.Batch == 0 {
			toy.arch.B = rows
		}
		e := toy.engine(t, d)
		call := func(step int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if metrics, broken, err := e.Advance(step, 1, toy.settings.Live); err != nil || broken != "" || len(metrics) != 1 {
				t.Fatal(metrics, broken, err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		call(0) // compiles
		// An epoch's order of the rows, GoMLX's own, and the rows and masks of one step, twice: as they are and as tensors.
		if took, limit := call(1), uint64(8*rows+60_000+2*8*toy.arch.B); took > limit {
			t.Errorf("%s: a call for one step takes %d bytes, more than %d", name, took, limit)
		}
	}
}

// The reconstruction error is a mean over more numbers than a float32 can add
// up.
func TestReconstructionError_ManyNumbers(t *testing.T) {
	toy := newToy(t, config.Config{})
	const rows, d = 1700, 10_240 // 17.4 million; a float32 stops counting at 16.8
	toy.arch.D, toy.arch.Rows = d, len(toy.y)
	toy.x = make([]float32, len(toy.y)*d)
	toy.phi = make([]float32, toy.arch.Embedding*d)
	e := toy.engine(t, devicetest.All(t)[0])
	e.Load(make([]float32, toy.arch.Size()), make([]float32, toy.arch.Size())) // x̂ is 0
	value := float32(1.1)
	x := slices.Repeat([]float32{value}, rows*d)
	_, reconstruction, err := e.Infer(make([]float32, rows*toy.arch.K), x, rows)
	check(t, err)
	if want := float64(value) * float64(value); math.Abs(reconstruction-want) > 1e-9 {
		t.Errorf("the mean of equal errors %v is %v", want, reconstruction)
	}
}
