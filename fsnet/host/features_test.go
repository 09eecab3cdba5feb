package host

import (
	"fmt"
	"slices"
	"testing"
)

func TestHeaviest(t *testing.T) {
	names := []string{"b1", "a1", "a2", "b2", "a3", "a", "á"}
	weights := []float32{0.1, 0.2, 0.9, 0.8, 0.2, 0, 0.7}
	for _, c := range []struct {
		weights []float32
		prefix  string
		most    int
		want    []string
	}{
		{nil, "", 3, []string{"b1", "a1", "a2"}},
		{nil, "a", 10, []string{"a1", "a2", "a3", "a"}},
		{weights[:2], "a", 1, []string{"a1"}}, // of other data: no order
		{weights, "", 3, []string{"a2", "b2", "á"}},
		{weights, "", 10, []string{"a2", "b2", "á", "a1", "a3", "b1", "a"}},
		{weights, "a", 2, []string{"a2", "a1"}},
		{weights, "b", 1, []string{"b2"}},
		{weights, "c", 5, []string{}},
		{weights, "a3x", 5, []string{}},
	} {
		if got := heaviest(names, c.weights, c.prefix, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%d that begin with %q: %q, want %q", c.most, c.prefix, got, c.want)
		}
	}
}

// BenchmarkHeaviest is an answer at a million features, whose weights rise, which is the worst order.
func BenchmarkHeaviest(b *testing.B) {
	names, weights := make([]string, 1_000_000), make([]float32, 1_000_000)
	for j := range names {
		names[j], weights[j] = fmt.Sprintf("rs%08d", 37*j), float32(j)
	}
	for _, prefix := range []string{"", "rs3", "rs37000"} {
		b.Run("prefix="+prefix, func(b *testing.B) {
			for b.Loop() {
				heaviest(names, weights, prefix, 200)
			}
		})
	}
}
