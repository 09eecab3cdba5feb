package deep

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/nn"
	"fsnetlab/tests/kit/baselinetest"
)

func pinkOf(t *testing.T, m PINK, data baseline.Data, on *device.Scope) *pink {
	t.Helper()
	tr := must(newTrainer(t.Context(), m, data, baseline.Options{K: 2, Seed: 3, Device: on}))(t)
	t.Cleanup(tr.close)
	return newPink(tr, baseline.WithDefaults(m))
}

// One batch's loss and gradient, on both backends, and the statistics match a
// reference in 64 bits. The last row has no weight.
func TestDeepPINK_LossMatchesReference(t *testing.T) {
	const width, counted, classes = 4, 5, 3
	data := baselinetest.Normal(counted+1, width, classes)
	for _, on := range []*device.Scope{baselinetest.Plain(), baselinetest.Compiled()} {
		p := pinkOf(t, PINK{}, data, on)
		if err := p.makeKnockoffs(); err != nil {
			t.Fatal(err)
		}
		x, tilde := nn.Widen(tensors.MustCopyFlatData[float32](p.fixed[0])), nn.Widen(tensors.MustCopyFlatData[float32](p.fixed[1]))
		state := p.initial().upload(0)
		theta := perturbed(state, 0.1, rand.New(rand.NewPCG(4, 4))) // z is not z̃
		const lambda = 0.03
		loss := func() (sum float64) {
			for i := range counted {
				h := make([]float64, width)
				for j := range h {
					pair := theta[0][j]*x[i*width+j] + theta[1][j]*tilde[i*width+j] + theta[2][j]
					h[j] = theta[3][j]*pair + theta[4][j]
				}
				for layer := range 3 {
					if h = dense(h, theta[5+2*layer], theta[6+2*layer]); layer < 2 {
						for o := range h {
							h[o] = max(h[o], 0)
						}
					}
				}
				sum += surprise(h, data.Y[i]) / counted
			}
			for _, weight := range slices.Concat(theta[5], theta[7]) {
				sum += lambda * math.Abs(weight)
			}
			return sum
		}
		p.size = counted + 1
		isLoss(t, "deeppink", on, state, p.fixed, lambda, p.loss, theta, loss, nil)
	}
}

// W_j is computed by sums over all paths through the network.
func TestDeepPINK_StatisticsMatchDefinition(t *testing.T) {
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

// What makes them knockoff statistics: if a feature and its knockoff change
// places, W_j changes its sign, and no other does.
func TestDeepPINK_StatisticsChangeSign(t *testing.T) {
	data := baselinetest.Normal(40, 6, 2)
	p := pinkOf(t, PINK{Epochs: 30}, data, baselinetest.Compiled())
	columns := make([][]float64, len(p.pool))
	for at, j := range p.pool {
		columns[at] = p.Columns()[j]
	}
	x := standardizedColumns(columns)
	sigma, _ := shrunkCovariance(x)
	made, _ := newKnockoffs(sigma)
	tilde := made.draw(x, rand.New(rand.NewPCG(1, 1)))
	p.setInput(x, tilde)
	straight := must(p.statistics(t.Context()))(t)
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
	p.setInput(x, tilde)
	after := must(p.statistics(t.Context()))(t)
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

// With half of the rows for screening, those rows say nothing for a feature
// against its knockoff.
func TestDeepPINK_ScreeningRowsAreTheirKnockoffs(t *testing.T) {
	data := baselinetest.Normal(40, 30, 2)
	p := pinkOf(t, PINK{Pool: 5, Screen: "half"}, data, baselinetest.Plain())
	if len(p.screening) != 20 || len(p.pool) != 5 {
		t.Fatalf("%d rows screen, for %d columns", len(p.screening), len(p.pool))
	}
	if err := p.makeKnockoffs(); err != nil {
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

// If the rows are as in the theory, many and normal, it finds the causes and
// keeps its rate: with q = .2 a fifth of what it vouches for is false on
// average, and little of three tables can be twice that.
func TestDeepPINK_KeepsItsRate(t *testing.T) {
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
		model := must(PINK{Epochs: 60, FDR: 0.2}.Fit(t.Context(), data, baseline.Options{K: d, Seed: int64(round), Device: baselinetest.Compiled()}))(t)
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
