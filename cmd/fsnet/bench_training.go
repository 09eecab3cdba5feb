package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/whole"
)

type benchOptions struct {
	config   config.Config
	d        int
	steps    int
	replicas int
	together bool
	json     bool
	noRatio  bool
	inputs   string // file for the peers in bench/
}

// Limits of what bench accepts: beyond them a slip of the finger takes hours.
const (
	benchLeastFeatures = 10
	benchMostFeatures  = 2_000_000
	benchMostSteps     = 1_000_000
	benchMostReplicas  = 1000
)

func addBench(c *cobra.Command) {
	var o benchOptions
	c.Use = "bench [DATA]"
	c.Short = "Measure this installation: steps of training, or the notebook kernel"
	c.Long = "Measure how long a step of training takes here: the median after warm-up, the time to compile, the memory, and how many times\n" +
		"slower the step is as Algorithm 1 has it (package method; one a call). bench kernel measures the notebook kernel.\n\n" +
		"DATA is what fsnet fit takes, ALLAML if nothing is said. --d N makes a data set of N features instead, with noise and a few features\n" +
		"that tell two classes apart. --replicas R adds how many steps a second R replicas make together, in a process for each core;\n" +
		"with --together in one program, as on a GPU."
	c.Example = "  fsnet bench --k 50\n  fsnet bench --d 100000 --json\n  fsnet bench --replicas 2\n  fsnet bench kernel"
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(c *cobra.Command, args []string) error {
		return runBench(c, o, args)
	}
	addKeys(c.Flags(), &o.config)
	c.Flags().IntVar(&o.d, "d", 0, "make data of `N` features instead of reading some")
	c.Flags().IntVar(&o.steps, "steps", 1000, "`N` steps to measure, after the warm-up")
	c.Flags().IntVar(&o.replicas, "replicas", 0, "also measure `R` replicas at the same time")
	c.Flags().BoolVar(&o.together, "together", false, "measure the replicas in one program")
	addJSON(c.Flags(), &o.json)
	c.Flags().BoolVar(&o.noRatio, "no-ratio", false, "leave the step of package method out")
	c.Flags().StringVar(&o.inputs, "inputs", "", "write what the steps read to a safetensors `FILE`, for the programs in bench/, and measure nothing")
}

func runBench(c *cobra.Command, o benchOptions, args []string) error {
	ctx, out, messages := c.Context(), c.OutOrStdout(), c.ErrOrStderr()
	if len(args) == 1 && !looksLikeData(args[0]) {
		return noSuchCommand(c, args)
	}
	settings, err := o.check(args)
	if err != nil {
		return err
	}
	if o.inputs != "" {
		if err := whole.Check(o.inputs); err != nil {
			return err
		}
	}
	b, err := openBench(ctx, o, settings)
	if err != nil {
		return err
	}
	defer b.close()
	if o.inputs != "" {
		return b.training.WriteInputs(o.inputs, o.steps)
	}
	runErr := b.measure(ctx, messages)
	switch {
	case runErr != nil:
	case o.together:
		runErr = b.measureTogether(ctx, messages)
	case o.replicas > 0:
		runErr = b.measureReplicas(ctx, messages)
	}
	switch {
	case runErr != nil && fault.Is(runErr, fault.Interrupted): // what was measured is shown, but no program takes it for a result
		b.report.print(messages)
		return runErr
	case runErr != nil:
		return runErr
	case !o.json:
		return b.report.print(out)
	}
	return printJSON(out, b.report)
}

// check finds out whether the request makes sense, before anything is read.
func (o *benchOptions) check(args []string) (config.Settings, error) {
	var none config.Settings
	if err := takeData(args, &o.config); err != nil {
		return none, err
	}
	switch {
	case o.d != 0 && o.config.Data != "":
		return none, fault.New(fault.Request, "give one of them", "both --d %d, which makes data, and a data set (%s)", o.d, o.config.Data)
	case o.d != 0 && (o.d < benchLeastFeatures || o.d > benchMostFeatures):
		return none, fault.New(fault.Request, fmt.Sprintf("choose %d to %d", benchLeastFeatures, benchMostFeatures), "--d %d is out of range", o.d)
	case o.steps < 1 || o.steps > benchMostSteps:
		return none, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", benchMostSteps), "--steps %d is out of range", o.steps)
	case o.replicas < 0 || o.replicas > benchMostReplicas:
		return none, fault.New(fault.Request, fmt.Sprintf("choose 0 to %d", benchMostReplicas), "--replicas %d is out of range", o.replicas)
	case o.together && o.replicas == 0:
		return none, fault.New(fault.Request, "add --replicas R, or leave it out", "--together is for replicas")
	case o.config.Data == "" && o.d == 0:
		o.config.Data = "ALLAML"
	case o.d != 0:
		o.config.Data = fmt.Sprintf("planted-%d", o.d) // a name, nothing is read
	}
	return o.config.Resolve()
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
	if o.d == 0 {
		return dataset.Open(ctx, settings, "")
	}
	return plantedData(o.d, settings.Seed)
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
	if err != nil || b.options.noRatio {
		return err
	}
	return b.compare(ctx, ours, chunk, messages)
}

// time makes the steps that were asked for, chunk by chunk. made were made before.
func (b *bench) time(ctx context.Context, s *engine.Stopwatch, chunk, made int, messages io.Writer) ([]float64, error) {
	var took []float64 // milliseconds a step
	sum, steps := 0.0, 0
	shown := time.Now()
	for done := 0; done < b.options.steps; {
		n := min(chunk, b.options.steps-done)
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
			fmt.Fprintf(messages, "%d of %d steps, %.3g ms each\n", done, b.options.steps, medianOf(took))
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
