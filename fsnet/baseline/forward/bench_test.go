package forward

import (
	"context"
	"fmt"
	"testing"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

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
