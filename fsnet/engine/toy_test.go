package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/internal/num"
)

// toy is a small training with everything in it: padding, three classes, odd sizes.
type toy struct {
	arch     method.Architecture
	settings config.Settings
	x, phi   []float32
	y        []int
	weights  []float64 // of the rows, or nil
	quantity []float64 // of the rows, or nil

	block, parts int  // of the layout, or 0 for the device's own
	tiled        bool // the layout's
	ahead        bool // what looks at it is compiled beside its steps, also where nobody looks
}

func newToy(t testing.TB, c config.Config) toy {
	t.Helper()
	return newToyOf(t, c, 10)
}

// newToyOf is a toy of more rows, where their number matters.
func newToyOf(t testing.TB, c config.Config, rows int) toy {
	t.Helper()
	if c.K == 0 {
		c.K = 3
	}
	if c.Batch == nil {
		c.Batch = new(4)
	}
	s := must(c.Resolve())
	s.Hidden = []int{7, 6, 5} // under stepwise no user may set it
	const d, classes = 17, 3
	r := num.RNG(5, "toy")
	var toy toy
	for range rows * d {
		toy.x = append(toy.x, float32(r.NormFloat64()))
	}
	for i := range rows {
		toy.y = append(toy.y, i%classes)
	}
	toy.settings = s.ForData(rows)
	toy.arch = method.NewArchitecture(toy.settings, rows, d, classes)
	toy.phi = toy.embed()
	return toy
}

// weighted is the toy whose rows weigh differently.
func (toy toy) weighted() toy {
	for i := range toy.y {
		toy.weights = append(toy.weights, 0.3+float64((7*i)%len(toy.y)))
	}
	floats.Scale(float64(len(toy.y))/floats.Sum(toy.weights), toy.weights)
	toy.arch.Weighted = true
	toy.phi = toy.embed()
	return toy
}

// measured is the toy whose rows have quantities, of which y are the ranges.
func (toy toy) measured() toy {
	random, n := num.RNG(6, "quantity"), float64(len(toy.y))
	for _, c := range toy.y {
		toy.quantity = append(toy.quantity, float64(c)+0.4*random.NormFloat64())
	}
	mean, square := 0.0, 0.0
	for i, v := range toy.quantity {
		mean += toy.weight(i) * v / n
	}
	floats.AddConst(-mean, toy.quantity)
	for i, v := range toy.quantity {
		square += toy.weight(i) * v * v / n
	}
	floats.Scale(1/math.Sqrt(square), toy.quantity)
	toy.settings.Task, toy.arch.Quantity = config.Regression, true
	toy.phi = toy.embed()
	return toy
}

// telling is the toy of which some features tell the classes.
func (toy toy) telling() toy {
	for i, c := range toy.y {
		for j := range 4 {
			toy.x[i*toy.arch.D+j] += 0.8 * float32((c+j)%3)
		}
	}
	toy.phi = toy.embed()
	return toy
}

func (toy toy) embed() []float32 {
	phi, err := method.Embed(toy.settings, embedding.Dense{X: toy.x, D: toy.arch.D}, toy.target())
	if err != nil {
		panic(err) // the rows are in memory
	}
	return phi
}

func (toy toy) target() embedding.Target {
	return embedding.Target{Y: toy.y, Classes: toy.arch.Classes, Quantity: toy.quantity, Weights: toy.weights}
}

// weight is that of a row.
func (toy toy) weight(row int) float64 {
	if toy.weights == nil {
		return 1
	}
	return toy.weights[row]
}

// layout is that of the toy's steps on a device.
func (toy toy) layout(d *device.Device) fused.Layout {
	l := fused.LayoutFor(d.Name, toy.arch)
	if toy.block > 0 {
		l.Block, l.Parts = toy.block, 1
		if l.Blocks() == 1 {
			l.Parts = fused.PartsFor(d.Name, l.D)
		}
	}
	if toy.parts > 0 {
		l.Parts = toy.parts
	}
	l.Tiled = toy.tiled && l.Parts > 1
	return l
}

func (toy toy) engine(t testing.TB, d *device.Device) *Engine {
	t.Helper()
	e := must(newWith(d, toy.layout(d), toy.settings.Seed, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), nil))
	t.Cleanup(e.Close)
	keepPrograms(e)
	if !toy.ahead {
		e.programs.ahead.Do(func() {})
	}
	return e
}

// keepPrograms leaves an engine's programs on a device that tests share: another test has the same shape, and XLA takes seconds to
// compile them again.
func keepPrograms(e *Engine) {
	size := e.Layout.Size()
	e.Fork(make([]float32, size), make([]float32, size))
}

// referenceOf is the reference with the hyperparameters of a plan's only step.
func (toy toy) referenceOf(theta []float64, plan stepPlan) reference {
	r := toy.reference(theta, float64(plan.Hypers[method.HyperTau]))
	r.sigma, r.rho = float64(plan.Hypers[method.HyperSharpness]), float64(plan.Hypers[method.HyperRepulsion])
	r.apart = toy.arch.NeedsRepulsion(toy.settings.Live) && (toy.block == 0 || toy.block >= toy.arch.D)
	return r
}

// reference is the toy's plain float64 counterpart, at given parameters, without sharpness or repulsion.
func (toy toy) reference(theta []float64, tau float64) reference {
	d := toy.arch.D
	phi := make([][]float64, toy.arch.Embedding)
	for i := range phi {
		for j := range d {
			phi[i] = append(phi[i], float64(toy.phi[i*d+j]))
		}
	}
	return reference{arch: toy.arch, parts: toy.arch.Parameters(), theta: theta, phi: phi, seed: toy.settings.Seed, tau: tau,
		p: toy.settings.Dropout, lam: toy.settings.Lambda, sigma: 1}
}

// variants are the configurations that tests of the graph go through; under -short, as the race detector has it, those two that differ
// most: what is compiled starts no goroutine of ours, and takes the detector's build many times as long.
func variants() map[string]config.Config {
	all := map[string]config.Config{
		"fsnet":             {Epochs: 1, Seed: 1}, // the second half begins within the first epoch
		"stepwise":          {Epochs: 1, Protocol: config.Stepwise, Seed: 8},
		"class deviation":   {Rules: rules(func(r *config.Rules) { r.Embedding = "class-deviation" }), Sharpness: new(1.0), Repulsion: new(0.0), Seed: 1},
		"paper":             {Protocol: config.Paper, Seed: -7},
		"authors":           {Protocol: config.Authors, Seed: 9},
		"hidden predictor":  {Rules: hidden(4, 3), Seed: 1 << 40},
		"balanced, all":     {ClassWeight: "balanced", Batch: new(0), Lambda: new(3.0), Seed: 2},
		"one selector":      {K: 1, Dropout: new(0.0), Schedule: "hold:0.3"},
		"sum of free logit": {Rules: rules(func(r *config.Rules) { r.Reconstruction, r.Embedding = "sum", "histogram" }), Tau0: new(0.5)},
	}
	if testing.Short() {
		return map[string]config.Config{"stepwise": all["stepwise"], "hidden predictor": all["hidden predictor"]}
	}
	return all
}

// parametersOf are an engine's parameters and RMSprop's state.
func parametersOf(t testing.TB, e *Engine) (theta, squares []float32) {
	t.Helper()
	theta, squares, err := e.Parameters()
	check(t, err)
	return theta, squares
}

// advanced makes steps, none of which may break.
func advanced(t testing.TB, e *Engine, start, count int, live config.Live) []Metrics {
	t.Helper()
	metrics, broken, err := e.Advance(start, count, live)
	if err != nil || broken != "" {
		t.Fatal(broken, err)
	}
	return metrics
}

// after are the parameters after the first steps.
func (toy toy) after(t *testing.T, d *device.Device, steps int) []float32 {
	e := toy.engine(t, d)
	advanced(t, e, 0, steps, toy.settings.Live)
	theta, _ := parametersOf(t, e)
	return theta
}

func blockOf(a method.Architecture, i int) string {
	for _, p := range a.Parameters() {
		if i >= p.Start && i < p.Start+p.Size() {
			return fmt.Sprintf("%s[%d]", p.Name, i-p.Start)
		}
	}
	return "?"
}

func float64sOf(list []float32) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}
