package read

import (
	"maps"
	"math"
	"slices"
	"testing"
)

// A column is lost where 32 bits round what tells its rows apart, and not where it is constant, varies, or holds 32 bits anyway.
func TestLost(t *testing.T) {
	of := [][]float64{
		{16777216, 16777217}, {1e9, 1e9}, {1700000000, 1800000000}, {1e6 + 0.01, 1e6 + 0.02}, {math.NaN(), math.NaN()},
		{float64(float32(0.1)), float64(math.Nextafter32(0.1, 1))}, {0.1, 0.2}, {-16777217, -16777216}, {math.Inf(1), 1},
	}
	columns := make(Rounding, len(of))
	for j, values := range of {
		for _, x := range values {
			if got := columns.Round(j, x); math.Float32bits(got) != math.Float32bits(float32(x)) {
				t.Errorf("%v is %v", x, got)
			}
		}
	}
	lost := maps.Collect(columns.Lost())
	if got := slices.Sorted(maps.Keys(lost)); !slices.Equal(got, []int{0, 3, 7}) || lost[0] != 16777216 || lost[7] != -16777217 {
		t.Errorf("lost: %v", lost)
	}
}
