package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/devicetest"
)

// In every variant and on every backend, the loss of the graph is the
// reference's, and its gradient is the reference's central difference. RMSprop
// applied by hand to that gradient gives the graph's parameters.
func TestStep_MatchesReference(t *testing.T) {
	for _, d := range devicetest.All(t) {
		compiled := nn.LoopsOn(d.Name)
		for name, c := range variants() {
			switch name {
			case "one selector", "sum of free logit", "balanced, all": // what these add is arithmetic, which Go's backend has, too
				if compiled {
					continue
				}
			case "fsnet", "paper", "class deviation":
				if !compiled {
					for _, kind := range []string{"weighted " + name, name + " of a quantity", "weighted " + name + " of a quantity"} {
						testStepAgainstReference(t, d, kind, c, 0)
					}
				}
			}
			testStepAgainstReference(t, d, name, c, 0)
			// Three blocks with one column of padding, in the variants that do with it what the others do not; two blocks with fifteen.
			if compiled && (name == "class deviation" || name == "paper" || name == "hidden predictor") {
				testStepAgainstReference(t, d, name, c, 6)
				if name == "class deviation" {
					testStepAgainstReference(t, d, name, c, 16)
				}
				if name != "hidden predictor" {
					testStepAgainstReference(t, d, name, c, inTiles)
				}
			}
		}
	}
}

// inTiles stands for the layout in tiles, in the place of a block.
const inTiles = -1

func testStepAgainstReference(t *testing.T, d *device.Device, name string, c config.Config, block int) {
	t.Run(fmt.Sprintf("%s/%s/block=%d", d.Name, name, block), func(t *testing.T) {
		toy := newToy(t, c)
		toy.block, toy.tiled = max(block, 0), block == inTiles
		if strings.HasPrefix(name, "weighted") {
			toy = toy.weighted()
		}
		if strings.HasSuffix(name, "quantity") {
			toy = toy.measured()
		}
		const step = 2 // the last batch of the first epoch: 2 rows and 2 of padding where B is 4
		e := toy.engine(t, d)
		start := toy.arch.Initial(toy.settings.Seed)
		r := num.RNG(toy.settings.Seed, "biases")
		for _, p := range toy.arch.Parameters() {
			if p.Limit > 0 {
				continue
			}
			for i := range p.Size() { // they begin at 0, where a predictor would give the padding no weights
				start[p.Start+i] = float32(r.NormFloat64())
			}
		}
		if toy.settings.SelectorLogits == config.ClippedSoftmax { // so that something is clipped
			for i := range toy.arch.SelectorSize() {
				start[i] *= 400
			}
		}
		e.Load(start, make([]float32, len(start)))
		theta := float64sOf(start)
		plan := must(e.Plan(step, 1, 1, toy.settings.Live))
		ref := toy.referenceOf(theta, plan)
		var x [][]float64
		var y []int
		var mask []float64
		for b, row := range plan.rows {
			x = append(x, float64sOf(toy.x[int(row)*toy.arch.D:(int(row)+1)*toy.arch.D]))
			y = append(y, toy.y[row])
			ref.weights = append(ref.weights, toy.weight(int(row)))
			if toy.quantity != nil {
				ref.quantity = append(ref.quantity, toy.quantity[row])
			}
			mask = append(mask, float64(plan.masks[b]))
		}
		weights := float64sOf(e.ClassWeights(toy.settings.Live))
		want := ref.loss(x, y, mask, weights, step)
		if low, high := ref.clipped(); toy.settings.SelectorLogits == config.ClippedSoftmax && (low == 0 || high == 0) {
			t.Errorf("%d entries of δ are clipped from below and %d from above", low, high)
		}

		metrics := advanced(t, e, step, 1, toy.settings.Live)
		m := metrics[0]
		compareLosses(t, m, want)

		got, squares := parametersOf(t, e)
		largest := 0.0
		gradient := make([]float64, len(theta))
		for i := range theta {
			const h = 1e-5
			at := theta[i]
			theta[i] = at + h
			up := ref.loss(x, y, mask, weights, step)
			theta[i] = at - h
			down := ref.loss(x, y, mask, weights, step)
			theta[i] = at
			gradient[i] = (up.total - down.total) / (2 * h)
			if i < toy.arch.SelectorSize() && toy.arch.Stepwise { // scores follow no gradient
				gradient[i] = 0
			}
			largest = max(largest, math.Abs(gradient[i]))
		}
		if math.Abs(m.gradient-largest) > 1e-3*largest {
			t.Errorf("the largest gradient is %g, central differences say %g", m.gradient, largest)
		}
		for i, g := range gradient {
			// squares = 0.1 g² after one step from zero: its root is the gradient the graph found, up to its sign.
			if found := math.Sqrt(float64(squares[i]) / 0.1); math.Abs(found-math.Abs(g)) > 2e-4*largest+2e-3*math.Abs(g) {
				t.Fatalf("%s: the gradient is ±%g, central differences say %g", blockOf(toy.arch, i), found, g)
			}
			rate := float64(plan.Hypers[method.HyperLearningRate])
			if i < toy.arch.SelectorSize() {
				rate = float64(plan.Hypers[method.HyperSelectorLearningRate])
			}
			found := math.Sqrt(float64(squares[i]))
			want := theta[i] - rate*math.Copysign(math.Sqrt(float64(squares[i])/0.1), g)/(found+1e-7)
			if math.Abs(g) > 1e-3*largest && math.Abs(float64(got[i])-want) > 1e-5 {
				t.Fatalf("%s: after the step %g, RMSprop by hand says %g", blockOf(toy.arch, i), got[i], want)
			}
		}
	})
}

func compareLosses(t *testing.T, m Metrics, want losses) {
	t.Helper()
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"loss", m.Loss, want.total}, {"class loss", m.LossClass, want.class},
		{"reconstruction loss", m.LossReconstruction, want.reconstruction}, {"accuracy", m.Accuracy, want.accuracy},
	} {
		if math.Abs(c.got-c.want) > 2e-5*(1+math.Abs(c.want)) {
			t.Errorf("%s is %.8g, the reference says %.8g", c.what, c.got, c.want)
		}
	}
}

// However steps are grouped into calls, the bits are the same.
func TestStep_BitExactHoweverGrouped(t *testing.T) {
	for _, d := range devicetest.All(t) {
		t.Run(d.Name, func(t *testing.T) {
			toy := newToy(t, config.Config{Seed: 3})
			var first []float32
			for _, groups := range [][]int{{60}, {7, 13, 40}, slices.Repeat([]int{1}, 60)} {
				e := toy.engine(t, d)
				step := 0
				for _, n := range groups {
					advanced(t, e, step, n, toy.settings.Live)
					step += n
				}
				theta, squares := parametersOf(t, e)
				all := slices.Concat(theta, squares)
				if first == nil {
					first = all
				} else if !slices.Equal(first, all) {
					t.Errorf("%d calls give other bits than one", len(groups))
				}
			}
		})
	}
}

// One step from the same state agrees across backends to 1e-5 of the largest
// change.
func TestStep_BackendsAgree(t *testing.T) {
	list := devicetest.All(t)
	if len(list) < 2 && list[0].Name != "go" {
		d := must(device.Open(t.Context(), "go"))
		defer d.Close()
		list = []*device.Device{list[0], d}
	}
	if len(list) < 2 {
		t.Skip("NOT TESTED: only one backend is at hand")
	}
	toy := newToy(t, config.Config{Seed: 3})
	var first []float32
	for _, d := range list {
		e := toy.engine(t, d)
		advanced(t, e, 0, 1, toy.settings.Live)
		_, squares := parametersOf(t, e)
		if first == nil {
			first = squares
			continue
		}
		largest := slices.Max(first)
		for i := range first {
			if math.Abs(float64(first[i]-squares[i])) > 1e-5*float64(largest) {
				t.Fatalf("%s: %s gives %g, %s gives %g", blockOf(toy.arch, i), list[0].Name, first[i], d.Name, squares[i])
			}
		}
	}
}

// P, the soft matrix and M are the reference's. Their rows sum to 1, and M
// becomes one-hot as τ falls.
func TestMatrices_MatchReference(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for _, protocol := range config.Protocols() {
			t.Run(d.Name+"/"+protocol, func(t *testing.T) {
				toy := newToy(t, config.Config{Protocol: protocol, Seed: 4})
				e := toy.engine(t, d)
				initial, _ := parametersOf(t, e)
				theta := float64sOf(initial)
				for _, tau := range []float64{10, 1, 0.01} {
					soft, sample, p := toy.reference(theta, tau).concrete(-1), toy.reference(theta, tau).concrete(5), toy.reference(theta, 1).concrete(-1)
					for which, want := range [][][]float64{MatrixSoft: soft, MatrixSample: sample, 2: p} {
						look := Look{Sharpness: 1}
						got := must(e.Probability(look))
						if which < 2 {
							got = must(e.Matrix(which, 5, tau, look))
						}
						for k := range want {
							row := float64sOf(got[k*toy.arch.D : (k+1)*toy.arch.D])
							sum := 0.0
							for j, v := range row {
								sum += v
								if v < 0 || math.Abs(v-want[k][j]) > 2e-4 {
									t.Fatalf("τ = %g, matrix %d: [%d, %d] is %g, the reference says %g", tau, which, k, j, v, want[k][j])
								}
							}
							if math.Abs(sum-1) > 1e-5 {
								t.Errorf("τ = %g, matrix %d: row %d sums to %g", tau, which, k, sum)
							}
							if which == MatrixSample && tau == 0.01 && slices.Max(row) < 0.9 {
								t.Errorf("τ = %g: row %d of M is not one-hot: its largest is %g", tau, k, slices.Max(row))
							}
						}
					}
				}
			})
		}
	}
}

// The device's summary of P is what the whole matrix says.
func TestObserve_MatchesMatrix(t *testing.T) {
	for _, d := range devicetest.All(t) {
		toy := newToy(t, config.Config{Seed: 4})
		e := toy.engine(t, d)
		advanced(t, e, 0, 30, toy.settings.Live)
		p := must(e.Probability(Look{Sharpness: 3}))
		const tau = 0.3
		o := must(e.Observe(Look{Sharpness: 3}, tau))
		for k := range toy.arch.K {
			row := float64sOf(p[k*toy.arch.D : (k+1)*toy.arch.D])
			entropy := 0.0
			for _, v := range row {
				entropy -= v * math.Log2(v)
			}
			soft := 0.0
			for _, v := range row {
				soft += math.Pow(v/row[o.Leader[k]], 1/tau)
			}
			if math.Abs(o.Soft[k]-1/soft) > 1e-4 {
				t.Errorf("%s: row %d: the leader's weight without noise is %g, not %g", d.Name, k, o.Soft[k], 1/soft)
			}
			sorted := slices.Sorted(slices.Values(row))
			n := len(sorted)
			if row[o.Leader[k]] != sorted[n-1] || math.Abs(o.Probability[k]-sorted[n-1]) > 1e-6 || math.Abs(o.Second[k]-sorted[n-2]) > 1e-6 ||
				math.Abs(o.Entropy[k]-entropy) > 1e-4 {
				t.Errorf("%s: row %d: leader %d, %g, %g, entropy %g; the matrix says %g, %g, %g", d.Name, k, o.Leader[k], o.Probability[k], o.Second[k],
					o.Entropy[k], sorted[n-1], sorted[n-2], entropy)
			}
		}
	}
}

// A graph that can't be built is an error that names it and its shapes.
func TestGraph_PanicsBecomeErrors(t *testing.T) {
	for _, d := range devicetest.All(t) {
		toy := newToy(t, config.Config{})
		e := toy.engine(t, d)
		_, err := e.programs.call("observe", e.programs.observe, tensors.FromFlatDataAndDimensions([]float32{1, 2}, 2), e.inputs.phi,
			int32(toy.arch.D))
		if err == nil {
			t.Fatal("no error for two parameters")
		}
		for _, want := range []string{`"observe"`, fmt.Sprintf("K=3 d=%d", e.Layout.Width())} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not name %s", err, want)
			}
		}
	}
}

// A step whose loss isn't a number keeps the state before it and names the
// tensor.
func TestStep_BrokenIsNamedAndUndone(t *testing.T) {
	for _, d := range devicetest.All(t) {
		toy := newToy(t, config.Config{Seed: 3})
		e := toy.engine(t, d)
		live := toy.settings.Live
		live.LearningRate = 1e12
		metrics, broken, err := e.Advance(0, 40, live)
		if err != nil || broken == "" || len(metrics) == 40 {
			t.Fatalf("%s: a learning rate of 1e12 broke nothing, %v", d.Name, err)
		}
		again := toy.engine(t, d)
		if n := len(metrics); n > 0 {
			advanced(t, again, 0, n, live)
		}
		a, _ := parametersOf(t, e)
		b, _ := parametersOf(t, again)
		if !slices.Equal(a, b) {
			t.Errorf("%s: the state is not the one before the %s broke at step %d", d.Name, broken, len(metrics))
		}
	}
}

// The tensor that went wrong first is named, wherever in the network it is.
func TestStep_NamesBrokenTensor(t *testing.T) {
	for _, d := range devicetest.All(t) {
		for prefix, want := range map[string]string{
			"selector/":       "selector's output",
			"encoder/":        "class loss",
			"classifier/":     "class loss",
			"decoder/":        "reconstruction loss",
			"reconstruction/": "reconstruction loss",
		} {
			toy := newToy(t, config.Config{Seed: 3})
			e := toy.engine(t, d)
			theta, squares := parametersOf(t, e)
			for i := range theta {
				if strings.HasPrefix(blockOf(e.Layout.Architecture, i), prefix) {
					theta[i] = float32(math.NaN())
				}
			}
			other := e.Fork(theta, squares)
			metrics, broken, err := other.Advance(0, 3, toy.settings.Live)
			if err != nil || broken != want || len(metrics) != 0 {
				t.Errorf("%s: NaN in %s is called %q after %d steps, not %q; %v", d.Name, prefix, broken, len(metrics), want, err)
			}
			other.Close()
		}
		toy := newToy(t, config.Config{Seed: 3})
		e := toy.engine(t, d)
		live := toy.settings.Live
		live.Lambda = 1e39 // finite losses, and a sum that is none
		if _, broken, err := e.Advance(0, 1, live); err != nil || broken != "loss" {
			t.Errorf("%s: it is called %q, %v", d.Name, broken, err)
		}
	}
}
