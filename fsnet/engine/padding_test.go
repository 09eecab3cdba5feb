package engine

import (
	"slices"
	"testing"
)

// narrow undoes widen, with and without room after the numbers.
func TestWiden_AndNarrow(t *testing.T) {
	rows := []float32{1, 2, 3, 4, 5, 6}
	want := []float32{1, 2, 3, 0, 0, 4, 5, 6, 0, 0}
	for _, room := range []int{0, 4, 40} {
		got := widen(slices.Grow(slices.Clip(slices.Clone(rows)), room), 3, 5)
		if !slices.Equal(got, want) {
			t.Errorf("widen: %v", got)
		}
		if got = narrow(got, 5, 3); !slices.Equal(got, rows) {
			t.Errorf("narrow: %v", got)
		}
	}
}
