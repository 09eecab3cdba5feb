package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// Limits of what bench accepts: beyond them a slip of the finger takes hours.
const (
	benchLeastFeatures = 10
	benchMostFeatures  = 2_000_000
	benchMostSteps     = 1_000_000
	benchMostReplicas  = 1000
)

func newBenchCommand() *cobra.Command {
	var o benchOptions
	var asJSON bool
	c := &cobra.Command{
		Use:   "bench [DATA]",
		Short: "Measure this installation: steps of training",
		Long: "Measure how long a step of training takes here: the median after warm-up, the time to compile, the memory, and how\n" +
			"many times slower Algorithm 2's step is as the paper writes it (package method, one step per call).\n\n" +
			"DATA is what fsnet fit takes; the default is ALLAML. --d N makes a data set of N features instead: noise, and a few\n" +
			"features that tell two classes apart. --replicas R also measures how many steps per second R replicas make together,\n" +
			"in one process per core.",
		Example: "  fsnet bench --k 50\n  fsnet bench --d 100000 --json\n  fsnet bench --replicas 2",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return runBench(c, o, asJSON, args) },
	}
	addKeys(c.Flags(), &o.Config)
	c.Flags().IntVar(&o.D, "d", 0, "make data of `N` features instead of reading some")
	c.Flags().IntVar(&o.Steps, "steps", 1000, "measure `N` steps after the warm-up")
	c.Flags().IntVar(&o.Replicas, "replicas", 0, "also measure `R` replicas at the same time")
	addJSON(c.Flags(), &asJSON)
	c.Flags().BoolVar(&o.NoRatio, "no-ratio", false, "leave out the step of package method")
	c.Flags().StringVar(&o.Inputs, "inputs", "", "write what the steps read to a safetensors `FILE`, for the programs in bench/, and "+
		"measure nothing")
	return c
}

func runBench(c *cobra.Command, o benchOptions, asJSON bool, args []string) error {
	settings, err := checkBench(&o, args)
	if err == nil && o.Inputs != "" {
		err = checkOutput(o.Inputs)
	}
	if err != nil {
		return err
	}
	if os.Getenv(device.ProgramsVariable) == "" { // to compile is what it measures
		os.Setenv(device.ProgramsVariable, "off") //nolint:errcheck // fails for an empty name only
	}
	report, err := measureBench(c.Context(), o, settings, c.ErrOrStderr())
	switch {
	case report != nil && fault.Is(err, fault.Interrupted): // what was measured is shown, but no program takes it for a result
		report.Print(c.ErrOrStderr()) //nolint:errcheck // there is an error already
		return err
	case report == nil || err != nil:
		return err
	case asJSON:
		return printJSON(c.OutOrStdout(), report)
	}
	return report.Print(c.OutOrStdout())
}

// checkBench finds out whether the request makes sense, before anything is read.
func checkBench(o *benchOptions, args []string) (config.Settings, error) {
	var none config.Settings
	if err := takeData(args, &o.Config); err != nil {
		return none, err
	}
	switch {
	case o.D != 0 && o.Config.Data != "":
		return none, fault.New(fault.Request, "give one of them", "both --d %d, which makes data, and a data set (%s)", o.D, o.Config.Data)
	case o.D != 0 && (o.D < benchLeastFeatures || o.D > benchMostFeatures):
		return none, fault.New(fault.Request, fmt.Sprintf("choose %d to %d", benchLeastFeatures, benchMostFeatures),
			"--d %d is out of range", o.D)
	case o.Steps < 1 || o.Steps > benchMostSteps:
		return none, fault.New(fault.Request, fmt.Sprintf("choose 1 to %d", benchMostSteps), "--steps %d is out of range", o.Steps)
	case o.Replicas < 0 || o.Replicas > benchMostReplicas:
		return none, fault.New(fault.Request, fmt.Sprintf("choose 0 to %d", benchMostReplicas), "--replicas %d is out of range", o.Replicas)
	case o.Config.Data == "" && o.D == 0:
		o.Config.Data = "ALLAML"
	case o.D != 0:
		o.Config.Data = fmt.Sprintf("planted-%d", o.D) // a name, nothing is read
	}
	return o.Config.Resolve()
}
