package baseline

import (
	"context"
	"fmt"
	"testing"
)

type mrmrFixture struct {
	table
	Threshold float64
	Criterion string
	Order     []int
}

// The fixtures are the orders of the original program, as pymrmr runs it: testdata/make_mrmr.py.
func TestMRMRAgainstTheOriginal(t *testing.T) {
	for _, f := range readFixtures[mrmrFixture](t, "mrmr.json") {
		t.Run(fmt.Sprintf("%s every=%d %s %g", f.Name, f.Every, f.Criterion, f.Threshold), func(t *testing.T) {
			data := f.data(t)
			model, err := MRMR{Criterion: f.Criterion, Threshold: f.Threshold}.Fit(context.Background(), data, Options{K: len(f.Order)})
			if err != nil {
				t.Fatal(err)
			}
			for r, j := range f.Order {
				if model.Selected[r].Index != j {
					t.Errorf("%d, theirs %d", model.Columns(), f.Order)
					break
				}
			}
		})
	}
}
