package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/study"
	"fsnetlab/widgets/chart"
)

// newPathCommand is fsnet path.
func newPathCommand() *cobra.Command {
	var o tuneOptions
	ks := []int{5, 10, 20, 50}
	c := &cobra.Command{
		Use:   "path DATA --k 5,10,20,50",
		Short: "Show how many features are worth it: nested selections of one training, with their accuracies",
		Long: "Show how many features are worth it: nested selections of one training, with their accuracies.\n\n" +
			"One training with the largest k picks the features; a smaller k takes the first of them, in the order of forward\n" +
			"selection: the table says which feature enters at which k. The accuracies are a support vector machine's,\n" +
			"cross-validated inside the training rows with a training of its own in each fold; test and validation rows are not\n" +
			"looked at. With --task regression they are the R² of a kernel ridge regression.\n\n" +
			"--output FILE saves every row as a line of JSON as soon as it is done. Give the same FILE again to continue an interrupted path.",
		Example: "  fsnet path ALLAML --k 5,10,20,50\n  fsnet path cohort.csv --label diagnosis --k 2,5,10 --picture path.svg",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runPath(c.Context(), o, ks, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config, "k")
	c.Flags().Var(countsFlag(&ks, "k"), "k", "numbers of features, separated by commas")
	addTuneFolds(c.Flags(), &o.judging)
	addJSON(c.Flags(), &o.json)
	addPicture(c.Flags(), &o.picture)
	o.add(c.Flags())
	return c
}

// pathFeature is one of a path.
type pathFeature struct {
	Rank        int     `json:"rank"`        // from 1, in the order of forward selection
	Index       int     `json:"index"`       // 0-based column of the file as read
	Name        string  `json:"name"`        // of the feature
	Enters      int     `json:"enters"`      // the smallest k that has it
	Probability float64 `json:"probability"` // of the feature in its selector's row of P
}

func runPath(ctx context.Context, o tuneOptions, ks []int, args []string, out, messages io.Writer) error {
	data, settings, err := o.open(ctx, args)
	if err != nil {
		return err
	}
	plan, err := study.NewPath(data, o.config, ks, o.judging)
	if err != nil {
		return err
	}
	device, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	report, runErr, err := o.train(ctx, plan, device, messages)
	if err != nil {
		return err
	}
	if runErr == nil {
		bar := newBar(messages, o.quiet || o.lines != "")
		path, err := fsnet.FitPath(ctx, data, o.config, ks, fsnet.OnDevice(device),
			fsnet.WithProgress(func(s session.Status) error { bar.Show(s); return nil }))
		bar.End()
		if runErr = err; path != nil && err == nil {
			for _, s := range path.Selected(path.K[len(path.K)-1]) {
				report.Selected = append(report.Selected, pathFeature{s.Rank, s.Index, s.Name, path.Enters(s.Rank), s.Probability})
			}
		}
	}
	return o.deliver(out, report, chart.Path, chart.PathTable, true, runErr)
}
