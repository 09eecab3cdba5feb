package markers

import (
	"slices"
	"testing"
)

// A table is a function of its name and seed. Its markers are columns of it,
// and they are the ones found.
func TestTable_IsAFunctionOfNameAndSeed(t *testing.T) {
	names := All()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("two tables are called %s", name)
		}
		a, _ := New(name, 1)
		b, _ := New(name, 1)
		other, _ := New(name, 2)
		if a.Found(a.Columns) != float64(len(a.Markers))/float64(min(a.K, len(a.Markers))) || a.Found(nil) != 0 {
			t.Errorf("%s: columns %v are not among %v", name, a.Markers, a.Columns[:10])
		}
		if len(a.X) != len(a.Columns)*max(len(a.Labels), len(a.Target)) {
			t.Errorf("%s: %d values of %d columns and %d rows", name, len(a.X), len(a.Columns), len(a.Labels))
		}
		same := func(x, y float32) bool { return x == y || x != x && y != y }
		if !slices.EqualFunc(a.X, b.X, same) || !slices.Equal(a.Target, b.Target) || slices.EqualFunc(a.X, other.X, same) {
			t.Errorf("%s: not a function of its seed", name)
		}
		if _, err := a.Dataset(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, ok := New("none", 1); ok {
		t.Error("there is a table called none")
	}
}
