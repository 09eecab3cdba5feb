package baseline

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/baseline/neural"
)

// bench/peers.py runs these in turn with the packages of others. Reading the data is not in the time.
func BenchmarkFit(b *testing.B) {
	for _, name := range []string{"ALLAML", "GLIOMA", "Prostate_GE", "chowdary"} {
		for _, text := range []string{"hsic-lasso", "hsic-lasso-block", "mrmr", "anova", "svm", "l1-logistic"} {
			for _, k := range []int{10, 50} {
				method, err := Named(text)
				if err != nil {
					b.Fatal(err)
				}
				if text == "svm" {
					k = 0
				}
				b.Run(fmt.Sprintf("%s/%s/k=%d", text, name, k), func(b *testing.B) {
					data := whole(b, name)
					b.ReportAllocs()
					b.ResetTimer()
					used := processor(b)
					for range b.N {
						if _, err := method.Fit(context.Background(), data, Options{K: k, Device: compiled()}); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric((processor(b)-used)/float64(b.N), "processor")
				})
				if text == "svm" {
					break
				}
			}
		}
	}
}

// bench/cae.py of the whole project runs this in turn with the same training in PyTorch, of the K and epochs in FSNET_CAE. The time is
// without compilation.
func BenchmarkCAE(b *testing.B) {
	k, epochs := 10, 20
	if text := os.Getenv("FSNET_CAE"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d", &k, &epochs); err != nil {
			b.Fatal(err)
		}
	}
	data := whole(b, "ALLAML")
	for range b.N {
		t, err := newTrainer(b.Context(), CAE{}, data, Options{K: k, Seed: 1, Device: compiled()})
		if err != nil {
			b.Fatal(err)
		}
		a := newAutoencoder(t, CAE{}, k)
		loop, err := a.device.Loop(a.program(), neural.WithZeros(a.initial(0), 2), a.fixed, 1)
		if err != nil {
			b.Fatal(err)
		}
		batches := &batches{seed: 1, purpose: "benchmark", n: a.n(), size: a.m.Batch}
		steps := epochs * batches.perEpoch()
		plan := a.plan(batches, steps)
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
		start, used := time.Now(), processor(b)
		if err := loop.Run(b.Context(), steps, plan, each); err != nil {
			b.Fatal(err)
		}
		mean := 0.0
		last := losses[len(losses)-steps/10:]
		for _, l := range last {
			mean += l / float64(len(last))
		}
		b.ReportMetric(time.Since(start).Seconds()*float64(steps)/float64(steps-warm), "seconds")
		b.ReportMetric((processor(b)-used)*float64(steps)/float64(steps-warm), "processor")
		b.ReportMetric(mean, "loss")
		loop.Close()
		a.close()
	}
}

// processor is the time that all threads of this process have computed, in seconds.
func processor(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
