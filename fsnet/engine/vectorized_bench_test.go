package engine

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/device/devicetest"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/rng"
)

// BenchmarkGroup is a step of R small trainings in one program; fsnet bench --replicas R --together measures data of any size.
func BenchmarkGroup(b *testing.B) {
	for _, d := range devicetest.All(b) {
		for _, replicas := range []int{1, 20} {
			b.Run(fmt.Sprintf("%s/R=%d", d.Name, replicas), func(b *testing.B) { benchmarkGroup(b, d, replicas) })
		}
	}
}

func benchmarkGroup(b *testing.B, d *device.Device, replicas int) {
	const rows, features, chunk = 36, 500, 8
	s, err := config.Config{K: 5}.Resolve()
	if err != nil {
		b.Fatal(err)
	}
	y := make([]int, rows)
	for i := range y {
		y[i] = i % 2
	}
	var members []*Engine
	for r := range replicas {
		random := rng.New(1, "bench", uint64(r))
		x := make([]float32, rows*features)
		for i := range x {
			x[i] = float32(random.NormFloat64())
		}
		phi := method.Embed(s, x, features, y, 2)
		e, err := New(d, method.NewArchitecture(s, rows, features, 2), int64(r), phi, x, method.Of(y, 2), Tilt{})
		if err != nil {
			b.Fatal(err)
		}
		defer e.Close()
		members = append(members, e)
	}
	g, err := Vectorize(members)
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	step := 0
	advance := func() float64 {
		began := time.Now()
		if _, err := g.Advance(step, chunk, s.Live); err != nil {
			b.Fatal(err)
		}
		step += chunk
		return time.Since(began).Seconds() * 1000 / chunk
	}
	advance() // compiles
	var times []float64
	for b.Loop() {
		times = append(times, advance())
	}
	slices.Sort(times)
	ms := times[len(times)/2]
	b.ReportMetric(ms, "ms/step")
	b.ReportMetric(float64(replicas)*1000/ms, "replica-steps/s")
}
