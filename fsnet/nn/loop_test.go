package nn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"fsnetlab/fsnet/device"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

var devices = sync.OnceValue(func() []*device.Scope {
	var list []*device.Scope
	for _, name := range []string{"go", "auto"} {
		d, err := device.OpenScope(context.Background(), name)
		if err != nil {
			panic(err)
		}
		list = append(list, d)
	}
	return list
})

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// line fits a line: the state is slope and intercept and Adam's means, a step
// reads two rows and adds noise to them.
func line(in In) (state []*graph.Node, metrics *graph.Node) {
	x, y := in.Batch(in.Fixed[0]), in.Batch(in.Fixed[1])
	x = graph.Add(x, graph.MulScalar(in.Normal(7, 2, 1), 0.01))
	loss := graph.ReduceAllMean(graph.Square(graph.Sub(graph.Add(graph.Mul(x, in.State[0]), in.State[1]), y)))
	return AdamStep(loss, in.State, 2, in.Number(0),
		in.Number(1)), graph.Stack([]*graph.Node{loss, graph.ConvertDType(in.Step, loss.DType())}, 0)
}

func lineLoop(t *testing.T, d *device.Scope, seed int64) *Loop {
	t.Helper()
	state := []*tensors.Tensor{Tensor([]float32{0}, 1, 1), Tensor([]float32{0}, 1, 1)}
	fixed := []*tensors.Tensor{Tensor([]float32{-1, 0, 1, 2}, 4, 1), Tensor([]float32{-1, 1, 3, 5}, 4, 1)} // y = 2 x + 1
	l, err := NewLoop(d, Program{Name: "line", Step: line, Metrics: 2, Rows: 2, Numbers: 2}, WithZeros(state, 2), fixed, seed)
	check(t, err)
	return l
}

func linePlan(step int, rows []int32, numbers []float32) {
	rows[0], rows[1] = int32(step%4), int32((step+1)%4)
	numbers[0], numbers[1] = AdamRates(0.05, step)
}

func values(t *testing.T, l *Loop) []float32 {
	t.Helper()
	var all []float32
	for i := range l.State() {
		one, err := l.Values(i)
		check(t, err)
		all = append(all, one...)
	}
	return all
}

// However a training is divided into calls, it has the same bits, and it
// learns.
func TestLoop_SameHoweverDivided(t *testing.T) {
	for _, d := range devices() {
		var want []float32
		for _, cuts := range [][]int{{600}, {1, 2, 10, 138, 139, 600}, {299, 600}} {
			l := lineLoop(t, d, 3)
			made, steps := 0, float32(0)
			for _, last := range cuts {
				err := l.Run(t.Context(), last, linePlan, func(n int, metrics [][]float32) (bool, error) {
					for _, m := range metrics {
						if m[1] != steps {
							t.Fatalf("%s: step %v is said to be %v", d.Name(), steps, m[1])
						}
						steps++
					}
					made = n
					return false, nil
				})
				if err != nil || made != last || l.Made() != last {
					t.Fatalf("%s: %d of %d steps, %v", d.Name(), made, last, err)
				}
			}
			got := values(t, l)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: cut at %v it comes to %v, not %v", d.Name(), cuts, got, want)
			}
			if math.Abs(float64(got[0])-2) > 0.05 || math.Abs(float64(got[1])-1) > 0.05 {
				t.Errorf("%s: it finds y = %v x + %v", d.Name(), got[0], got[1])
			}
			l.Close()
		}
		other := lineLoop(t, d, 4)
		check(t, other.Run(t.Context(), 600, linePlan, func(int, [][]float32) (bool, error) { return false, nil }))
		if slices.Equal(values(t, other), want) {
			t.Errorf("%s: another seed comes to the same", d.Name())
		}
		other.Close()
	}
}

// A loop ends with its context, with its callback, and at its last step.
func TestLoop_Ends(t *testing.T) {
	for _, d := range devices() {
		l := lineLoop(t, d, 1)
		ctx, cancel := context.WithCancel(t.Context())
		err := l.Run(ctx, 1000, linePlan, func(int, [][]float32) (bool, error) { cancel(); return false, nil })
		if !errors.Is(err, context.Canceled) || l.Made() >= 1000 {
			t.Errorf("canceled after %d steps: %v", l.Made(), err)
		}
		made := l.Made()
		if err := l.Run(t.Context(), 1000, linePlan, func(int, [][]float32) (bool, error) { return true, nil }); err != nil || l.Made() == made ||
			l.Made() == 1000 {
			t.Errorf("stopped after %d steps: %v", l.Made(), err)
		}
		stop := errors.New("stop")
		if err := l.Run(t.Context(), 1000, linePlan, func(int, [][]float32) (bool, error) { return false, stop }); !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
		l.Close()
	}
}

// A graph that can't be built is an error, not a panic.
func TestCall_Guards(t *testing.T) {
	_, err := devices()[0].Call("broken", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.Add(in[0], graph.Const(in[0].Graph(), []float32{1, 2, 3}))}
	}, []float32{1, 2})
	if err == nil {
		t.Error("it adds lists of different lengths")
	}
}

// The draws are the documented hash, and distributed as they should be.
func TestNoise_IsTheHash(t *testing.T) {
	lowbias := func(x uint32) uint32 {
		x = (x ^ x>>16) * 0x7feb352d
		x = (x ^ x>>15) * 0x846ca68b
		return x ^ x>>16
	}
	splitmix := func(x uint64) uint64 {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	for _, d := range devices() {
		out, err := d.Call("noise", func(in []*graph.Node) []*graph.Node {
			i := In{Seed: in[0], Step: in[1]}
			return []*graph.Node{i.Noise(9).Uniform(100, 50), i.Noise(9).Gumbel(100, 50), i.Normal(20, 5000),
				i.Dropout(3, graph.OnesLike(i.Noise(9).Uniform(100, 50)), graph.Const(in[0].Graph(), float32(0.25)))}
		}, []uint32{11, 0}, uint32(6))
		check(t, err)
		key := splitmix(splitmix(11+0x9e3779b97f4a7c15) + 9<<32 + 6)
		for i, u := range tensors.MustCopyFlatData[float32](out[0]) {
			bits := lowbias(lowbias(uint32(i)^uint32(key)) + uint32(key>>32))
			want := math.Float32frombits(bits>>9|0x3f800000) - (1 - 1.0/(1<<24))
			if u != want || u <= 0 || u >= 1 {
				t.Fatalf("%s: draw %d is %v, not %v", d.Name(), i, u, want)
			}
		}
		moments := func(i int) (mean, variance float64) {
			list := tensors.MustCopyFlatData[float32](out[i])
			for _, v := range list {
				mean += float64(v) / float64(len(list))
			}
			for _, v := range list {
				variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(list))
			}
			return mean, variance
		}
		for i, want := range [][2]float64{{0.5, 1.0 / 12}, {0.5772, math.Pi * math.Pi / 6}, {0, 1}, {1, 1.0 / 3}} {
			mean, variance := moments(i)
			if math.Abs(mean-want[0]) > 0.06 || math.Abs(variance-want[1]) > 0.1*want[1]+0.02 {
				t.Errorf("%s: draw %d has mean %v and variance %v", d.Name(), i, mean, variance)
			}
		}
	}
}

// Adam matches plain loops in 64 bits.
func TestAdam_MatchesLoops(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	theta, m, v := 0.3, 0.0, 0.0
	state := []any{float32(0.3), float32(0), float32(0)}
	for step := range 20 {
		g := float64(float32(random.NormFloat64()))
		scaled, root := AdamRates(0.01, step)
		out, err := devices()[0].Call("adam", func(in []*graph.Node) []*graph.Node {
			a, b, c := Adam(in[4], in[5], in[0], in[3], in[1], in[2])
			return []*graph.Node{a, b, c}
		}, append(slices.Clone(state), float32(g), scaled, root)...)
		check(t, err)
		m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
		power := float64(step + 1)
		theta -= 0.01 * (m / (1 - math.Pow(0.9, power))) / (math.Sqrt(v/(1-math.Pow(0.999, power))) + 1e-8)
		for i, want := range []float64{theta, m, v} {
			got := tensors.ToScalar[float32](out[i])
			state[i] = got
			if math.Abs(float64(got)-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("step %d: number %d is %v, not %v", step, i, got, want)
			}
		}
	}
}

// The scores of a small perceptron are those computed by hand, for each
// activation.
func TestPerceptron_ByHand(t *testing.T) {
	p := &Perceptron{
		Columns:    []int{2, 0},
		Layers:     []Layer{{[]float64{1, 0, 2, -1, 1, 0.5}, []float64{0.5, 0, -1}}, {[]float64{1, 0, 0, 1, 2, 2}, []float64{0, 0.25}}},
		Activation: ActivateReLU,
	}
	// x = (3, −1); hidden = (3+1+0.5, −1, 6−0.5−1) = (4.5, 0, 4.5); scores =
	// (4.5+9, 9+0.25)
	if got := p.Scores([]float64{-1, 99, 3}); !slices.Equal(got, []float64{13.5, 9.25}) || p.Predict([]float64{-1, 99, 3}) != 0 {
		t.Errorf("%v", got)
	}
	if got := p.Parameters(); got != 6+3+6+2 {
		t.Errorf("%d parameters", got)
	}
	for a, want := range map[Activation]float64{ActivateLeakyReLU: -0.4, ActivateReLU: 0, ActivateTanh: math.Tanh(-2)} {
		out, err := devices()[0].Call("activation"+string(rune('a'+int(a))),
			func(in []*graph.Node) []*graph.Node { return []*graph.Node{a.Of(in[0])} }, []float32{-2, 1.5})
		check(t, err)
		got := tensors.MustCopyFlatData[float32](out[0])
		if a.apply(-2) != want || math.Abs(float64(got[0])-want) > 1e-6 || math.Abs(float64(got[1])-a.apply(1.5)) > 1e-6 {
			t.Errorf("activation %d: %v and %v, not %v", a, a.apply(-2), got, want)
		}
	}
}

// Scores are multiplied by a factor and shifted, with and without a hidden
// layer. The network itself doesn't change.
func TestPerceptron_Rescaled(t *testing.T) {
	deep := &Perceptron{Columns: []int{1, 0}, Activation: ActivateTanh, Layers: []Layer{
		{Weights: []float64{1, 2, 3, 4}, Biases: []float64{0.5, -0.5}}, {Weights: []float64{2, -3}, Biases: []float64{1}},
	}}
	bare := &Perceptron{Layers: []Layer{{Biases: []float64{0}}}}
	row := []float64{0.3, -0.2}
	for _, p := range []*Perceptron{deep, bare} {
		before := p.Estimate(row)
		if got, want := p.Rescaled(7, 10).Estimate(row), 10*before+7; math.Abs(got-want) > 1e-12 {
			t.Errorf("%v, not %v", got, want)
		}
		if p.Estimate(row) != before {
			t.Error("the network has changed")
		}
	}
}
