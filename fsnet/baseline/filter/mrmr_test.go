package filter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

type mrmrFixture struct {
	baselinetest.Table
	Threshold float64
	Criterion string
	Order     []int
}

// The fixtures are the orders of the original program, as pymrmr runs it: testdata/make_mrmr.py.
func TestMRMRAgainstTheOriginal(t *testing.T) {
	for _, f := range baselinetest.Fixture[[]mrmrFixture](t, "mrmr.json") {
		t.Run(fmt.Sprintf("%s every=%d %s %g", f.Name, f.Every, f.Criterion, f.Threshold), func(t *testing.T) {
			data := f.Data(t)
			model, err := MRMR{Criterion: f.Criterion, Threshold: f.Threshold}.Fit(context.Background(), data, baseline.Options{K: len(f.Order)})
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

// At d = 22,283, where the paper reports that its reference runs out of memory, a fit takes little more than the table, which it turns
// round.
func TestMRMROfAWideTableNeedsLittleMemory(t *testing.T) {
	const n, d = 104, 22283
	data := baseline.Data{Classes: 2}
	random := rand.New(rand.NewPCG(1, d))
	for i := range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = random.NormFloat64()
		}
		row[d-1] += 4 * float64(i%2)
		data.Rows, data.Y = append(data.Rows, row), append(data.Y, i%2)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	model, err := MRMR{}.Fit(t.Context(), data, baseline.Options{K: 50})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	used := after.TotalAlloc - before.TotalAlloc
	if t.Logf("%d MB", used>>20); used > 4*8*n*d {
		t.Errorf("it took %d bytes", used)
	}
	if model.Selected[0].Index != d-1 {
		t.Errorf("it selects %v first", model.Selected[0])
	}
}
