package deep

import (
	"fmt"
	"os"
	"testing"
	"time"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/tests/kit/baselinetest"
)

// bench/cae.py of the whole project runs this in turn with the same training in
// PyTorch, of the K and epochs in FSNET_CAE. The time is without compilation.
func BenchmarkCAE(b *testing.B) {
	k, epochs := 10, 20
	if text := os.Getenv("FSNET_CAE"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d", &k, &epochs); err != nil {
			b.Fatal(err)
		}
	}
	data := baselinetest.Whole(b, "ALLAML")
	for range b.N {
		t := must(newTrainer(b.Context(), CAE{}, data, baseline.Options{K: k, Seed: 1, Device: baselinetest.Compiled()}))(b)
		a := newAutoencoder(t, CAE{}, 0)
		loop := must(a.loop(a.initial(0), 1))(b)
		steps := epochs * a.perEpoch()
		plan := a.anneal(0, steps)
		const warm = 10 // of them compilation
		var losses []float64
		each := func(_ int, metrics [][]float32) (bool, error) {
			for _, m := range metrics {
				losses = append(losses, float64(m[0]))
			}
			return false, nil
		}
		if err := loop.Run(b.Context(), warm, plan, each); err != nil {
			b.Fatal(err)
		}
		start, used := time.Now(), baselinetest.Processor(b)
		if err := loop.Run(b.Context(), steps, plan, each); err != nil {
			b.Fatal(err)
		}
		mean := 0.0
		last := losses[len(losses)-steps/10:]
		for _, l := range last {
			mean += l / float64(len(last))
		}
		b.ReportMetric(time.Since(start).Seconds()*float64(steps)/float64(steps-warm), "seconds")
		b.ReportMetric((baselinetest.Processor(b)-used)*float64(steps)/float64(steps-warm), "processor")
		b.ReportMetric(mean, "loss")
		loop.Close()
		a.close()
	}
}
