package deep

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/baselinetest"
)

// noiseOf draws what a step draws; name is another one for each draw.
func noiseOf(t *testing.T, name string, seed int64, step uint32, draw func(in nn.In) []*graph.Node) [][]float64 {
	t.Helper()
	out := must(baselinetest.Plain().Call(name, func(nodes []*graph.Node) []*graph.Node {
		return draw(nn.In{Seed: nodes[0], Step: nodes[1]})
	}, []uint32{uint32(uint64(seed)), uint32(uint64(seed) >> 32)}, step))(t)
	var lists [][]float64
	for _, o := range out {
		flat := must(device.Floats(o))(t)
		lists = append(lists, nn.Widen(flat))
	}
	return lists
}

// caeReference is the loss of one batch in 64 bits, from parameters as initial
// lists them.
type caeReference struct {
	x       [][]float64
	y       []int
	classes int // 0 without a head
	k       int
	tau     float64
	lambda  float64
	gumbel  []float64   // K×d
	uniform [][]float64 // of each hidden layer, B×units
}

func (r caeReference) loss(theta [][]float64) float64 {
	d := len(r.x[0])
	matrix := make([][]float64, r.k)
	for k := range matrix {
		row := make([]float64, d)
		top, sum := math.Inf(-1), 0.0
		for j := range row {
			row[j] = (theta[0][k*d+j] + r.gumbel[k*d+j]) / r.tau
			top = max(top, row[j])
		}
		for j := range row {
			row[j] = math.Exp(row[j] - top)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
		matrix[k] = row
	}
	total := 0.0
	for i, x := range r.x {
		h := make([]float64, r.k)
		for k := range h {
			for j := range x {
				h[k] += matrix[k][j] * x[j]
			}
		}
		at, layer := 1, 0
		next := func(h []float64) []float64 {
			at += 2
			return dense(h, theta[at-2], theta[at-1])
		}
		hidden := func(h []float64) []float64 {
			h = next(h)
			for o := range h {
				h[o] = max(h[o], 0.2*h[o]) / 0.8
				if r.uniform[layer][i*len(h)+o] < float64(float32(0.2)) {
					h[o] = 0
				}
			}
			layer++
			return h
		}
		for range 3 {
			h = hidden(h)
		}
		class := 0.0
		if r.classes > 0 {
			class = surprise(next(h), r.y[i])
		}
		for range 2 {
			h = hidden(h)
		}
		error := 0.0
		for j, back := range next(h) {
			error += (x[j] - back) * (x[j] - back) / float64(d)
		}
		total += class + r.lambda*error
	}
	return total / float64(len(r.x))
}

// One step's loss and gradient match the reference and its central differences.
// The last row of the batch has no weight.
func TestCAE_StepMatchesReference(t *testing.T) {
	for _, supervised := range []bool{false, true} {
		m, lambda := CAE{Batch: 6}, 0.0
		if supervised {
			lambda = 2.5
		}
		data := baselinetest.Normal(6, 9, 2)
		tr := must(newTrainer(t.Context(), m, data, baseline.Options{K: 3, Seed: 5, Device: baselinetest.Plain()}))(t)
		a := newAutoencoder(tr, m, lambda)
		first := a.initial(0)
		r := caeReference{k: 3, tau: 0.7, lambda: cmp.Or(lambda, 1)}
		if supervised {
			r.classes = 2
		}
		var theta [][]float64
		for _, values := range first.values {
			theta = append(theta, nn.Widen(values))
		}
		if got, want := len(slices.Concat(theta...)), (SupervisedCAE{}).Trained(3, 9, 2); supervised && got != want {
			t.Errorf("the training learns %d numbers, and is said to learn %d", got, want)
		}
		for i := range 5 {
			row := make([]float64, 9)
			for p, j := range a.order {
				row[p] = float64(float32(data.Rows[i][j]))
			}
			r.x, r.y = append(r.x, row), append(r.y, data.Y[i])
		}
		const step = 4
		r.gumbel = noiseOf(t, "cae gumbel", 5, step, func(in nn.In) []*graph.Node { return []*graph.Node{in.Noise(1).Gumbel(3, 9)} })[0]
		for layer, units := range []int{64, 32, 16, 32, 64} {
			r.uniform = append(r.uniform, noiseOf(t, fmt.Sprint("cae dropout ", layer), 5, step, func(in nn.In) []*graph.Node {
				return []*graph.Node{in.Noise(uint32(17+layer)).Uniform(6, units)}
			})[0])
		}
		state := first.upload(2)
		a.learned = len(theta)
		args := []any{}
		for _, s := range state {
			args = append(args, s)
		}
		args = append(args, a.fixed[0], a.fixed[1], []uint32{5, 0}, uint32(step), []int32{0, 1, 2, 3, 4, 5}, []float32{1, 1, float32(lambda), 0.7, 1, 1, 1, 1, 1, 0})
		out := must(baselinetest.Plain().Call(fmt.Sprint(t.Name(), supervised), func(in []*graph.Node) []*graph.Node {
			rest := in[len(state):]
			after, loss := a.step(nn.In{State: in[:len(state)], Fixed: rest[:2], Seed: rest[2], Step: rest[3], Rows: rest[4], Numbers: rest[5]})
			return append(after, loss)
		}, args...))(t)
		got := float64(tensors.MustCopyFlatData[float32](out[len(out)-1])[0])
		if want := r.loss(theta); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: the loss is %v, the reference says %v", a.Name, got, want)
		}
		random := rand.New(rand.NewPCG(1, 2))
		// The means of the optimiser are 0.1 of the gradient.
		followsDifferences(t, a.Name, theta, flat(out[a.learned:a.learned+len(theta)], 10), func() float64 { return r.loss(theta) }, random)
		a.close()
	}
}

// With protocol=paper a training has RMSprop, 4000 epochs, one try, and τ from
// 10 to 0.01 by epoch, unless a setting says otherwise.
func TestCAE_PaperProtocol(t *testing.T) {
	m := SupervisedCAE{CAE: CAE{Protocol: caePaper, LearningRate: 0.002}}.withDefaults()
	if m.Epochs != 4000 || m.Tries != 1 || m.Batch != 8 || m.Lambda != 1 {
		t.Errorf("%+v", m)
	}
	if m := (CAE{Protocol: caePaper, Epochs: 7, Tries: 3, Batch: 5}).withDefaults(); m.Epochs != 7 || m.Tries != 3 || m.Batch != 5 {
		t.Errorf("what was asked for: %+v", m)
	}
	tr := must(newTrainer(t.Context(), m, baselinetest.Normal(12, 9, 2), baseline.Options{K: 3, Seed: 5, Device: baselinetest.Plain()}))(t)
	defer tr.close()
	a := newAutoencoder(tr, m.CAE, m.Lambda)
	plan, rows, numbers := a.anneal(0, 8000), make([]int32, 8), make([]float32, batchNumbers+8) // two steps an epoch
	for step, want := range map[int]float64{0: 10 * math.Pow(0.001, 1./4000), 1: 10 * math.Pow(0.001, 1./4000), 2: 10 * math.Pow(0.001, 2./4000), 7999: 0.01} {
		plan(step, rows, numbers)
		if got := float64(numbers[batchTau]); math.Abs(got-want) > 1e-6*want || numbers[batchScaled] != 0.002 {
			t.Errorf("step %d: τ %g, not %g, rate %g", step, got, want, numbers[batchScaled])
		}
	}
	first := a.initial(0)
	loop := must(a.loop(first, 1))(t)
	defer loop.Close()
	if err := a.runTo(t.Context(), loop, 1, plan); err != nil {
		t.Fatal(err)
	}
	after := must(loop.First(2 * a.learned))(t)
	moved := 0
	for i, values := range first.values {
		for j, before := range values { // s = 0.1 g², θ moves by η g/(√s + 1e-7)
			root := math.Sqrt(float64(after[a.learned+i][j]))
			want, got := 0.002*root*math.Sqrt(10)/(root+1e-7), math.Abs(float64(after[i][j]-before))
			if math.Abs(got-want) > 1e-6 {
				t.Fatalf("tensor %d, number %d moved by %g, not %g", i, j, got, want)
			}
			if got > 0.006 {
				moved++
			}
		}
	}
	if moved < 100 {
		t.Errorf("%d numbers moved", moved)
	}
}

// A model's size is that of the network that predicts: no logits, no decoder,
// no predictor of weights. A Diet Network's weights have been predicted by
// then.
func TestModels_SizeOfThePredictor(t *testing.T) {
	data := baselinetest.Normal(12, 30, 2)
	for _, c := range []struct {
		m    baseline.Method
		k    int
		want int
	}{
		{SupervisedCAE{CAE: CAE{Epochs: 1, Tries: 1}}, 4, 4*64 + 64 + 64*32 + 32 + 32*16 + 16 + 16*2 + 2},
		{DietNet{Epochs: 1}, 0, 30*100 + 100 + 100*100 + 100 + 100*2 + 2},
	} {
		model := must(c.m.Fit(t.Context(), data, baseline.Options{K: c.k, Device: baselinetest.Plain()}))(t)
		if got := model.Predictor.Parameters(); got != c.want {
			t.Errorf("%s: %d numbers predict, not %d", c.m.Entry().Name, got, c.want)
		}
	}
}

// groups are rows of three hidden quantities, each shown by four columns,
// first, and of noise.
func groups(n int) baseline.Data {
	random := rand.New(rand.NewPCG(3, 3))
	data := baseline.Data{Classes: 2}
	for i := range n {
		row := make([]float64, 30)
		for g := range 3 {
			hidden := 2 * random.NormFloat64()
			for c := range 4 {
				row[4*g+c] = hidden + 0.3*random.NormFloat64()
			}
		}
		for j := 12; j < 30; j++ {
			row[j] = 0.3 * random.NormFloat64()
		}
		data.Rows, data.Y = append(data.Rows, row), append(data.Y, i%2)
	}
	return data
}

// To reconstruct all columns it chooses one of each group, whatever the
// classes. On another processor rounding may decide about a single selector, so
// three seeds are judged together.
func TestCAE_TakesOneOfEachGroup(t *testing.T) {
	m := CAE{Epochs: 1500, Tries: 3, LearningRate: 0.005}
	good, apart := 0, 0
	for seed := range int64(3) {
		model := must(m.Fit(t.Context(), groups(64), baseline.Options{K: 3, Seed: seed + 1, Device: baselinetest.Compiled()}))(t)
		seen := map[int]bool{}
		for _, f := range model.Selected {
			if f.Index < 12 && f.Score >= 0.5 {
				good++
				seen[f.Index/4] = true
			}
		}
		apart += len(seen)
	}
	if good < 8 || apart < 8 {
		t.Errorf("of 9 selectors %d take one of a group, and they take %d of 9 groups", good, apart)
	}
}

// Without a device it opens its own.
func TestCAE_OpensADevice(t *testing.T) {
	heard := ""
	m := CAE{Epochs: 2, Tries: 2}
	data := groups(64) // and 3 features: the shared device has compiled that for the test before
	o := baseline.Options{K: 3, Seed: 3, Progress: func(p baseline.Progress) { heard = p.Stage }}
	alone := must(m.Fit(t.Context(), data, o))(t)
	if heard != "training, try 2" {
		t.Errorf("it ends with %q", heard)
	}
	o.Device = baselinetest.Compiled()
	shared := must(m.Fit(t.Context(), data, o))(t)
	for r, f := range alone.Selected {
		if f != shared.Selected[r] {
			t.Errorf("rank %d is %+v alone and %+v on a shared device", r, f, shared.Selected[r])
		}
	}
}
