package filter

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Whatever becomes of equal keys, the keys are sorted and every feature is there once. The order of equal ones is under test in the
// orders of the original program.
func TestQuicksort(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 9))
		n, different := random.IntN(200), 1+random.IntN(30)
		keys, order := make([]float32, n), make([]int, n)
		for j := range keys {
			keys[j], order[j] = float32(random.IntN(different)), j
		}
		before := slices.Clone(keys)
		quicksort(order, keys)
		if !slices.IsSorted(keys) {
			t.Fatalf("%v becomes %v", before, keys)
		}
		seen := make([]bool, n)
		for at, j := range order {
			if seen[j] || before[j] != keys[at] {
				t.Fatalf("%v becomes %v", before, order)
			}
			seen[j] = true
		}
	}
}
