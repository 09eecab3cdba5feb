package train

import (
	"context"
	"slices"
	"strings"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/places"
)

// sortedByName lists the kept columns by feature name, so that the order of the columns in the file has no influence.
func sortedByName(p *dataset.Prepared) []int {
	columns := places.All(len(p.Kept))
	slices.SortFunc(columns, func(a, b int) int {
		return strings.Compare(p.Features[p.Kept[a]], p.Features[p.Kept[b]])
	})
	return columns
}

// firstAppearance numbers the classes in the order of the rows, so that their names have no influence.
func firstAppearance(y []int, classes int) []int {
	slots := slices.Repeat([]int{-1}, classes)
	next := 0
	for _, c := range y {
		if slots[c] < 0 {
			slots[c] = next
			next++
		}
	}
	for c, s := range slots { // a class without rows
		if s < 0 {
			slots[c] = next
			next++
		}
	}
	return slots
}

// gather copies rows of the scaled data in the graph's order of features, with room for rows of that width.
func (t *Training) gather(ctx context.Context, rows []int, width int) ([]float32, error) {
	return t.data.Gather(ctx, rows, t.columns, width)
}

// screen keeps the columns that say most of the target on their own, by the training rows alone.
func (t *Training) screen(ctx context.Context) error {
	count := t.settings.Screen
	if count == 0 || count >= len(t.columns) {
		return nil
	}
	if count < t.settings.K {
		return fault.New(fault.Request, "use screen=0 for all features, or a number of at least k",
			"screen = %d keeps fewer features than k = %d",
			count, t.settings.K)
	}
	kept, err := t.kept(ctx, count)
	if err != nil {
		return err
	}
	for i, j := range kept {
		kept[i] = t.columns[j]
	}
	t.columns = kept
	return nil
}

// feature is the column of the file, and its name, of a feature of the graph.
func (t *Training) feature(j int) (index int, name string) {
	return named(t.data, t.columns, j)
}

func named(data *dataset.Prepared, columns []int, j int) (index int, name string) {
	index = data.Kept[columns[j]]
	return index, data.Features[index]
}
