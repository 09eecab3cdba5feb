package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/count"
	"fsnetlab/internal/rng"
)

// benchOptions say what is measured.
type benchOptions struct {
	Config   config.Config
	D        int    // features of data that are made; 0 reads those of Config
	Steps    int    // to measure, after the warm-up
	Replicas int    // measured at the same time, too; 0 is none
	NoRatio  bool   // leaves the step of package method out
	Inputs   string // a safetensors file for the programs in bench/ instead of a measurement; "" measures
}

// measureBench measures. With an error the report is what was measured before it.
func measureBench(ctx context.Context, o benchOptions, settings config.Settings, messages io.Writer) (*benchReport, error) {
	b, err := openBench(ctx, o, settings)
	if err != nil {
		return nil, err
	}
	defer b.close()
	if o.Inputs != "" {
		return nil, b.training.WriteInputs(o.Inputs, o.Steps)
	}
	err = b.measure(ctx, messages)
	if err == nil && o.Replicas > 0 {
		err = b.measureReplicas(ctx, messages)
	}
	return &b.report, err
}

// bench is one measurement.
type bench struct {
	options  benchOptions
	settings config.Settings
	device   *device.Device
	training *train.Training
	report   benchReport
}

func openBench(ctx context.Context, o benchOptions, settings config.Settings) (*bench, error) {
	data, err := o.data(ctx, settings)
	if err != nil {
		return nil, err
	}
	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return nil, err
	}
	t, err := train.Open(ctx, device, data, settings)
	if err != nil {
		device.Close()
		return nil, err
	}
	s := t.Status()
	return &bench{options: o, settings: settings, device: device, training: t, report: benchReport{
		Dataset: s.Dataset, N: s.N, D: s.D, K: s.Config.K, Batch: batchOf(s.Config.Batch, s.Train), Protocol: s.Config.Protocol,
		Seed: s.Config.Seed, Backend: s.Backend, Device: s.Device,
	}}, nil
}

func batchOf(batch, rows int) int {
	if batch == 0 || batch > rows {
		return rows
	}
	return batch
}

func (o benchOptions) data(ctx context.Context, settings config.Settings) (*dataset.Dataset, error) {
	if o.D == 0 {
		return dataset.Open(ctx, settings, "")
	}
	return plantedData(o.D, settings.Seed)
}

func (b *bench) close() {
	b.training.Close()
	b.device.Close()
}

// lossFrom and lossTo are the steps whose mean loss is reported: late enough to have learnt something, and the same for every program.
const lossFrom, lossTo = 400, 500

// measure times the steps, and then those of the definition in turn with more of them.
func (b *bench) measure(ctx context.Context, messages io.Writer) error {
	ours, err := b.training.Stopwatch()
	if err != nil {
		return err
	}
	defer ours.Close()
	r := &b.report
	fmt.Fprintf(messages, "compiling for %s, d = %d, K = %d, batch %d\n", r.Backend, r.D, r.K, r.Batch)
	first, _, _, err := ours.Steps(ctx, 1)
	if err != nil {
		return err
	}
	second, _, _, err := ours.Steps(ctx, 1)
	if err != nil {
		return err
	}
	r.CompileSeconds = math.Max(0, (first - second).Seconds())
	chunk := int(min(max(50*time.Millisecond/max(second, time.Microsecond), 1), 100))
	for range 2 { // caches, memory, the processor's clock
		if _, _, _, err := ours.Steps(ctx, chunk); err != nil {
			return err
		}
	}
	took, err := b.time(ctx, ours, chunk, 2+2*chunk, messages)
	r.setStep(took)
	r.PeakMB = peakMB()
	if err != nil || b.options.NoRatio {
		return err
	}
	return b.compare(ctx, ours, chunk, messages)
}

// time makes the steps that were asked for, chunk by chunk. made were made before.
func (b *bench) time(ctx context.Context, s *engine.Stopwatch, chunk, made int, messages io.Writer) ([]float64, error) {
	var took []float64 // milliseconds a step
	sum, steps := 0.0, 0
	shown := time.Now()
	for done := 0; done < b.options.Steps; {
		n := min(chunk, b.options.Steps-done)
		elapsed, loss, n, err := s.Steps(ctx, n)
		if n > 0 {
			took = append(took, elapsed.Seconds()*1000/float64(n))
		}
		if err != nil {
			return took, err
		}
		if made >= lossFrom && made+n <= lossTo+chunk {
			sum, steps = sum+loss*float64(n), steps+n
			b.report.Loss = sum / float64(steps)
		}
		done, made = done+n, made+n
		b.report.Steps = done
		if time.Since(shown) > time.Second {
			fmt.Fprintf(messages, "%d of %s, %.3g ms each\n", done, count.Of(b.options.Steps, "step"), medianOf(took))
			shown = time.Now()
		}
	}
	return took, nil
}

// compareRounds is how often the two graphs take turns.
const compareRounds = 7

func (b *bench) compare(ctx context.Context, ours *engine.Stopwatch, chunk int, messages io.Writer) error {
	plain, err := b.training.Defined()
	if err != nil {
		return err
	}
	defer plain.Close()
	fmt.Fprintln(messages, "the step as package method defines it, in turn")
	if _, _, _, err := plain.Steps(ctx, 3); err != nil {
		return err
	}
	var theirs, mine []float64
	for range compareRounds {
		n := max(chunk/4, 1)
		elapsed, _, _, err := plain.Steps(ctx, n)
		if err != nil {
			return err
		}
		theirs = append(theirs, elapsed.Seconds()*1000/float64(n))
		if elapsed, _, _, err = ours.Steps(ctx, chunk); err != nil {
			return err
		}
		mine = append(mine, elapsed.Seconds()*1000/float64(chunk))
	}
	b.report.DefinedMs = medianOf(theirs)
	b.report.Ratio = medianOf(theirs) / medianOf(mine)
	return nil
}

// medianOf is 0 for nothing.
func medianOf(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

const (
	plantedRows        = 72
	plantedInformative = 5
)

// plantedData is noise of d features, of which the first few are shifted for one of the two classes. As many rows as ALLAML.
func plantedData(d int, seed int64) (*dataset.Dataset, error) {
	random := rng.New(seed, "planted", uint64(d))
	x := make([]float32, plantedRows*d)
	labels := make([]string, plantedRows)
	for i := range labels {
		class := i % 2
		labels[i] = strconv.Itoa(class)
		for j := range d {
			x[i*d+j] = float32(random.NormFloat64())
			if j < plantedInformative {
				x[i*d+j] += 2 * float32(class)
			}
		}
	}
	features := make([]string, d)
	for j := range features {
		features[j] = "f" + strconv.Itoa(j)
	}
	return dataset.New("planted-"+strconv.Itoa(d), x, features, labels)
}
