package fsnet

import (
	"context"
	"fmt"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/stream"
)

func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"xla:cpu", "go"} {
		for _, k := range []int{10, 50} {
			b.Run(fmt.Sprintf("%s/K=%d", name, k), func(b *testing.B) {
				d, err := OpenDevice(context.Background(), name)
				if err != nil {
					b.Skip(err)
				}
				const rows, features = 36, 7129
				r := stream.New(1, "bench")
				x := make([]float32, rows*features)
				for i := range x {
					x[i] = float32(r.NormFloat64())
				}
				y := make([]int, rows)
				for i := range y {
					y[i] = i % 2
				}
				s, _ := config.Config{K: k}.Resolve()
				phi := embed(s.Embedding, true, x, features, y, 2)
				a := newArchitecture(s, rows, features, 2, len(phi)/features)
				e, err := newEngine(d, a, 1, phi, x, y)
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := e.advance(0, 1, s.Live); err != nil {
					b.Fatal(err)
				}
				chunk := 1 // the Go backend makes one step a call anyway
				if d.loops {
					chunk = 64
				}
				b.ResetTimer()
				step := 1
				for b.Loop() {
					if _, _, err := e.advance(step, chunk, s.Live); err != nil {
						b.Fatal(err)
					}
					step += chunk
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(step-1), "ms/step")
			})
		}
	}
}
