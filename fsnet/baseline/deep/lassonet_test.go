package deep

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/places"
	"fsnetlab/tests/kit/baselinetest"
)

type lassonetFixture struct {
	Prox []struct {
		V, U     [][]float64
		Lam, M   float64
		Theta, W [][]float64
	}
	Path []struct {
		baseline.Data
		Hidden  int
		Apart   []int
		First   []any
		Start   float64
		Dropped []float64
		Lambdas int
	}
}

// floats are the rows of a matrix below one another.
func floats(rows [][]float64) []float32 {
	var list []float32
	for _, row := range rows {
		for _, x := range row {
			list = append(list, float32(x))
		}
	}
	return list
}

// The hierarchical proximal operator against the package's, on random inputs: testdata/make_lassonet.py.
func TestHierarchicalProxIsThePackages(t *testing.T) {
	f := baselinetest.Fixture[lassonetFixture](t, "lassonet.json")
	for i, c := range f.Prox {
		out, err := baselinetest.Plain().Call(fmt.Sprint("prox ", i), func(in []*graph.Node) []*graph.Node {
			theta, w := hierarchicalProx(in[0], in[1], in[2], c.M)
			return []*graph.Node{theta, w}
		}, nn.Tensor(floats(c.V), len(c.V), len(c.V[0])), nn.Tensor(floats(c.U), len(c.U), len(c.U[0])), float32(c.Lam))
		if err != nil {
			t.Fatal(err)
		}
		zeros := 0
		for part, want := range [][][]float64{c.Theta, c.W} {
			got, err := device.Floats(out[part])
			if err != nil {
				t.Fatal(err)
			}
			for p, x := range floats(want) {
				if math.Abs(float64(got[p]-x)) > 2e-6*(1+math.Abs(float64(x))) {
					t.Errorf("case %d, part %d, number %d: %v, the package says %v", i, part, p, got[p], x)
				}
				if x == 0 {
					zeros++
				}
			}
		}
		if zeros < len(c.V)+len(c.U) {
			t.Errorf("case %d has %d zeros: nothing is dropped", i, zeros)
		}
	}
}

// The path from the same weights is the package's: where it begins, how long it is, and where each feature drops out.
func TestLassoNetPathIsThePackages(t *testing.T) {
	f := baselinetest.Fixture[lassonetFixture](t, "lassonet.json")
	for _, c := range f.Path {
		tr, err := newTrainer(t.Context(), LassoNet{}, c.Data, baseline.Options{K: 3, Seed: 1, Device: baselinetest.Compiled()})
		if err != nil {
			t.Fatal(err)
		}
		tr.order = places.All(c.Width())
		p := newPenalties(tr, LassoNet{Hidden: c.Hidden})
		p.watching, p.training = c.Apart, nil
		for i := range c.Rows {
			if !slices.Contains(c.Apart, i) {
				p.training = append(p.training, i)
			}
		}
		for i, values := range c.First {
			p.first.values[i] = flatten(values)
		}
		if err := p.follow(t.Context()); err != nil {
			t.Fatal(err)
		}
		// An early stop that rounding moves by a step moves what follows a little.
		if off := math.Abs(math.Log(p.lambdas[0] / c.Start)); off > 1e-6 {
			t.Errorf("the path begins at %v, the package's at %v", p.lambdas[0], c.Start)
		}
		if off := len(p.lambdas) - c.Lambdas; off < -3 || off > 3 {
			t.Errorf("%d values of λ, the package has %d", len(p.lambdas), c.Lambdas)
		}
		worst := 0.0
		for j, lambda := range p.dropped {
			worst = max(worst, math.Abs(math.Log(lambda/c.Dropped[j])))
		}
		if t.Logf("%s: %d values of λ (the package: %d), features drop out within %.1f %%", kind(c.Data), len(p.lambdas), c.Lambdas, 100*worst); worst > 0.1 {
			t.Errorf("features drop out at %v, the package's at %v", p.dropped, c.Dropped)
		}
		var want, got []int
		for _, f := range tr.Top(c.Dropped, 3) {
			want = append(want, f.Index)
		}
		model := p.conclude()
		for _, f := range model.Selected {
			got = append(got, f.Index)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: it selects %v, the package %v", kind(c.Data), got, want)
		}
		// The network is the one with at most three features that the path came to.
		if score, err := model.Score(c.Data); err != nil || score < 0.5 {
			t.Errorf("%s: its score on its own rows is %v, %v", kind(c.Data), score, err)
		}
		p.close()
	}
}
