package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/engine"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/output"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Limits of what bench accepts. Beyond them, a typing error would take hours.
const (
	benchLeastFeatures = 10
	benchMostFeatures  = 2_000_000
	benchMostSteps     = 1_000_000
)

// newBenchCommand returns fsnet bench.
func newBenchCommand() *cobra.Command {
	var o benchOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench [DATA]",
		Short: "Measure this installation: steps of training",
		Long: "Measure how long a step of training takes here: the median after warm-up, the time to compile, the memory, and how\n" +
			"many times slower Algorithm 2's step is as the paper writes it (package method, one step per call).\n\n" +
			"DATA is what fsnet fit takes; the default is ALLAML. --d N makes a data set of N features instead: noise, and a few\n" +
			"features that tell two classes apart.",
		Example: "  fsnet bench --k 50\n  fsnet bench --d 100000 --json",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return runBench(c, o, asJSON, args) },
	}
	addKeys(c.Flags(), &o.Config)
	c.Flags().IntVar(&o.D, "d", 0, "make data of `N` features instead of reading some")
	c.Flags().IntVar(&o.Steps, "steps", 1000, "measure `N` steps after the warm-up")
	addJSON(c.Flags(), &asJSON)
	c.Flags().IntVar(&o.Replicas, "replicas", 1, "measure steps of `R` trainings in one program, as replicas on a GPU make them")
	c.Flags().BoolVar(&o.NoRatio, "no-ratio", false, "leave out the step of package method")
	c.Flags().StringVar(&o.Inputs, "inputs", "", "write what the steps read to a safetensors `FILE`, for the programs in bench/, and "+
		"measure nothing")
	return c
}

// runBench measures and prints the report. If it is interrupted, it shows what
// was measured on standard error, where no program mistakes it for a result.
func runBench(c *cobra.Command, o benchOptions, asJSON bool, args []string) error {
	settings, err := checkBench(&o, args)
	if err == nil && o.Inputs != "" {
		err = output.File{Flag: "--inputs", Path: o.Inputs, Verb: "bench", Own: output.IsSafetensors("")}.Check(inputs(o.Config))
	}
	if err != nil {
		return err
	}

	if os.Getenv(device.ProgramsVariable) == "" { // compiling is measured, too
		os.Setenv(device.ProgramsVariable, "off") //nolint:errcheck // fails for an empty name only
	}

	report, err := measureBench(c.Context(), o, settings, c.ErrOrStderr())
	switch {
	case report != nil && errs.Is(err, errs.Interrupted):
		report.print(c.ErrOrStderr()) //nolint:errcheck // there is an error already
		return err
	case report == nil || err != nil:
		return err
	case asJSON:
		return printJSON(c.OutOrStdout(), report)
	}
	return report.print(c.OutOrStdout())
}

// checkBench rejects impossible options before anything is read, fills in the
// data set's name, and resolves the settings.
func checkBench(o *benchOptions, args []string) (config.Settings, error) {
	var none config.Settings
	if err := takeData(args, &o.Config); err != nil {
		return none, err
	}

	switch {
	case o.D != 0 && o.Config.Data != "":
		return none, errs.New(errs.Request, "give one of them", "both --d %d, which makes data, and a data set (%s)", o.D, o.Config.Data)
	case o.D != 0 && (o.D < benchLeastFeatures || o.D > benchMostFeatures):
		return none, errs.New(errs.Request, fmt.Sprintf("choose %d to %d", benchLeastFeatures, benchMostFeatures),
			"--d %d is out of range", o.D)
	case o.Steps < 1 || o.Steps > benchMostSteps:
		return none, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", benchMostSteps), "--steps %d is out of range", o.Steps)
	case o.Replicas < 1 || o.Replicas > engine.MostLanes:
		return none, errs.New(errs.Request, fmt.Sprintf("choose 1 to %d", engine.MostLanes), "--replicas %d is out of range", o.Replicas)
	case o.Config.Data == "" && o.D == 0:
		o.Config.Data = "ALLAML"
	case o.D != 0:
		o.Config.Data = fmt.Sprintf("planted-%d", o.D) // only a name: nothing is read
	}
	return o.Config.Resolve()
}

// benchOptions say what to measure.
type benchOptions struct {
	Config   config.Config
	D        int    // features of made data; 0 reads the data of Config
	Steps    int    // to measure, after the warm-up
	Replicas int    // trainings in one program
	NoRatio  bool   // skips the step of package method
	Inputs   string // a safetensors file for the programs in bench/ instead of a measurement; "" measures
}

// measureBench measures and returns the report. With an error, the report holds
// what was measured before, or is nil if no training could be opened. With
// --inputs, measureBench only writes the inputs of the programs in bench/, and
// returns no report.
func measureBench(ctx context.Context, o benchOptions, settings config.Settings, messages io.Writer) (*benchReport, error) {
	var data *dataset.Dataset
	var err error
	if o.D == 0 {
		data, err = dataset.Open(ctx, settings, "")
	} else {
		data, err = plantedData(o.D, settings.Seed)
	}
	if err != nil {
		return nil, err
	}

	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return nil, err
	}
	defer device.Close()

	trainings, closing, err := openBeside(ctx, device, data, settings, o.Replicas)
	defer closing()
	if err != nil {
		return nil, err
	}
	t := trainings[0]

	if o.Inputs != "" {
		return nil, t.WriteInputs(o.Inputs, o.Steps)
	}

	s := t.Status()
	b := bench{options: o, training: t, others: trainings[1:], report: benchReport{
		Dataset: s.Dataset, N: s.N, D: s.D, K: s.Config.K, Batch: min(cmp.Or(s.Config.Batch, s.Train), s.Train), Protocol: s.Config.Protocol,
		Seed: s.Config.Seed, Backend: s.Backend, Device: s.Device, Replicas: o.Replicas,
	}}
	err = b.measure(ctx, messages)
	return &b.report, err
}

// openBeside opens n trainings whose seeds follow one another. Several make their steps in one
// program. closing closes what was opened, also after an error.
func openBeside(ctx context.Context, on *device.Device, data *dataset.Dataset, settings config.Settings, n int) (
	list []*train.Training, closing func(), err error) {
	places := func() *device.Device { return on }
	var lanes *device.Lanes
	if n > 1 {
		lanes = on.NewLanes(n)
		places = lanes.Device
	}
	closing = func() {
		for _, t := range list {
			t.Close()
		}
		if lanes != nil {
			lanes.Close()
		}
	}

	for len(list) < n {
		t, err := train.Open(ctx, places(), data, settings)
		if err != nil {
			return list, closing, err
		}
		list = append(list, t)
		settings.Seed++
	}
	return list, closing, nil
}

// bench is one measurement.
type bench struct {
	options  benchOptions
	training *train.Training
	others   []*train.Training // that make their steps in the same program
	report   benchReport
}

// peerSteps is the largest number of steps of a call, as in bench/common.py.
const peerSteps = 50

// lossFrom and lossTo bound the steps whose mean loss is reported. They are
// late enough for the training to have learnt something, and the same for every
// program.
const lossFrom, lossTo = 400, 500

// measure times compilation and steps. Then it times steps of package method,
// alternating with more of ours.
func (b *bench) measure(ctx context.Context, messages io.Writer) error {
	ours, err := b.training.Stopwatch()
	if err != nil {
		return err
	}
	defer ours.Close()
	var beside []*engine.Stopwatch
	for _, t := range b.others {
		s, err := t.Stopwatch()
		if err != nil {
			return err
		}
		beside = append(beside, s)
	}
	ours.Beside(beside...)

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
	// The second call is still cold and takes up to 30 ms longer than later
	// ones. Only steps that take longer than that shorten a call.
	chunk := int(min(max(2*time.Second/max(second, time.Microsecond), 1), peerSteps))
	r.StepsPerCall = min(chunk, ours.PerCall())

	for range 2 { // warms up the caches, the memory and the processor's clock
		if _, _, _, err := ours.Steps(ctx, chunk); err != nil {
			return err
		}
	}

	early, late, err := b.timeSteps(ctx, ours, chunk, 2+2*chunk, messages)
	if r.MsPerStep, r.MsPerLateStep = medianOf(early), medianOf(late); len(early) == 0 {
		r.MsPerStep = r.MsPerLateStep
	}
	r.PeakMB = peakMB()
	if err != nil || b.options.NoRatio || b.options.Replicas > 1 {
		return err
	}

	return b.compare(ctx, ours, chunk, messages)
}

// timeSteps makes the steps to measure, chunk by chunk. made is the number of
// steps made before. It returns the milliseconds of a step in each chunk of the
// first half of the annealing, and of the second, also with an error, and
// writes progress to messages. The report gets the number of steps and the mean
// loss over about steps lossFrom to lossTo.
func (b *bench) timeSteps(ctx context.Context, s *engine.Stopwatch, chunk, made int, messages io.Writer) (early, late []float64, err error) {
	half := b.training.Steps() / 2
	sum, steps := 0.0, 0
	shown := time.Now()

	for done := 0; done < b.options.Steps; {
		n := min(chunk, b.options.Steps-done)
		elapsed, loss, n, err := s.Steps(ctx, n)
		took := elapsed.Seconds() * 1000 / float64(max(n, 1))
		switch {
		case n > 0 && made >= half:
			late = append(late, took)
		case n > 0:
			early = append(early, took)
		}
		if err != nil {
			return early, late, err
		}

		if made >= lossFrom && made+n <= lossTo+chunk {
			sum, steps = sum+loss*float64(n), steps+n
			b.report.Loss = sum / float64(steps)
		}

		done, made = done+n, made+n
		b.report.Steps = done

		if time.Since(shown) > time.Second {
			fmt.Fprintf(messages, "%d of %s, %.3g ms each\n", done, phrase.Count(b.options.Steps, "step"), took)
			shown = time.Now()
		}
	}
	return early, late, nil
}

// compareRounds is how often the two graphs alternate.
const compareRounds = 7

// compare times steps of package method, alternating with steps of ours, and
// fills in DefinedMs and Ratio. If it fails, both stay 0.
func (b *bench) compare(ctx context.Context, ours *engine.Stopwatch, chunk int, messages io.Writer) error {
	plain, err := b.training.Definition()
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

// medianOf returns the median. If the number of values is even, it returns the
// larger middle value, and if it is zero, 0.
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

// plantedData returns a data set of noise with d features, as many rows as
// ALLAML, and two classes. The first few features are shifted in one of the
// classes.
func plantedData(d int, seed int64) (*dataset.Dataset, error) {
	random := num.RNG(seed, "planted", uint64(d))
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

// benchReport is the object that bench --json prints. Times are medians after
// the warm-up.
type benchReport struct {
	Dataset      string `json:"dataset"`        // name of the data set
	N            int    `json:"n"`              // rows (samples)
	D            int    `json:"d"`              // features
	K            int    `json:"k"`              // features to select
	Batch        int    `json:"batch"`          // rows of a step
	Protocol     string `json:"protocol"`       // fsnet, paper, authors or stepwise
	Seed         int64  `json:"seed"`           // of everything random
	Backend      string `json:"backend"`        // where it ran: xla:cpu, xla:cuda or go
	Device       string `json:"device"`         // the hardware, in words
	Steps        int    `json:"steps"`          // that were measured
	StepsPerCall int    `json:"steps_per_call"` // steps that one call of the device makes
	Replicas     int    `json:"replicas"`       // number of trainings that one program makes together
	// milliseconds of a step of all replicas in the first half of the annealing, the median
	MsPerStep float64 `json:"ms_per_step"`
	// the same in the second half, in which selectors keep apart; 0 where no such step was measured
	MsPerLateStep  float64 `json:"ms_per_late_step"`
	CompileSeconds float64 `json:"compile_seconds"` // that compiling took
	// most memory of the process, in 10⁶ bytes, before the definition's steps;
	// 0 where the system does not say
	PeakMB    float64 `json:"peak_mb"`
	DefinedMs float64 `json:"defined_ms"` // milliseconds of a step of package method; 0 where not measured
	Ratio     float64 `json:"ratio"`      // defined_ms over a step of ours, measured in turn
	Loss      float64 `json:"loss"`       // mean over about steps 400 to 500; 0 where there were fewer
}

// print prints the report as text.
func (r *benchReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %s, K = %d, batch %d, %s, on %s (%s)\n", r.Dataset, phrase.Table(r.N, r.D), r.K, r.Batch, r.Protocol,
		r.Backend, r.Device)
	if r.Steps == 0 {
		_, err := fmt.Fprintln(out, "nothing was measured yet")
		return err
	}
	fmt.Fprintf(out, "%-26s %9.3f   (median of %s, %d a call)\n", "ms_per_step", r.MsPerStep, phrase.Count(r.Steps, "step"),
		r.StepsPerCall)
	if r.MsPerLateStep > 0 {
		fmt.Fprintf(out, "%-26s %9.3f   (in the second half of the annealing)\n", "ms_per_late_step", r.MsPerLateStep)
	}
	fmt.Fprintf(out, "%-26s %9.2f\n", "compile_seconds", r.CompileSeconds)
	fmt.Fprintf(out, "%-26s %9.0f\n", "peak_mb", r.PeakMB)
	if r.Ratio > 0 {
		fmt.Fprintf(out, "%-26s %9.2f   (a step as defined takes %.3f ms)\n", "ratio", r.Ratio, r.DefinedMs)
	}
	_, err := fmt.Fprintf(out, "%s seen by this process\n", phrase.Count(runtime.NumCPU(), "core"))
	return err
}

// peakMB returns the most memory that this process has had, in 10⁶ bytes. It
// returns 0 if the system doesn't say.
func peakMB() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		var kB float64
		if n, _ := fmt.Sscanf(strings.TrimSpace(string(line)), "VmHWM: %g kB", &kB); n == 1 {
			return kB * 1024 / 1e6
		}
	}
	return 0
}
