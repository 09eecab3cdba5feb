package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/replica"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/count"
)

type replicasPlanOptions struct {
	config   config.Config
	replicas int
	output   string
	forecast bool
}

func newReplicasPlan() *cobra.Command {
	var o replicasPlanOptions
	c := &cobra.Command{
		Use:   "plan DATA --replicas R -o plan.json",
		Short: "List every replica, so that they can be trained in parts",
		Long: "List every replica, so that they can be trained in parts.\n\n" +
			"A replica's id is a hash of everything that determines its result: the data, the settings, K, its seed, the version of\n" +
			"FsNet and the kind of device (--backend, or what this machine has). The options are those of fsnet fit. The plan also\n" +
			"says how much memory a training takes at most.\n\n" +
			"A relative path of the data starts at this directory, which the plan remembers as seen from itself.",
		Example: "  fsnet replicas plan ALLAML --k 10 --seed 1 --replicas 100 -o plan.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return planReplicas(c.Context(), o, args, c.OutOrStdout())
		},
	}
	addKeys(c.Flags(), &o.config)
	c.Flags().Var(countFlag(&o.replicas, "replicas", replica.MaxReplicas), "replicas",
		"train `R` times, with the seeds seed … seed + R − 1")
	c.Flags().StringVarP(&o.output, "output", "o", "", "write the plan to a `FILE` [standard output]")
	addForecast(c.Flags(), &o.forecast)
	return c
}

func planReplicas(ctx context.Context, o replicasPlanOptions, args []string, out io.Writer) error {
	const example = "as in: fsnet replicas plan ALLAML --replicas 100 -o plan.json"
	if err := needData(args, &o.config, example); err != nil {
		return err
	}
	switch {
	case o.replicas == 0:
		return fault.New(fault.Request, example, "no --replicas: how often to train")
	case o.output != "" && sameFile(o.output, o.config.Data):
		return fault.New(fault.Request, "name another file", "--output %s is the data set", o.output)
	}
	if o.output != "" {
		if err := checkOutput(o.output); err != nil {
			return err
		}
	}
	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}
	if err := (replica.Plan{Settings: settings, Replicas: o.replicas}).Check(); err != nil {
		return err
	}
	folder, err := folderFrom(o.output)
	if err != nil {
		return err
	}
	data, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return err
	}
	kind, seconds, err := kindOf(ctx, data, settings, o.forecast)
	if err != nil {
		return err
	}
	listing, err := replica.List(data, o.config, o.replicas, kind, folder)
	if err != nil {
		return err
	}
	listing.Seconds = seconds
	text, err := listing.JSON()
	if err != nil {
		return err
	}
	return writePlan(out, o.output, text, count.Of(len(listing.Cells), "replica")+", on "+kind)
}

// kindOf is the kind of device that a plan is for, the one that was named or what this machine has, and, where it is to be foretold, how
// many seconds a training takes on it.
func kindOf(ctx context.Context, data *dataset.Dataset, settings config.Settings, forecast bool) (kind string, seconds float64, err error) {
	if settings.Backend != "auto" && !forecast {
		return settings.Backend, 0, nil
	}
	opened, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return "", 0, err
	}
	defer opened.Close()
	if !forecast {
		return opened.Name, 0, nil
	}
	f, err := train.Foretell(ctx, opened, data, settings)
	return opened.Name, f.Whole().Seconds(), err
}
