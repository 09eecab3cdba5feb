package forward

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/baselinetest"
	"fsnetlab/fsnet/baseline/svm"
	"fsnetlab/fsnet/metric"
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

// BenchmarkAnneal compares the annealed selection by partial F, among the 1000 columns of the largest F, with forward selection: the time
// of the one, the accuracy of an SVM on the columns of both, and how far the rows of P have settled and on how many columns. FSNET_SHARED
// has the data.
func BenchmarkAnneal(b *testing.B) {
	const k, screened, splits = 10, 1000, 5
	for _, name := range []string{"RELATHE", "madelon"} {
		b.Run(name, func(b *testing.B) {
			data := baselinetest.Whole(b, name)
			right := func(train, test baseline.Data, columns []int) float64 {
				judge, err := svm.SVM{}.Fit(context.Background(), train.Only(columns), baseline.Options{Device: baselinetest.Compiled()})
				if err != nil {
					b.Fatal(err)
				}
				accuracy, err := judge.Score(test.Only(columns))
				if err != nil {
					b.Fatal(err)
				}
				return accuracy / splits
			}
			figures := map[string]float64{}
			b.ResetTimer()
			for range b.N {
				clear(figures)
				for seed := range int64(splits) {
					b.StopTimer()
					train, test := half(data, seed)
					columns := scaled(transpose(train.Rows))
					f := metric.ModeratedF(byRows(columns), len(columns), train.Y, train.Classes)
					pool := baseline.Every(len(columns))
					slices.SortStableFunc(pool, func(a, b int) int { return cmp.Compare(f[b], f[a]) })
					pool = pool[:min(screened, len(pool))]
					b.StartTimer()
					p := anneal(rowsOf(columns, pool, baseline.Every(len(train.Y))), train.Y, train.Classes, k, seed)
					b.StopTimer()
					var chosen []int
					led := map[int]bool{}
					for _, row := range p {
						leader := floats.MaxIdx(row)
						if led[leader] = true; row[leader] >= 0.9 {
							figures["settled"] += 1.0 / k / splits
						}
					}
					for leader := range led { // fewer than K columns where two selectors lead to one
						chosen = append(chosen, pool[leader])
					}
					slices.Sort(chosen)
					figures["leaders"] += float64(len(led)) / splits
					figures["accuracy"] += right(train, test, chosen)
					model, err := Ridge{Kernel: "linear"}.Fit(context.Background(), train, baseline.Options{K: k})
					if err != nil {
						b.Fatal(err)
					}
					figures["forward"] += right(train, test, model.Columns())
					b.StartTimer()
				}
			}
			for what, value := range figures {
				b.ReportMetric(value, what)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N*splits), "s/fit")
		})
	}
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
