package dataset

import (
	"math"
	"slices"
	"testing"
)

func TestRanges(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		of     []int
		names  []string
	}{
		"quarters":        {[]float64{8, 1, 2, 3, 4, 5, 6, 7}, []int{3, 0, 0, 1, 1, 2, 2, 3}, []string{"below 3", "from 3 to below 5", "from 5 to below 7", "from 7"}},
		"ties":            {[]float64{1, 1, 1, 1, 1, 1, 1, 2.5}, []int{0, 0, 0, 0, 0, 0, 0, 0}, []string{"all"}},
		"two values":      {[]float64{2, 1, 2, 1}, []int{1, 0, 1, 0}, []string{"below 2", "from 2"}},
		"one row":         {[]float64{7}, []int{0}, []string{"all"}},
		"fewer than four": {[]float64{-1, 0.5, 3}, []int{0, 1, 2}, []string{"below 0.5", "from 0.5 to below 3", "from 3"}},
	} {
		of, names := Ranges(c.values)
		if !slices.Equal(of, c.of) || !slices.Equal(names, c.names) {
			t.Errorf("%s: %v %q, not %v %q", name, of, names, c.of, c.names)
		}
	}
}

// Every range has a row, values rise with the ranges, and where values differ each has about a quarter.
func TestRangesOfMany(t *testing.T) {
	var values []float64
	for i := range 401 {
		values = append(values, math.Sin(float64(i*i)))
	}
	of, names := Ranges(values)
	rows, lowest := make([]int, len(names)), []float64{2, 2, 2, 2}
	for i, r := range of {
		rows[r]++
		lowest[r] = min(lowest[r], values[i])
	}
	for r, n := range rows {
		if n < 99 || n > 102 {
			t.Errorf("range %d has %d rows", r, n)
		}
		for i, of := range of {
			if of < r && values[i] >= lowest[r] || of > r && values[i] <= lowest[r] {
				t.Fatalf("row %d of range %d, %g, lies on the wrong side of %g", i, of, values[i], lowest[r])
			}
		}
	}
}

// A weight is as good as that many rows.
func TestUnitOfWeights(t *testing.T) {
	weighted := UnitOf([]float64{1, 4, 10}, []float64{0.5, 1, 1.5})
	repeated := UnitOf([]float64{1, 4, 4, 10, 10, 10}, nil)
	if math.Abs(weighted.Mean-repeated.Mean) > 1e-12 || math.Abs(weighted.Scale-repeated.Scale) > 1e-12 || math.Abs(repeated.Mean-6.5) > 1e-12 {
		t.Errorf("%v, not %v", weighted, repeated)
	}
	for i, v := range weighted.Scaled([]float64{1, 4}) {
		if back := weighted.Value(v); math.Abs(back-[]float64{1, 4}[i]) > 1e-12 {
			t.Errorf("back to %g", back)
		}
	}
	if u := UnitOf([]float64{3, 3}, nil); u != (Unit{3, 1}) {
		t.Errorf("of equal values %v", u)
	}
}
