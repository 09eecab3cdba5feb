package engine

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// looksOf is all that the programs of a toy make: ten steps, P, M, what the predictors make of a feature, and what rows come to.
func (toy toy) looksOf(t *testing.T, d *device.Device) []float32 {
	t.Helper()
	e := must(newWith(d, toy.layout(d), toy.settings.Seed, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), nil))
	defer e.Close()
	metrics := advanced(t, e, 0, 10, toy.settings.Live)
	var all []float32
	for _, m := range metrics {
		all = append(all, float32(m.Loss), float32(m.LossReconstruction))
	}
	theta, squares := parametersOf(t, e)
	all = slices.Concat(all, theta, squares)
	for which, name := range []string{MatrixSoft: "soft", MatrixSample: "sample", 2: "probability"} {
		m, err := e.Probability(Look{Sharpness: 2})
		if which < 2 {
			m, err = e.Matrix(which, 10, 0.7, Look{Sharpness: 2})
		}
		if err != nil || len(m) != toy.arch.K*toy.arch.D {
			t.Fatalf("%s: %d numbers, %v", name, len(m), err)
		}
		for row := range slices.Chunk(m, toy.arch.D) {
			sum := 0.0
			for _, v := range row {
				sum += float64(v)
			}
			if sum < 1-1e-5 || sum > 1+1e-5 {
				t.Errorf("d = %d: a row of %s sums to %v", toy.arch.D, name, sum)
			}
		}
		all = append(all, m...)
	}
	column, _, err := e.Feature(nil, toy.arch.D-1, Look{Sharpness: 2})
	check(t, err)
	seen := must(e.Observe(Look{Sharpness: 2}, 1))
	for k, j := range seen.Leader {
		all = append(all, float32(j), float32(seen.Probability[k]), float32(seen.Second[k]), float32(seen.Entropy[k]), float32(column[k]))
	}
	var selected []float32
	for row := range slices.Chunk(toy.x, toy.arch.D) {
		for _, j := range seen.Leader {
			selected = append(selected, row[j])
		}
	}
	scores, reconstruction, err := e.Infer(selected, slices.Clone(toy.x), toy.arch.Rows)
	check(t, err)
	return append(slices.Concat(all, scores), float32(reconstruction))
}

// ofWidth is the toy with other data of d features.
func (toy toy) ofWidth(d int) toy {
	r := num.RNG(int64(d), "width")
	toy.x = make([]float32, toy.arch.Rows*d)
	for i := range toy.x {
		toy.x[i] = float32(r.NormFloat64())
	}
	toy.arch.D = d
	toy.phi = toy.embed()
	return toy
}

// Data sets with nearly as many features share one program, and have the bits
// that they have when the program is compiled for them.
func TestPrograms_SharedByWidths(t *testing.T) {
	for _, d := range devicetest.All(t) {
		t.Run(d.Name, func(t *testing.T) {
			one := newToy(t, config.Config{Seed: 3, Rules: hidden(4, 3)})
			one.ahead = true
			early := one.engine(t, d)
			advanced(t, early, 0, 1, one.settings.Live)
			early.programs.beside.Wait()
			if err := early.programs.unready.Load(); err != nil {
				t.Error("what is compiled ahead is not what is called:", err)
			}
			fresh := must(device.Open(t.Context(), d.Name))
			defer fresh.Close()
			alone := one.ofWidth(23).looksOf(t, fresh)
			one.ofWidth(17).looksOf(t, d)
			one.ofWidth(17).engine(t, d)
			before := d.Programs()
			one.ofWidth(23).engine(t, d)
			more := d.Programs() - before
			if !slices.Equal(one.ofWidth(23).looksOf(t, d), alone) {
				t.Error("23 features come to other bits after 17 than alone")
			}
			want := 0
			if !nn.LoopsOn(d.Name) { // nothing is padded there
				want = 1
			}
			if more != want {
				t.Errorf("after 17 features 23 have %d programs of their own, not %d", more, want)
			}
		})
	}
}

// Programs stay as long as a training has them, a few longer, and then leave
// the device. Closing the device releases all of them.
func TestPrograms_AreReleased(t *testing.T) {
	d := must(device.Open(t.Context(), "go"))
	base := newToy(t, config.Config{})
	take := func(k int) *Engine {
		toy := base
		toy.arch.K = k
		e := must(newWith(d, toy.layout(d), 1, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), nil))
		return e
	}
	works := func(p *programs) bool {
		theta := tensors.FromFlatDataAndDimensions(make([]float32, p.Size()), p.Size())
		phi := tensors.FromFlatDataAndDimensions(slices.Clone(base.phi), p.Embedding, p.D)
		out, err := p.call("probability", p.p, theta, phi, int32(p.D), float32(1), float32(0))
		device.Free(append(out, theta, phi)...)
		return err == nil
	}
	first := take(1)
	fork := first.Fork(make([]float32, first.Layout.Size()), make([]float32, first.Layout.Size()))
	first.Close()
	var taken []*programs
	for k := 2; k < 20; k++ {
		e := take(k)
		if taken = append(taken, e.programs); !works(e.programs) {
			t.Fatalf("the program for %d selectors does not run", k)
		}
		e.Close()
	}
	if n := d.Programs(); n != 1+device.IdlePrograms {
		t.Errorf("%d programs are kept: that of a fork, and %d that nobody has", n, device.IdlePrograms)
	}
	latest := taken[len(taken)-1]
	if again := take(19); again.programs != latest || !works(latest) {
		t.Error("the last program is not used again")
	} else {
		again.Close()
	}
	if !works(fork.programs) {
		t.Error("the program of a fork was let go")
	}
	if works(taken[0]) {
		t.Error("a program that nobody has stays on the device")
	}
	fork.Close()
	d.Close()
	if works(latest) {
		t.Error("a program outlives its device")
	}
	if _, _, err := device.TakePrograms[*programs](d, "another", nil); !errs.Is(err, errs.Unavailable) {
		t.Errorf("a closed device gives programs: %v", err)
	}
}
