package filter

import (
	"context"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

func TestRandomIsALot(t *testing.T) {
	data := baselinetest.Normal(10, 50, 2)
	counts := make([]int, 50)
	for seed := range int64(400) {
		m, err := Random{}.Fit(context.Background(), data, baseline.Options{K: 10, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range m.Columns() {
			counts[j]++
		}
	}
	for j, count := range counts { // 80 expected, standard deviation 8
		if count < 40 || count > 120 {
			t.Errorf("column %d is drawn %d times of 400", j, count)
		}
	}
}
