package stability_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/stability"
)

// Of any labels the halves are of one size, have the same rows of every class, and a pair shares only the row of a class of one.
func TestHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 40 {
		y := make([]int, 4+r.IntN(40))
		classes := 2 + r.IntN(4)
		for i := range y {
			y[i] = r.IntN(classes)
		}
		sizes := make([]int, classes)
		for _, c := range y {
			sizes[c]++
		}
		halves := stability.Halves(y, 6, int64(trial))
		if len(halves) != 12 {
			t.Fatalf("%d halves of 6 pairs", len(halves))
		}
		for h, half := range halves {
			own := make([]int, classes)
			for _, row := range half {
				own[y[row]]++
			}
			for c, n := range sizes {
				if want := max(min(n, 1), n/2); own[c] != want {
					t.Errorf("half %d has %d of %d rows of a class", h, own[c], n)
				}
			}
			if rows := slices.Compact(slices.Sorted(slices.Values(half))); len(rows) != len(half) || len(half) != len(halves[0]) {
				t.Errorf("half %d has %d different rows, %d in all, the first half %d", h, len(rows), len(half), len(halves[0]))
			}
		}
		for p := range 6 {
			for _, row := range halves[2*p] {
				if slices.Contains(halves[2*p+1], row) != (sizes[y[row]] == 1) {
					t.Errorf("row %d, of a class of %d, is in one half or both", row, sizes[y[row]])
				}
			}
		}
		if !reflect.DeepEqual(halves, stability.Halves(y, 6, int64(trial))) {
			t.Error("the same arguments give other halves")
		}
		if !reflect.DeepEqual(halves[:4], stability.Halves(y, 2, int64(trial))) {
			t.Error("fewer pairs are other pairs")
		}
	}
	y := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	if reflect.DeepEqual(stability.Halves(y, 4, 1), stability.Halves(y, 4, 2)) {
		t.Error("two seeds give the same halves")
	}
	sat := map[int]bool{} // rows of an odd class that sit out: not always the same one
	for p, halves := 0, stability.Halves([]int{0, 0, 1, 1, 1}, 20, 1); p < 20; p++ {
		for row := 2; row < 5; row++ {
			if !slices.Contains(halves[2*p], row) && !slices.Contains(halves[2*p+1], row) {
				sat[row] = true
			}
		}
	}
	if len(sat) != 3 {
		t.Errorf("of three rows %v sit out in twenty pairs", sat)
	}
}
