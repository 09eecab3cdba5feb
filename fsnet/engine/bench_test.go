package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/method"
	"fsnetlab/fsnet/method/embedding"
	"fsnetlab/fsnet/nn"
	"fsnetlab/internal/rng"
)

// BenchmarkStep reports the median and the tenth percentile of the time of a step: the second hardly sees what else the machine does.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"xla:cpu", "go"} {
		for _, kind := range []string{"class-deviation", "histogram"} {
			for _, k := range []int{10, 50} {
				b.Run(fmt.Sprintf("%s/%s/K=%d", name, kind, k), func(b *testing.B) { benchmarkStep(b, name, kind, k) })
			}
		}
	}
}

func benchmarkStep(b *testing.B, backend, kind string, k int) {
	d, err := device.Open(context.Background(), backend)
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	const rows, features = 36, 7129
	r := rng.New(1, "bench")
	x := make([]float32, rows*features)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	y := make([]int, rows)
	for i := range y {
		y[i] = i % 2
	}
	s := must(config.Config{K: k, Embedding: kind}.Resolve())
	target := embedding.OfClasses(y, 2)
	phi := must(method.Embed(s, embedding.Dense{X: x, D: features}, target, nil))
	e := must(New(d, method.NewArchitecture(s, rows, features, 2), 1, phi, x, target, Tilt{}))
	chunk := 1 // the Go backend makes one step a call anyway
	if nn.LoopsOn(backend) {
		chunk = 16
	}
	var times []float64
	step := 0
	advance := func() {
		began := time.Now()
		if _, _, err := e.Advance(step, chunk, s.Live); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began).Seconds()*1000/float64(chunk))
		step += chunk
	}
	advance()
	times = times[:0]
	for b.Loop() {
		advance()
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "ms/step")
	b.ReportMetric(times[len(times)/10], "p10-ms/step")
}
