package deep

import (
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/num"
	"fsnetlab/tests/kit/baselinetest"
)

// Steps of the own head on all rows at once are those of a reference in 64
// bits: x W + b, LeakyReLU, softmax, Adam, with gradients by hand.
func TestHead_MatchesReference(t *testing.T) {
	const width, steps, rate = 3, 4, 0.01
	data := baselinetest.Normal(12, 4, 3)
	m := Head{Hidden: []int{width}, Steps: steps, Batch: 100, Rate: rate}
	model := must(m.Fit(t.Context(), data, baseline.Options{Seed: 5, Device: baselinetest.Plain()}))(t)
	network := model.Predictor.(*nn.Perceptron)
	d, c := data.Width(), data.Classes
	draw := func(i uint64, in, out int) []float64 {
		return nn.Widen(nn.GlorotUniform(num.RNG(5, "own head weights", i), in, out))
	}
	theta := [][]float64{draw(0, d, width), make([]float64, width), draw(2, width, c), make([]float64, c)}
	first, second := make([][]float64, 4), make([][]float64, 4)
	for i := range theta {
		first[i], second[i] = make([]float64, len(theta[i])), make([]float64, len(theta[i]))
	}
	for step := range steps {
		gradient := make([][]float64, 4)
		for i := range theta {
			gradient[i] = make([]float64, len(theta[i]))
		}
		n := float64(len(data.Rows))
		for r, row := range data.Rows {
			h, scores := slices.Clone(theta[1]), slices.Clone(theta[3])
			for o := range h {
				for i, j := range network.Columns {
					h[o] += row[j] * theta[0][i*width+o]
				}
				h[o] = max(h[o], 0.2*h[o])
				for k := range scores {
					scores[k] += h[o] * theta[2][o*c+k]
				}
			}
			sum := 0.0
			for _, s := range scores {
				sum += math.Exp(s)
			}
			back := make([]float64, width)
			for k, s := range scores {
				g := math.Exp(s) / sum / n
				if data.Y[r] == k {
					g -= 1 / n
				}
				gradient[3][k] += g
				for o := range h {
					gradient[2][o*c+k] += g * h[o]
					back[o] += g * theta[2][o*c+k]
				}
			}
			for o := range h {
				if h[o] < 0 {
					back[o] *= 0.2
				}
				gradient[1][o] += back[o]
				for i, j := range network.Columns {
					gradient[0][i*width+o] += back[o] * row[j]
				}
			}
		}
		for i := range theta {
			for j, g := range gradient[i] {
				first[i][j] = 0.9*first[i][j] + 0.1*g
				second[i][j] = 0.999*second[i][j] + 0.001*g*g
				time := float64(step + 1)
				theta[i][j] -= rate / (1 - math.Pow(0.9, time)) * first[i][j] / (math.Sqrt(second[i][j]/(1-math.Pow(0.999, time))) + 1e-8)
			}
		}
	}
	for i, got := range [][]float64{network.Layers[0].Weights, network.Layers[0].Biases, network.Layers[1].Weights, network.Layers[1].Biases} {
		for j, want := range theta[i] {
			if math.Abs(got[j]-want) > 2e-4 {
				t.Errorf("tensor %d, number %d is %g, by hand %g", i, j, got[j], want)
			}
		}
	}
}

// With dropout and batches it learns what can be learned, and the same seed
// gives the same bits.
func TestHead_Learns(t *testing.T) {
	data := baselinetest.Normal(60, 3, 2)
	for i := range data.Rows {
		data.Rows[i][1] += 3 * float64(data.Y[i])
	}
	m := Head{Hidden: []int{8, 4}, Dropout: 0.2, Steps: 400}
	fit := func() *baseline.Model {
		return must(m.Fit(t.Context(), data, baseline.Options{Seed: 2, Device: baselinetest.Plain()}))(t)
	}
	one, other := fit(), fit()
	if accuracy, err := one.Score(data); err != nil || accuracy < 0.85 {
		t.Errorf("accuracy %v: %v", accuracy, err)
	}
	if !slices.Equal(one.Predictor.(*nn.Perceptron).Layers[0].Weights, other.Predictor.(*nn.Perceptron).Layers[0].Weights) {
		t.Error("the same seed gives other weights")
	}
	data.Y, data.Classes, data.Target = nil, 0, make([]float64, len(data.Rows))
	for i, row := range data.Rows {
		data.Target[i] = 40 + 5*row[0] - 5*row[2]
	}
	if r2, err := fit().Score(data); err != nil || r2 < 0.85 {
		t.Errorf("R² %v of a quantity: %v", r2, err)
	}
}

// must is the value that there is, or ends the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
