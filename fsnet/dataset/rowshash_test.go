package dataset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Two hashes of the same rows share a part, whatever the order of rows and
// columns and with a third of the columns left out. Other rows, labels and
// values share none.
func TestRowsHash(t *testing.T) {
	const n, d = 20, 30
	random := rand.New(rand.NewPCG(1, 1))
	x, labels := make([]float32, n*d), make([]string, n)
	for i := range x {
		x[i] = float32(random.NormFloat64())
		if i%d == 7 {
			x[i] = 3 // a column that other data may have, too
		}
	}
	for i := range labels {
		labels[i] = []string{"a", "b"}[i%2]
	}
	// table makes the data of some rows and columns in their order.
	table := func(rows, columns []int, labels []string) *Dataset {
		var values []float32
		var names []string
		for _, i := range rows {
			for _, j := range columns {
				values = append(values, x[i*d+j])
			}
			names = append(names, labels[i])
		}
		data, err := New("made", values, nil, names)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	all, columns := random.Perm(n), random.Perm(d)
	straight := func(n int) []int {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		return list
	}
	share := func(a, b string) bool {
		for part := range slices.Chunk([]byte(a), 16) {
			for other := range slices.Chunk([]byte(b), 16) {
				if string(part) == string(other) {
					return true
				}
			}
		}
		return false
	}
	test := []int{3, 4, 11, 16}
	hash := table(straight(n), straight(d), labels).RowsHash(test)
	var turned []int // the places of the test rows among all
	for at, i := range all {
		if slices.Contains(test, i) {
			turned = append(turned, at)
		}
	}
	other := slices.Clone(labels)
	other[3], other[4] = other[4], other[3]
	for name, c := range map[string]struct {
		hash string
		same bool
	}{
		"rows in another order":    {table(straight(n), straight(d), labels).RowsHash([]int{16, 3, 11, 4}), true},
		"file in another order":    {table(all, columns, labels).RowsHash(turned), true},
		"two thirds of columns":    {table(straight(n), columns[:2*d/3], labels).RowsHash(test), true},
		"other rows":               {table(straight(n), straight(d), labels).RowsHash([]int{3, 4, 11, 17}), false},
		"fewer rows":               {table(straight(n), straight(d), labels).RowsHash(test[1:]), false},
		"other labels":             {table(straight(n), straight(d), other).RowsHash(test), false},
		"other values, same shape": {table(straight(n)[1:], straight(d), labels).RowsHash(test), false},
	} {
		if share(hash, c.hash) != c.same {
			t.Errorf("%s: %s and %s", name, hash, c.hash)
		}
	}
}
