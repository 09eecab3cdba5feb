package forward

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
)

// The order is the user's columns, each once, that of the class first and what repeats it last.
func TestOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	data := baseline.Data{Classes: 2}
	for i := range 40 {
		y := i % 2
		second := random.NormFloat64()
		data.Y = append(data.Y, y)
		class := float64(y) + 0.2*second + 0.3*random.NormFloat64()
		data.Rows = append(data.Rows, []float64{random.NormFloat64(), class, random.NormFloat64(), second, class, random.NormFloat64()})
	}
	order, err := Order(t.Context(), data, []int{5, 4, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	if order[0] != 4 || order[1] != 3 || order[3] != 1 {
		t.Errorf("the order of 5, 4, 3, 1 is %v", order)
	}
	if slices.Sort(order); !slices.Equal(order, []int{1, 3, 4, 5}) {
		t.Errorf("the columns are %v", order)
	}
}

// Of a quantity the columns come by how much each adds, as in forward selection by least squares; both forms find what makes it among
// noise.
func TestForwardOfAQuantity(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var data baseline.Data
	for range 200 {
		x := make([]float64, 30)
		for j := range x {
			x[j] = random.NormFloat64()
		}
		data.Rows = append(data.Rows, x)
		data.Target = append(data.Target, 70+10*(3*x[4]-2*x[9]+x[20]+0.2*random.NormFloat64()))
	}
	for _, kernel := range []string{"linear", "rbf", "auto"} {
		model, err := Ridge{Kernel: kernel}.Fit(t.Context(), data, baseline.Options{K: 3, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := model.Columns(); !slices.Equal(got, []int{4, 9, 20}) {
			t.Errorf("%s chose %v", kernel, got)
		}
		if e := 1 - model.Selected[0].Score; kernel == "linear" && math.Abs(e-5.04/14.04) > 0.1 {
			t.Errorf("the first column leaves %.2f of the variance, not about %.2f", e, 5.04/14.04)
		}
	}
}
