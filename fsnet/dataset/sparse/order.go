package sparse

import (
	"cmp"
	"slices"
	"sort"

	"fsnetlab/internal/places"
)

// ascending is the different rows among those given, and where each of them is asked for.
func ascending(rows []int) (sorted []int, asked func(i int) []int) {
	order := places.All(len(rows))
	if !slices.IsSorted(rows) {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	}
	start := []int{}
	for at, i := range order {
		if at == 0 || rows[i] != rows[order[at-1]] {
			sorted, start = append(sorted, rows[i]), append(start, at)
		}
	}
	start = append(start, len(order))
	return sorted, func(i int) []int { return order[start[i]:start[i+1]] }
}

// byColumn puts the only row of r in the order of its columns.
func byColumn(r *Rows) {
	if !slices.IsSorted(r.Columns) {
		sort.Sort((*oneRow)(r))
	}
}

type oneRow Rows

func (r *oneRow) Len() int           { return len(r.Columns) }
func (r *oneRow) Less(a, b int) bool { return r.Columns[a] < r.Columns[b] }
func (r *oneRow) Swap(a, b int) {
	r.Columns[a], r.Columns[b] = r.Columns[b], r.Columns[a]
	r.Values[a], r.Values[b] = r.Values[b], r.Values[a]
}

// runs calls read with stretches of rows that follow one another, which lie together on disk.
func runs(rows []int, read func(from, to int) error) error {
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && rows[end] == rows[end-1]+1 {
			end++
		}
		if err := read(rows[i], rows[end-1]+1); err != nil {
			return err
		}
		i = end
	}
	return nil
}
