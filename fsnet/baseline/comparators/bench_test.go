package comparators

import (
	"context"
	"fmt"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// bench/peers.py runs these in turn with the packages of others. Reading the
// data is not in the time.
func BenchmarkFit(b *testing.B) {
	for _, name := range []string{"ALLAML", "GLIOMA", "Prostate_GE", "chowdary"} {
		for _, text := range []string{"hsic-lasso", "hsic-lasso-block", "mrmr", "anova", "svm", "l1-logistic"} {
			for _, k := range []int{10, 50} {
				method := must(Named(text))(b)
				if text == "svm" {
					k = 0
				}
				b.Run(fmt.Sprintf("%s/%s/k=%d", text, name, k), func(b *testing.B) {
					data := baselinetest.Whole(b, name)
					b.ReportAllocs()
					b.ResetTimer()
					used := baselinetest.Processor(b)
					for range b.N {
						if _, err := method.Fit(context.Background(), data, baseline.Options{K: k, Device: baselinetest.Compiled()}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric((baselinetest.Processor(b)-used)/float64(b.N), "processor")
				})
				if text == "svm" {
					break
				}
			}
		}
	}
}
