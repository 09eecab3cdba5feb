package forward

import (
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
