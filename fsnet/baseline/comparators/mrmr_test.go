package comparators

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

type mrmrFixture struct {
	baselinetest.Table
	Threshold float64
	Criterion string
	Order     []int
}

// The fixtures are the orders of the original program, as pymrmr runs it:
// testdata/make_mrmr.py.
func TestMRMR_MatchesOriginal(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]mrmrFixture](t, "mrmr.json") {
		t.Run(fmt.Sprintf("%s every=%d %s %g", f.Name, f.Every, f.Criterion, f.Threshold), func(t *testing.T) {
			data := f.Data(t)
			model := must(MRMR{Criterion: f.Criterion, Threshold: f.Threshold}.Fit(context.Background(), data, baseline.Options{K: len(f.Order)}))(t)
			for r, j := range f.Order {
				if model.Selected[r].Index != j {
					t.Errorf("%d, theirs %d", model.Columns(), f.Order)
					break
				}
			}
		})
	}
}

// I(a, b) follows its definition, on more rows than a word has bits.
func TestMRMR_Information(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{2, 63, 64, 65, 200} {
		a, b := make([]int, n), make([]int, n)
		joint := map[[2]int]float64{}
		ofA, ofB := map[int]float64{}, map[int]float64{}
		for i := range n {
			a[i] = random.IntN(3)
			b[i] = (a[i] + random.IntN(2)) % 4
			joint[[2]int{a[i], b[i]}] += 1 / float64(n)
			ofA[a[i]] += 1 / float64(n)
			ofB[b[i]] += 1 / float64(n)
		}
		want := 0.0
		for ab, p := range joint {
			want += p * math.Log2(p/ofA[ab[0]]/ofB[ab[1]])
		}
		if got := newInformation(n).between(statesOf(a, 3), statesOf(b, 4)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d rows: %v, want %v", n, got, want)
		}
	}
}

// Values are strictly beyond mean ± t·s, with s divided by n − 1, or in the
// middle. A constant column is all in the middle.
func TestMRMR_ThreeStates(t *testing.T) {
	// mean 2, squares 4+1+0+1+4 = 10, s = √2.5 = 1.58
	for _, test := range []struct {
		column []float64
		t      float64
		want   [3]int
	}{
		{[]float64{0, 1, 2, 3, 4}, 1, [3]int{1, 3, 1}},
		{[]float64{0, 1, 2, 3, 4}, 0.5, [3]int{2, 1, 2}},
		{[]float64{0, 1, 2, 3, 4}, 2, [3]int{0, 5, 0}},
		{[]float64{7, 7, 7}, 1, [3]int{0, 3, 0}},
		{[]float64{-1, 1}, math.Sqrt2 / 2 * 1.0000001, [3]int{0, 2, 0}}, // ±s/√2, at the edge
	} {
		if got := threeStates(test.column, test.t).counts; [3]int(got) != test.want {
			t.Errorf("%v at %g: %v", test.column, test.t, got)
		}
	}
}

// Whatever the equal keys, the keys are sorted and every feature is there once.
// The order of equal keys is tested with the orders of the original program.
func TestMRMR_Quicksort(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 9))
		n, different := random.IntN(200), 1+random.IntN(30)
		keys, order := make([]float32, n), make([]int, n)
		for j := range keys {
			keys[j], order[j] = float32(random.IntN(different)), j
		}
		before := slices.Clone(keys)
		mrmrQuicksort(order, keys)
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
