package forward

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/baselinetest"
	"fsnetlab/internal/rng"
)

// half are the training and the other rows of a data set, half of each class, with columns that vary in the training rows, scaled by them.
func half(data baseline.Data, seed int64) (train, test baseline.Data) {
	byClass := make([][]int, data.Classes)
	for _, i := range rng.New(seed, "benchmark split").Perm(len(data.Y)) {
		byClass[data.Y[i]] = append(byClass[data.Y[i]], i)
	}
	pick := func(part func(rows []int) []int) baseline.Data {
		out := baseline.Data{Classes: data.Classes}
		for _, rows := range byClass {
			for _, i := range part(rows) {
				out.Rows, out.Y = append(out.Rows, slices.Clone(data.Rows[i])), append(out.Y, data.Y[i])
			}
		}
		return out
	}
	train = pick(func(rows []int) []int { return rows[:(len(rows)+1)/2] })
	test = pick(func(rows []int) []int { return rows[(len(rows)+1)/2:] })
	for j, column := range transpose(train.Rows) {
		mean, spread := 0.0, 1.0
		if !baseline.Constant(column) {
			mean, spread = baseline.MeanAndSpread(column)
		}
		for _, row := range slices.Concat(train.Rows, test.Rows) {
			row[j] = (row[j] - mean) / spread
		}
	}
	return train, test
}

// BenchmarkRidge is the processor time of forward selection of ten columns among 7129.
func BenchmarkRidge(b *testing.B) {
	for _, kernel := range []string{"linear", "rbf"} {
		for _, n := range []int{36, 200, 2000} {
			b.Run(fmt.Sprintf("%s/%d", kernel, n), func(b *testing.B) {
				data := baselinetest.Normal(n, 7129, 2)
				b.ResetTimer()
				used := baselinetest.Processor(b)
				for range b.N {
					if _, err := (Ridge{Kernel: kernel}).Fit(context.Background(), data, baseline.Options{K: 10}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((baselinetest.Processor(b)-used)/float64(b.N), "processor")
			})
		}
	}
}
