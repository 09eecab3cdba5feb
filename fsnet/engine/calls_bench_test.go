package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/method/fused"
	"fsnetlab/tests/kit/devicetest"
)

// benched is a toy of many features.
func benched(b testing.TB, d int) toy {
	toy := newToyOf(b, config.Config{K: 10, Batch: new(8), Epochs: 300, Sharpness: new(1.0), Repulsion: new(0.0), Seed: 1}, 36)
	toy.arch.Hidden = []int{64, 32, 16}
	return toy.ofWidth(d)
}

// BenchmarkCalls times calls of each size, with known counts and without, and how long each compiles.
func BenchmarkCalls(b *testing.B) {
	d := devicetest.All(b)[0]
	for _, width := range []int{1000, 7129} {
		toy := benched(b, width)
		for _, known := range []bool{false, true} {
			for _, steps := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
				b.Run(fmt.Sprintf("d=%d/known=%v/steps=%d", width, known, steps), func(b *testing.B) {
					layout := fused.LayoutFor(d.Name, toy.arch)
					layout.Known = known
					e := must(newWith(d, layout, 1, slices.Clone(toy.phi), Rows{Dense: slices.Clone(toy.x)}, toy.target(), nil))
					defer e.Close()
					e.programs.ahead.Do(func() {})
					began, start := time.Now(), 0
					advanced(b, e, 0, steps, toy.settings.Live)
					first := time.Since(began)
					var took []float64
					for range 30 {
						start += steps
						now := time.Now()
						advanced(b, e, start, steps, toy.settings.Live)
						took = append(took, time.Since(now).Seconds()*1000)
					}
					slices.Sort(took)
					b.ReportMetric(took[len(took)/2], "ms/call")
					b.ReportMetric(took[len(took)/2]/float64(steps), "ms/step")
					b.ReportMetric(first.Seconds(), "s/first")
				})
			}
		}
	}
}
