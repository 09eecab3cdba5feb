package method

import (
	"cmp"
	"slices"
	"testing"

	"fsnetlab/internal/num"
)

// slowUniqueArgmax is the definition: K times the largest entry whose row and
// column are free, the first of several. picked holds the selectors in the
// order in which they are picked.
func slowUniqueArgmax(p []float32, k, d int) (chosen, picked []int) {
	chosen = slices.Repeat([]int{-1}, k)
	for range k {
		row, column := -1, -1
		for i := range k {
			if chosen[i] >= 0 {
				continue
			}
			for j := range d {
				if !slices.Contains(chosen, j) && (row < 0 || p[i*d+j] > p[row*d+column]) {
					row, column = i, j
				}
			}
		}
		chosen[row] = column
		picked = append(picked, row)
	}
	return chosen, picked
}

// The features are those of the definition, even with ties. Sorted by
// decreasing probability, equal ones by selector, they are in the order in
// which the definition picks them, and that ranks a selection.
func TestUniqueArgmax_MatchesDefinition(t *testing.T) {
	r := num.RNG(1, "argmax")
	for trial := range 500 {
		k := 1 + r.IntN(8)
		d := k + r.IntN(12)
		levels := 1 + r.IntN(6) // few levels: many ties
		p := make([]float32, k*d)
		for i := range p {
			p[i] = float32(r.IntN(levels))
		}
		got := UniqueArgmax(p, k, d)
		want, picked := slowUniqueArgmax(p, k, d)
		if !slices.Equal(got, want) {
			t.Fatalf("trial %d, K = %d, d = %d, %v: %v, the definition says %v", trial, k, d, p, got, want)
		}
		order := num.Indices(k)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b*d+got[b]], p[a*d+got[a]]) })
		if !slices.Equal(order, picked) {
			t.Fatalf("by probability %v, picked %v, of %v", order, picked, p)
		}
	}
}

func FuzzUniqueArgmax(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6}, uint8(2))
	f.Fuzz(func(t *testing.T, bytes []byte, k uint8) {
		if k == 0 || len(bytes)/int(k) < int(k) {
			return
		}
		d := len(bytes) / int(k)
		p := make([]float32, int(k)*d)
		for i := range p {
			p[i] = float32(bytes[i])
		}
		seen := map[int]bool{}
		for _, j := range UniqueArgmax(p, int(k), d) {
			if j < 0 || j >= d || seen[j] {
				t.Fatalf("feature %d is out of range or chosen twice", j)
			}
			seen[j] = true
		}
	})
}
