package study_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/study"
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
		halves := study.Halves(y, 6, int64(trial))
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
		if !reflect.DeepEqual(halves, study.Halves(y, 6, int64(trial))) {
			t.Error("the same arguments give other halves")
		}
		if !reflect.DeepEqual(halves[:4], study.Halves(y, 2, int64(trial))) {
			t.Error("fewer pairs are other pairs")
		}
	}
	y := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	if reflect.DeepEqual(study.Halves(y, 4, 1), study.Halves(y, 4, 2)) {
		t.Error("two seeds give the same halves")
	}
	sat := map[int]bool{} // rows of an odd class that sit out: not always the same one
	for p, halves := 0, study.Halves([]int{0, 0, 1, 1, 1}, 20, 1); p < 20; p++ {
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

// Where rows belong together a group is whole in one half, every half has every class, and the two are about as large.
func TestGroupHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 40 {
		groups := 6 + r.IntN(10)
		var y, group []int
		for g := range groups {
			for i := range 2 + r.IntN(6) {
				y, group = append(y, i%2), append(group, g)
			}
		}
		halves, ok := study.GroupHalves(y, group, 5, int64(trial))
		if !ok || len(halves) != 10 {
			t.Fatalf("%d halves of 5 pairs, %v", len(halves), ok)
		}
		for p := range 5 {
			a, b := halves[2*p], halves[2*p+1]
			if rows := slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b)))); len(rows) != len(y) || len(a)+len(b) != len(y) ||
				max(len(a), len(b))-min(len(a), len(b)) > 7 {
				t.Errorf("halves of %d and %d of %d rows", len(a), len(b), len(y))
			}
			in := map[int]bool{}
			classes := [2]map[int]bool{{}, {}}
			for h, half := range [][]int{a, b} {
				for _, row := range half {
					classes[h][y[row]] = true
					if h == 0 {
						in[group[row]] = true
					} else if in[group[row]] {
						t.Fatalf("group %d is in both halves", group[row])
					}
				}
			}
			if len(classes[0]) != 2 || len(classes[1]) != 2 {
				t.Errorf("halves with the classes %v", classes)
			}
		}
	}
	if _, ok := study.GroupHalves([]int{0, 0, 1, 1}, []int{0, 1, 2, 2}, 1, 1); ok {
		t.Error("a class of one group is in both halves")
	}
}
