package baseline

import (
	"context"
	"math"
	"testing"
)

// What does not fit in memory is computed again, with the same bits.
func TestKernelsWithoutMemory(t *testing.T) {
	data := normal(30, 70, 2)
	rows := make([]int, 30)
	for i := range rows {
		rows[i] = i
	}
	at := func(limit int) ([]float64, []float64, bool) {
		k := &kernels{work: work{"test", "kernels", Options{}}, columns: data.columns(), blocks: [][]int{rows}, limit: limit}
		relevance, err := k.with(context.Background(), k.ofLabels(data))
		if err != nil {
			t.Fatal(err)
		}
		products, err := k.with(context.Background(), k.of(5, new(room)))
		if err != nil {
			t.Fatal(err)
		}
		return relevance, products, k.lists != nil
	}
	relevance, products, kept := at(70 * 30 * 31 / 2 * 4)
	again, productsAgain, keptAgain := at(70*30*31/2*4 - 1)
	if !kept || keptAgain {
		t.Errorf("kept %v at the limit, %v below", kept, keptAgain)
	}
	for j := range relevance {
		if relevance[j] != again[j] || products[j] != productsAgain[j] {
			t.Errorf("feature %d: %v, %v and %v, %v", j, relevance[j], products[j], again[j], productsAgain[j])
		}
	}
	if math.Abs(products[5]-1) > 1e-6 {
		t.Errorf("the norm of a kernel is %v", products[5])
	}
}

// Centring by hand, for three rows: H K H with H = I − 1/3.
func TestKernelByHand(t *testing.T) {
	column := []float64{0, 1, 5}
	k := &kernels{columns: [][]float64{column}, blocks: [][]int{{2, 0, 1}}}
	list := k.of(0, new(room))
	variance := (4.0 + 1 + 9) / 3
	var kernel, centred [3][3]float64
	order := []int{2, 0, 1}
	for a := range 3 {
		for b := range 3 {
			difference := column[order[a]] - column[order[b]]
			kernel[a][b] = math.Exp(-difference * difference / variance / 2)
		}
	}
	norm := 0.0
	for a := range 3 {
		for b := range 3 {
			for i := range 3 {
				for j := range 3 {
					h := func(a, i int) float64 {
						if a == i {
							return 2.0 / 3
						}
						return -1.0 / 3
					}
					centred[a][b] += h(a, i) * kernel[i][j] * h(j, b)
				}
			}
			norm += centred[a][b] * centred[a][b]
		}
	}
	at := 0
	for a := range 3 {
		for b := range a + 1 {
			want := centred[a][b] / math.Sqrt(norm)
			if a != b {
				want *= math.Sqrt2
			}
			if math.Abs(float64(list[at])-want) > 1e-6 {
				t.Errorf("entry %d, %d is %v, want %v", a, b, list[at], want)
			}
			at++
		}
	}
}

// Rows that make up no whole block are left out, and every permutation is cut alike.
func TestBlocks(t *testing.T) {
	data := normal(43, 4, 2)
	identity := make([]int, 43)
	for i := range identity {
		identity[i] = i
	}
	fit := func(data Data, permutations ...[]int) []Feature {
		m, err := HSICLassoBlock{B: 20, Permutations: len(permutations), permutations: permutations}.Fit(context.Background(), data, Options{K: 2})
		if err != nil {
			t.Fatal(err)
		}
		return m.Selected
	}
	once := fit(data, identity)
	for r, f := range fit(data, identity, identity) {
		if f.Index != once[r].Index || math.Abs(f.Score-once[r].Score) > 1e-6 {
			t.Errorf("rank %d is %+v, twice the same permutation %+v", r, once[r], f)
		}
	}
	relabelled := Data{Rows: data.Rows, Y: append([]int(nil), data.Y...), Classes: 2}
	relabelled.Y[40], relabelled.Y[42] = 1, 1 // of no block
	for r, f := range fit(relabelled, identity) {
		if f != once[r] {
			t.Errorf("rank %d is %+v, with other classes of rows that are left out %+v", r, once[r], f)
		}
	}
}

func TestBlocksDependOnTheSeed(t *testing.T) {
	data := normal(45, 40, 2)
	var first []Feature
	differ := false
	for seed := range int64(3) {
		m, err := HSICLassoBlock{B: 10}.Fit(context.Background(), data, Options{K: 5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m.Selected
		}
		differ = differ || m.Selected[0].Score != first[0].Score
	}
	if !differ {
		t.Error("three seeds permute alike")
	}
}
