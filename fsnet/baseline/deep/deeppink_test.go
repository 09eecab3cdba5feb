package deep

import (
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

func pinkOf(t *testing.T, m PINK, data baseline.Data, on *device.Scope) *pink {
	t.Helper()
	tr, err := newTrainer(t.Context(), m, data, baseline.Options{K: 2, Seed: 3, Device: on})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.close)
	return screened(tr, baseline.Defaulted(m))
}

// One batch's loss and gradient, on both backends, and the statistics, against a reference in 64 bits. The last row does not count.
func TestDeepPINKLossIsItsReference(t *testing.T) {
	const width, counted, classes = 4, 5, 3
	data := baselinetest.Normal(counted+1, width, classes)
	for _, on := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		p := pinkOf(t, PINK{}, data, on)
		if err := p.pair(); err != nil {
			t.Fatal(err)
		}
		x, tilde := nn.Widen(tensors.MustCopyFlatData[float32](p.fixed[0])), nn.Widen(tensors.MustCopyFlatData[float32](p.fixed[1]))
		state := p.initial().state(0)
		var theta [][]float64
		random := rand.New(rand.NewPCG(4, 4))
		for i, tensor := range state {
			values := tensors.MustCopyFlatData[float32](tensor)
			for at := range values { // z is not z̃, nor a bias 0
				values[at] += float32(0.1 * random.NormFloat64())
			}
			state[i] = nn.Tensor(values, tensor.Shape().Dimensions...)
			theta = append(theta, nn.Widen(values))
		}
		const lambda = 0.03
		loss := func() (sum float64) {
			for i := range counted {
				h := make([]float64, width)
				for j := range h {
					pair := theta[0][j]*x[i*width+j] + theta[1][j]*tilde[i*width+j] + theta[2][j]
					h[j] = theta[3][j]*pair + theta[4][j]
				}
				for layer := range 3 {
					out := append([]float64(nil), theta[6+2*layer]...)
					for a := range h {
						for o := range out {
							out[o] += h[a] * theta[5+2*layer][a*len(out)+o]
						}
					}
					if h = out; layer < 2 {
						for o := range h {
							h[o] = max(h[o], 0)
						}
					}
				}
				all := 0.0
				for _, score := range h {
					all += math.Exp(score)
				}
				sum += (math.Log(all) - h[data.Y[i]]) / counted
			}
			for _, weight := range slices.Concat(theta[5], theta[7]) {
				sum += lambda * math.Abs(weight)
			}
			return sum
		}
		args := []any{}
		for _, tensor := range append(state, p.fixed...) {
			args = append(args, tensor)
		}
		args = append(args, []uint32{3, 0}, uint32(8), []int32{0, 1, 2, 3, 4, 5}, []float32{0, 0, lambda, 0, 1, 1, 1, 1, 1, 0})
		p.size = counted + 1
		out, err := on.Call("deeppink loss of the test", func(in []*graph.Node) []*graph.Node {
			rest := in[len(state)+len(p.fixed):]
			value := p.loss(nn.In{State: in[:len(state)], Fixed: in[len(state):][:len(p.fixed)], Seed: rest[0], Step: rest[1], Rows: rest[2], Numbers: rest[3]})
			return append(graph.Gradient(value, in[:len(state)]...), value)
		}, args...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := float64(tensors.ToScalar[float32](out[len(state)])), loss(); math.Abs(got-want) > 1e-5*want {
			t.Errorf("%s: the loss is %v, the reference says %v", on.Name(), got, want)
		}
		followsDifferences(t, on.Name(), theta, flat(out[:len(state)], 1), loss, nil)
	}
}

// W_j by sums over all ways through the network.
func TestPinkStatisticsAreTheirDefinition(t *testing.T) {
	const p, c = 3, 2
	random := rand.New(rand.NewPCG(8, 8))
	var theta [][]float32
	for _, size := range []int{p, p, p, p, p, p * p, p, p * p, p, p * c, c} {
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(random.NormFloat64())
		}
		theta = append(theta, values)
	}
	at := func(i, k int) float64 { return float64(theta[i][k]) }
	for j, got := range pinkStatistics(theta, p, c) {
		difference := 0.0 // between the two classes: half of its square is the sum over centred ones
		for a := range p {
			for b := range p {
				difference += at(5, j*p+a) * at(7, a*p+b) * (at(9, b*c) - at(9, b*c+1))
			}
		}
		z, tilde := at(0, j)*at(3, j)*difference, at(1, j)*at(3, j)*difference
		if want := (z*z - tilde*tilde) / 2; math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("W[%d] is %v, not %v", j, got, want)
		}
	}
}

// What makes them knockoff statistics: where a feature changes places with its knockoff, W_j changes its sign, and no other does.
func TestKnockoffStatisticsChangeTheirSign(t *testing.T) {
	data := baselinetest.Normal(40, 6, 2)
	p := pinkOf(t, PINK{Epochs: 30}, data, baselinetest.Compiled())
	columns := make([][]float64, len(p.pool))
	for at, j := range p.pool {
		columns[at] = p.Columns()[j]
	}
	x := standardizedColumns(columns)
	sigma, _ := shrunkCovariance(x)
	made, _ := newKnockoffs(sigma)
	tilde := made.Of(x, rand.New(rand.NewPCG(1, 1)))
	p.upload(x, tilde)
	straight, err := p.statistics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for _, w := range straight {
		largest = max(largest, math.Abs(w))
	}
	if largest == 0 {
		t.Fatal("all statistics are 0")
	}
	swapped := []int{1, 4}
	for _, j := range swapped {
		for i := range 40 {
			a, b := x.At(i, j), tilde.At(i, j)
			x.Set(i, j, b)
			tilde.Set(i, j, a)
		}
	}
	p.upload(x, tilde)
	after, err := p.statistics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for j := range after {
		want := straight[j]
		if slices.Contains(swapped, j) {
			want = -want
		}
		if math.Abs(after[j]-want) > 1e-3*largest {
			t.Errorf("W[%d] was %v and is %v", j, straight[j], after[j])
		}
	}
}

// With half of the rows for screening, those rows say nothing for a feature against its knockoff.
func TestScreeningRowsAreTheirKnockoffs(t *testing.T) {
	data := baselinetest.Normal(40, 30, 2)
	p := pinkOf(t, PINK{Pool: 5, Screen: "half"}, data, baselinetest.Plain())
	if len(p.screening) != 20 || len(p.pool) != 5 {
		t.Fatalf("%d rows screen, for %d columns", len(p.screening), len(p.pool))
	}
	if err := p.pair(); err != nil {
		t.Fatal(err)
	}
	x, tilde := tensors.MustCopyFlatData[float32](p.fixed[0]), tensors.MustCopyFlatData[float32](p.fixed[1])
	for i := range 40 {
		same := slices.Equal(x[i*5:(i+1)*5], tilde[i*5:(i+1)*5])
		if same != slices.Contains(p.screening, i) {
			t.Errorf("row %d is its knockoff: %v", i, same)
		}
	}
}

// Where the rows are as the theory has them, many and normal, it finds the causes and keeps its word: with q = .2 a fifth of what it vouches
// for is false on average, and little of three tables can be twice that.
func TestDeepPINKKeepsItsWord(t *testing.T) {
	const n, d, causal = 400, 40, 10
	wrong, found, vouched := 0, 0, 0
	for round := range 3 {
		random := rand.New(rand.NewPCG(uint64(round), 13))
		data := baseline.Data{Classes: 2}
		for range n {
			row, eta := make([]float64, d), 0.0
			for j := range row {
				if row[j] = random.NormFloat64(); j > 0 {
					row[j] = 0.4*row[j-1] + row[j]*math.Sqrt(1-0.16)
				}
				if j%4 == 0 {
					eta += float64(1-j/4%2*2) * row[j]
				}
			}
			y := 0
			if 1.5*eta+random.NormFloat64() > 0 {
				y = 1
			}
			data.Rows, data.Y = append(data.Rows, row), append(data.Y, y)
		}
		model, err := PINK{Epochs: 60, FDR: 0.2}.Fit(t.Context(), data, baseline.Options{K: d, Seed: int64(round), Device: baselinetest.Compiled()})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range model.Selected {
			switch {
			case f.Padding:
			case f.Index%4 == 0:
				found++
				vouched++
			default:
				wrong++
				vouched++
			}
		}
	}
	t.Logf("%d vouched for, %d of 30 causes found, %d false", vouched, found, wrong)
	if found < 20 || float64(wrong) > 0.4*float64(vouched) {
		t.Errorf("%d vouched for, %d of 30 causes found, %d false", vouched, found, wrong)
	}
}

// Of features that say nothing as many have W above 0 as below.
func TestStatisticsOfNothingHaveNoSign(t *testing.T) {
	above, below := 0, 0
	for round := range 4 {
		random := rand.New(rand.NewPCG(uint64(round), 77))
		data := baseline.Data{Classes: 2}
		for i := range 80 {
			row := make([]float64, 30)
			for j := range row {
				row[j] = random.NormFloat64()
			}
			data.Rows, data.Y = append(data.Rows, row), append(data.Y, i%2)
		}
		p := pinkOf(t, PINK{}, data, baselinetest.Compiled())
		if err := p.pair(); err != nil {
			t.Fatal(err)
		}
		w, err := p.statistics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range w {
			if v > 0 {
				above++
			} else if v < 0 {
				below++
			}
		}
	}
	if all := above + below; all < 100 || math.Abs(float64(above-below)) > 3*math.Sqrt(float64(all)) {
		t.Errorf("%d above 0, %d below", above, below)
	}
	t.Log(fmt.Sprint(above, " above 0, ", below, " below"))
}
