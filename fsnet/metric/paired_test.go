package metric

import (
	"fmt"
	"math"
	"testing"
)

func TestPair(t *testing.T) {
	p := Pair([]float64{0.5, 1, 0.75}, []float64{0.75, 0.5, 0.75})
	if math.Abs(p.Difference-0.25/3) > 1e-15 || p.Better != 1 || p.Equal != 1 || p.Worse != 1 ||
		*p.P != Wilcoxon([]float64{0.5, 1, 0.75}, []float64{0.75, 0.5, 0.75}) {
		t.Errorf("%+v", p)
	}
}

func ExamplePair() {
	p := Pair([]float64{0.9, 0.8, 0.95, 0.85}, []float64{0.7, 0.8, 0.9, 0.8})
	fmt.Printf("%.3f better on average: better on %d splits, worse on %d\n", p.Difference, p.Better, p.Worse)
	// Output: 0.075 better on average: better on 3 splits, worse on 0
}
