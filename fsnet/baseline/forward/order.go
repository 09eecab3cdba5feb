package forward

import (
	"context"

	"fsnetlab/fsnet/baseline"
)

// Order is some columns of the data in the order in which a linear [Ridge] takes them from among themselves: each is the one that adds most
// to those before it.
func Order(ctx context.Context, data baseline.Data, columns []int) ([]int, error) {
	model, err := Ridge{Kernel: "linear"}.Fit(ctx, data.Only(columns), baseline.Options{K: len(columns)})
	if err != nil {
		return nil, err
	}
	order := make([]int, len(columns))
	for i, c := range model.Columns() {
		order[i] = columns[c]
	}
	return order, nil
}
