package ranking

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestComplete(t *testing.T) {
	names := []string{"b1", "a1", "a2", "b2", "a3", "a", "á"}
	order := []int32{2, 3, 6, 1}
	for _, c := range []struct {
		order  []int32
		prefix string
		most   int
		want   []string
	}{
		{nil, "", 3, []string{"b1", "a1", "a2"}},
		{nil, "a", 10, []string{"a1", "a2", "a3", "a"}},
		{order, "", 3, []string{"a2", "b2", "á"}},
		{order, "", 10, []string{"a2", "b2", "á", "a1", "b1", "a3", "a"}},
		{order, "a", 2, []string{"a2", "a1"}},
		{order, "a", 3, []string{"a2", "a1", "a3"}},
		{order, "b", 1, []string{"b2"}},
		{order, "c", 5, []string{}},
		{order, "a3x", 5, []string{}},
	} {
		if got := complete(names, c.order, c.prefix, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d that begin with %q: %q, want %q", c.most, c.prefix, got, c.want)
		}
	}
}

func TestLeading(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		weights []float32
		most    int
		want    []int32
	}{
		{nil, 3, []int32{}},
		{[]float32{1}, 3, []int32{0}},
		{[]float32{0.1, 0.2, 0.9, 0.8, 0.2, 0, 0.7}, 3, []int32{2, 3, 6}},
		{[]float32{0.1, 0.2, 0.9, 0.8, 0.2, 0, 0.7}, 9, []int32{2, 3, 6, 1, 4, 0, 5}},
		{[]float32{5, 5, 5, 5, 5, 5}, 2, []int32{0, 1}},
		{[]float32{1, 2, 3, 4, 5, 6, 7}, 2, []int32{6, 5}},
		{[]float32{nan, 1, nan, 2}, 1, []int32{3}},
	} {
		if got := leading(c.weights, c.most); !slices.Equal(got, c.want) {
			t.Errorf("the %d of %v: %v, want %v", c.most, c.weights, got, c.want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		weights, all := make([]float32, random.IntN(100)), []int32{}
		for j := range weights {
			weights[j] = float32(random.IntN(20)) // many ties
			all = append(all, int32(j))
		}
		slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(weights[b], weights[a]) })
		most := 1 + random.IntN(30)
		if got, want := leading(weights, most), all[:min(most, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("the %d of %v: %v, want %v", most, weights, got, want)
		}
	}
}

// BenchmarkComplete is an answer at a million features, and BenchmarkLeading the order that it goes by.
func BenchmarkComplete(b *testing.B) {
	names, order := make([]string, 1_000_000), make([]int32, most)
	for j := range names {
		names[j] = fmt.Sprintf("rs%08d", 37*j)
	}
	for i := range order {
		order[i] = int32(len(names) - 100*i - 1)
	}
	for _, prefix := range []string{"", "rs3", "rs37000", "rs36999999"} {
		b.Run("prefix="+prefix, func(b *testing.B) {
			for b.Loop() {
				complete(names, order, prefix, 200)
			}
		})
	}
}

func BenchmarkLeading(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	rising, mixed := make([]float32, 1_000_000), make([]float32, 1_000_000)
	for j := range rising {
		rising[j], mixed[j] = float32(j), random.Float32()
	}
	for name, weights := range map[string][]float32{"rising, the worst": rising, "mixed": mixed} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				leading(weights, most)
			}
		})
	}
}
