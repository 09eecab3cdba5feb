package host_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fsnetlab/fsnet/host/trainings"
	"fsnetlab/fsnet/session"
)

// BenchmarkFirstTab is the first completion of features after a step of 8 rows of d features: how long the answer takes, and whether it
// is ordered by P (1) or not (0), at once and for somebody who looks at the screen for a second first.
func BenchmarkFirstTab(b *testing.B) {
	for _, d := range []int{7129, 300_000, 1_000_000} {
		path := table(b, 8, d)
		for _, pause := range []time.Duration{0, time.Second} {
			b.Run(fmt.Sprintf("d=%d/after=%s", d, pause), func(b *testing.B) {
				var waited time.Duration
				ordered := 0
				for b.Loop() {
					h := newHost(b, new(trainings.Opener).Open) // with another device, so that nothing is compiled yet
					if _, err := h.Open(b.Context(), session.OpenRequest{Session: "s",
						Config: session.Config{Data: path, Label: "class", K: 10, Stop: "never"}}); err != nil {
						b.Skip(err)
					}
					request := session.FeaturesRequest{Most: 200}
					before, err := h.Features(b.Context(), "s", request)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := h.Step(b.Context(), "s", 1); err != nil {
						b.Fatal(err)
					}
					time.Sleep(pause)
					start := time.Now()
					after, err := h.Features(b.Context(), "s", request)
					if err != nil {
						b.Fatal(err)
					}
					waited += time.Since(start)
					if !slices.Equal(before, after) {
						ordered++
					}
					h.Shutdown()
				}
				b.ReportMetric(float64(waited.Milliseconds())/float64(b.N), "ms/tab")
				b.ReportMetric(float64(ordered)/float64(b.N), "ordered")
			})
		}
	}
}
