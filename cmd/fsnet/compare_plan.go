package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/count"
)

type comparePlanOptions struct {
	compareWhat
	output   string
	forecast bool
}

func newComparePlan() *cobra.Command {
	o := comparePlanOptions{compareWhat: newCompareWhat()}
	c := &cobra.Command{
		Use:   "plan DATA… -o plan.json",
		Short: "List every cell of a comparison, so that it can run in parts",
		Long: "List every cell of a comparison, so that it can run in parts.\n\n" +
			"A cell is a data set, a method, K and a split. Its id is a hash of everything that determines its row: the data, the\n" +
			"method and its settings, K, the seed, the versions of the algorithms and the kind of device (--backend, or what this\n" +
			"machine has). The options are those of fsnet compare. The plan also says how much memory a row takes at most.\n\n" +
			"Relative paths of data files start at this directory, which the plan remembers as seen from itself.",
		Example: "  fsnet compare plan ALLAML GLIOMA.mat --methods fsnet,mrmr,svm --k 10,50 -o plan.json\n" +
			"  fsnet compare plan ALLAML --backend xla:cuda --forecast -o plan.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return planCompare(c.Context(), o, args, c.OutOrStdout())
		},
	}
	o.add(c.Flags())
	c.Flags().StringVarP(&o.output, "output", "o", "", "write the plan to a `FILE` [standard output]")
	addForecast(c.Flags(), &o.forecast)
	return c
}

func planCompare(ctx context.Context, o comparePlanOptions, names []string, out io.Writer) error {
	if o.output != "" {
		if err := checkOutput(o.output); err != nil {
			return err
		}
	}
	for _, name := range names {
		if o.output != "" && sameFile(o.output, name) {
			return fault.New(fault.Request, "name another file", "--output %s is a data set", o.output)
		}
	}
	plan, err := o.plan(ctx, names)
	if err != nil {
		return err
	}
	folder, err := folderFrom(o.output)
	if err != nil {
		return err
	}
	kind, seconds := plan.Settings.Backend, make([]float64, len(plan.Data))
	if kind == "auto" || o.forecast {
		device, err := device.Open(ctx, kind)
		if err != nil {
			return err
		}
		defer device.Close()
		if kind = device.Name; o.forecast {
			if seconds, err = forecastEach(ctx, device, plan); err != nil {
				return err
			}
		}
	}
	listing := plan.List(kind, names, folder)
	for i := range listing.Data {
		listing.Data[i].Seconds = seconds[i]
	}
	text, err := listing.JSON()
	if err != nil {
		return err
	}
	return writePlan(out, o.output, text, count.Of(len(listing.Cells), "cell")+", on "+kind)
}

// forecastEach is how many seconds a training of FsNet with the largest K takes on each data set.
func forecastEach(ctx context.Context, device *device.Device, plan *compare.Plan) ([]float64, error) {
	settings := plan.Settings
	for _, k := range plan.K {
		settings.K = max(settings.K, k)
	}
	var seconds []float64
	for _, d := range plan.Data {
		f, err := train.Foretell(ctx, device, plan.First(d), settings)
		if err != nil {
			return nil, err
		}
		seconds = append(seconds, f.Whole().Seconds())
	}
	return seconds, nil
}
