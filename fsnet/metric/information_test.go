package metric_test

import (
	"fmt"
	"math"
	"testing"

	"fsnetlab/fsnet/metric"
)

// The values are computed by hand: H(Y) for a feature that tells the class, 0
// for one that says nothing about it.
func TestInformation_ByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts [][]int
		want   float64
	}{
		{"tells the class", [][]int{{4, 0}, {0, 4}}, 1},
		{"tells three classes", [][]int{{2}, {0, 2}, {0, 0, 2}}, math.Log2(3)},
		{"independent", [][]int{{2, 6}, {1, 3}}, 0},
		{"half of it", [][]int{{2, 2}, {0, 4}}, 0.31127812445913283},
		{"no counts", [][]int{{0, 0}, {0, 0}}, 0},
	} {
		if got := metric.Information(c.counts); !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%s: %g bits, want %g", c.name, got, c.want)
		}
	}
}

// Eight rows in two bins and two classes: the bin tells the class.
func ExampleInformation() {
	fmt.Println(metric.Information([][]int{{4, 0}, {0, 4}}), "bit")
	// Output: 1 bit
}
