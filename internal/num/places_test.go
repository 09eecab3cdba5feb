package num

import (
	"math"
	"slices"
	"testing"
)

// Argmax returns the first of several largest values. NaN counts only at the
// beginning.
func TestArgmax_FirstOfSeveral(t *testing.T) {
	for want, values := range [][]float64{{math.NaN(), 1}, {1, 3, math.NaN(), 3}} {
		if got := Argmax(values); got != want {
			t.Errorf("%v: %d", values, got)
		}
	}
}

// Sorting keeps the order of equal values, and NaN counts as the smallest.
func TestArgsort_IsStable(t *testing.T) {
	values := []float64{2, math.NaN(), 3, 2, 1}
	for _, c := range []struct{ got, want []int }{
		{Indices(3), []int{0, 1, 2}}, {Indices(0), nil},
		{Argsort(values), []int{1, 4, 0, 3, 2}}, {ArgsortDescending(values), []int{2, 0, 3, 4, 1}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%v, not %v", c.got, c.want)
		}
	}
}

// Positions are evenly spread, the first one among them, and all if there are
// few.
func TestSpread_IsEven(t *testing.T) {
	for _, test := range []struct {
		n, most int
		want    []int
	}{
		{10, 3, []int{0, 3, 6}}, {3, 5, []int{0, 1, 2}}, {4, 4, []int{0, 1, 2, 3}}, {0, 3, []int{}}, {5, 0, []int{}},
	} {
		if got := EvenlySpaced(test.n, test.most); !slices.Equal(got, test.want) {
			t.Errorf("Spread(%d, %d) = %v, want %v", test.n, test.most, got, test.want)
		}
	}
}
