package engine

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/safetensors"
	"fsnetlab/tests/kit/devicetest"
)

// The step that trains is the defined one: the same losses and, parameter by
// parameter, the same gradients.
func TestStep_FusedMatchesDefinition(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for name, c := range variants() {
			// the definition's graph is the same on all backends; Go's needs no compiler
			if nn.LoopsOn(d.Name) && name != "hidden predictor" {
				continue
			}
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				toy := newToy(t, c)
				sameAsDefined(t, toy.engine(t, d), toy.settings.Live)
			})
		}
	}
}

// sameAsDefined compares a step with the one that is defined.
func sameAsDefined(t *testing.T, e *Engine, live config.Live) {
	t.Helper()
	defined := must(e.Definition(live))
	defer defined.Close()
	got, want := advanced(t, e, 2, 1, live)[0], advanced(t, defined.engine, 2, 1, live)[0]
	for _, v := range [][2]float64{
		{got.Loss, want.Loss}, {got.LossClass, want.LossClass}, {got.LossReconstruction, want.LossReconstruction},
		{got.Accuracy, want.Accuracy}, {got.gradient, want.gradient}, {got.selector, want.selector},
	} {
		if math.Abs(v[0]-v[1]) > 1e-4*(1+math.Abs(v[1])) {
			t.Errorf("%v, the definition says %v", got, want)
		}
	}
	_, squares := parametersOf(t, e)
	_, definedSquares := parametersOf(t, defined.engine)
	for i, square := range definedSquares { // 0.1 g² after one step
		g, fused := math.Sqrt(float64(square)/0.1), math.Sqrt(float64(squares[i])/0.1)
		if math.IsNaN(fused) || math.Abs(g-fused) > 1e-3*g+1e-5*want.gradient {
			t.Fatalf("%s: the gradient is ±%g, the definition says ±%g", blockOf(e.Layout.Architecture, i), fused, g)
		}
	}
}

// A stopwatch makes the steps of its training, which doesn't move, and stops
// where it is told.
func TestStopwatch_MakesTheTrainingsSteps(t *testing.T) {
	toy := newToy(t, config.Config{Seed: 3})
	d := devicetest.All(t)[0]
	e := toy.engine(t, d)
	before, _ := parametersOf(t, e)
	s := must(e.Stopwatch(toy.settings.Live, ChunkCapacity))
	defer s.Close()
	_, loss, made, err := s.Steps(context.Background(), 30)
	if err != nil || made != 30 {
		t.Fatal(made, err)
	}
	after, _, err := e.Parameters()
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the training moved, or %v", err)
	}
	metrics := advanced(t, e, 0, 30, toy.settings.Live)
	mean := 0.0
	for _, m := range metrics {
		mean += m.Loss / 30
	}
	if math.Abs(loss-mean) > 1e-9*mean {
		t.Errorf("a mean loss of %g, the training's is %g", loss, mean)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, made, err := s.Steps(stopped, 5); made != 0 || !errs.Is(err, errs.Interrupted) {
		t.Errorf("%d steps after the context ended, and %v", made, err)
	}
}

// What is written for other programs is what the steps read.
func TestWriteInputs_AreTheSteps(t *testing.T) {
	toy := newToy(t, config.Config{Seed: 3})
	e := toy.engine(t, devicetest.All(t)[0])
	path := filepath.Join(t.TempDir(), "inputs.safetensors")
	check(t, e.WriteInputs(path, 7, toy.settings.Live))
	f := must(safetensors.Read(path))
	a := toy.arch
	for name, want := range map[string][]float32{"x": toy.x, "phi": toy.phi, "theta": a.Initial(toy.settings.Seed)} {
		shape := map[string][]int{"x": {a.Rows, a.D}, "phi": {a.Embedding, a.D}, "theta": {a.Size()}}[name]
		if got, err := safetensors.Values[float32](f, name, shape...); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: other values, or %v", name, err)
		}
	}
	rows := must(safetensors.Values[uint32](f, "rows", 7, a.B))
	plan := must(e.Plan(0, 7, 7, toy.settings.Live))
	for i, row := range plan.rows {
		if rows[i] != uint32(row) {
			t.Errorf("row %d is %d, not %d", i, rows[i], row)
		}
	}
}
