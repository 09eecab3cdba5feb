package metric

import (
	"math"
	"testing"

	"fsnetlab/internal/num"
)

// CorrelationF is that of the least-squares line, here by its residuals, with
// repeated rows instead of weights.
func TestCorrelationF_MatchesLeastSquares(t *testing.T) {
	const n, d = 12, 5
	r := num.RNG(3, "correlation")
	x, y, weights := make([]float64, n*d), make([]float64, n), make([]float64, n)
	var many, manyY []float64
	sum := 0.0
	for i := range n {
		y[i] = 50 + 9*r.NormFloat64()
		for j := range d {
			x[i*d+j] = 1000*float64(j) + r.NormFloat64() + 0.1*float64(j)*y[i]
		}
		x[i*d+4] = 0.1 // constant
		weights[i] = float64(1 + i%3)
		sum += weights[i]
		for range 1 + i%3 {
			many, manyY = append(many, x[i*d:(i+1)*d]...), append(manyY, y[i])
		}
	}
	for i := range weights {
		weights[i] *= n / sum
	}
	for name, c := range map[string]struct{ x, y, weights, again, againY []float64 }{
		"one each": {x, y, nil, x, y}, "weighted": {x, y, weights, many, manyY},
	} {
		got, err := CorrelationF(rowsOf(c.x, d, n), d, c.y, c.weights)
		if err != nil {
			t.Fatal(err)
		}
		for j := range d {
			if j == 4 {
				if got[j] != 0 {
					t.Errorf("%s: a constant column has %g", name, got[j])
				}
				continue
			}
			m := len(c.againY)
			column := make([]float64, m)
			mx, my := 0.0, 0.0
			for i := range m {
				column[i] = c.again[i*d+j]
				mx, my = mx+column[i]/float64(m), my+c.againY[i]/float64(m)
			}
			sxy, sxx := 0.0, 0.0
			for i, v := range column {
				sxy, sxx = sxy+(v-mx)*(c.againY[i]-my), sxx+(v-mx)*(v-mx)
			}
			explained, rest := 0.0, 0.0
			for i, v := range column {
				said := my + sxy/sxx*(v-mx)
				explained, rest = explained+(said-my)*(said-my), rest+(c.againY[i]-said)*(c.againY[i]-said)
			}
			want := explained / (rest + 1e-6*(explained+rest)) * (n - 2)
			if math.Abs(got[j]-want) > 1e-7*want {
				t.Errorf("%s, column %d: %g, not %g", name, j, got[j], want)
			}
		}
	}
	same, _ := CorrelationF(rowsOf(x, d, n), d, make([]float64, n), nil)
	for j, f := range same {
		if f != 0 {
			t.Errorf("of a constant quantity column %d has %g", j, f)
		}
	}
}
