package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/registry"
	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/tune"
	"fsnetlab/kernel/magic"
)

type compareOptions struct {
	config  config.Config
	methods string
	k       []int
	splits  int
	folds   tune.Options // of cross-validation; none by default
	json    bool
	csv     bool
	rowsOptions
}

func newCompareCommand() *cobra.Command {
	o := compareOptions{k: []int{10}, splits: 20}
	c := &cobra.Command{
		Use:   "compare DATA…",
		Short: "Compare FsNet with other methods of feature selection, on the same splits",
		Long: "Compare FsNet with other methods of feature selection, on the same splits.\n\n" +
			"Each method selects K features of the training rows of each split; a support vector machine that is trained on these features,\n" +
			"and the method's own predictor where it has one, are then tested on the test rows. Split s, from 0, is that of the seed\n" +
			"--seed + s (or --split-seed + s), in halves unless --test-fraction says otherwise, and FsNet's row is what fsnet fit with these\n" +
			"seeds gives. The other options are FsNet's, as in fsnet fit; those of data, split and scaling hold for all methods.\n\n" +
			"--folds 5 --repeats 5 is cross-validation instead of halves: each of five folds of all rows is tested in turn, five times over, each\n" +
			"time with other folds. With --split column:NAME, a column that holds the fold of each row, these are the folds.\n\n" +
			"Settings follow a method's name, as in mrmr:criterion=miq. fsnet takes every key of its training, and may stand in a table more\n" +
			"than once: fsnet,fsnet:protocol=paper,fsnet:protocol=paper,epochs=400. What its name does not say is as the options have it, then\n" +
			"as its protocol has it. Methods are tested against the first FsNet. fsnet-path is FsNet trained once, with the largest K: a smaller K\n" +
			"has the first of its features.\n\n" +
			"Of all methods cae, cae-supervised, stg and lassonet take half a minute to more than a minute of processor time a split at\n" +
			"d = 7129, the others seconds; settings make them shorter, as in cae:tries=1.\n\n" +
			"--output FILE saves every row as CSV as soon as it is made. An interrupted comparison continues with the same FILE;\n" +
			"so does one with more methods, K or splits. One process at a time writes to it. Rows of other data or settings, of another\n" +
			"version of a method or from another kind of device are refused, with the difference.",
		Example: "  fsnet compare ALLAML --methods fsnet,mrmr,svm --k 10 --splits 5\n" +
			"  fsnet compare ALLAML --methods fsnet,fsnet:protocol=paper --splits 5\n" +
			"  fsnet compare ALLAML GLIOMA.mat --methods all --k 10,50 --output rows.csv\n" +
			"  fsnet compare ALLAML --methods fsnet,mrmr:criterion=miq,hsic-lasso-block:b=10 --json > compared.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runCompare(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	var keys pflag.FlagSet
	addKeys(&keys, &o.config)
	keys.VisitAll(func(f *pflag.Flag) {
		if f.Name != "k" && f.Name != "data" {
			c.Flags().AddFlag(f)
		}
	})
	c.Flags().StringVar(&o.methods, "methods", "all", "methods with commas between, `NAMES`: all, fsnet, or of fsnet/baseline, with settings after a colon, as in fsnet:protocol=paper")
	c.Flags().Var(counts(&o.k, "k"), "k", "features to select; several with commas between")
	c.Flags().Var(count(&o.splits, "splits", compare.MaxSplits), "splits", "compare on `S` splits, of the seeds seed … seed + S − 1")
	addFolds(c.Flags(), &o.folds)
	o.folds.Folds = 0
	addJSON(c.Flags(), &o.json)
	c.Flags().BoolVar(&o.csv, "csv", false, "print the rows as CSV and nothing else to standard output")
	o.add(c.Flags())
	return c
}

// completedMethods are those that a line %fsnet compare can name.
func completedMethods() []magic.Method {
	list := []magic.Method{{Name: compare.FsNet, Settings: compare.Settings()}, {Name: compare.FsNetPath, Settings: compare.Settings()}}
	for _, m := range registry.Methods() {
		list = append(list, magic.Method{Name: m.Entry().Name, Settings: baseline.Settings(m)})
	}
	return list
}

// plan reads the data and says what is compared.
func (o *compareOptions) plan(ctx context.Context, args []string) (*compare.Plan, error) {
	if err := o.check(args...); err != nil {
		return nil, err
	}
	if o.json && o.csv {
		return nil, fault.New(fault.Request, "choose one of them", "both --json and --csv")
	}
	if len(args) == 0 {
		return nil, fault.New(fault.Request, "name files or built-in ones, as in: fsnet compare ALLAML", "no data set")
	}
	settings, err := o.config.Resolve()
	if err != nil {
		return nil, err
	}
	methods, err := compare.Methods(o.methods)
	if err != nil {
		return nil, err
	}
	var data []*dataset.Dataset
	for _, name := range args {
		settings.Data = name
		d, err := dataset.Open(ctx, settings, "")
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	plan, err := compare.New(data, o.config, methods, o.k, o.splits)
	switch {
	case err != nil:
	case o.folds.Folds > 0:
		err = plan.Fold(o.folds.Folds, o.folds.Repeats)
	case o.folds.Repeats > 1:
		err = fault.New(fault.Request, "add --folds 5, or use --splits", "repeats = %d of no folds", o.folds.Repeats)
	}
	return plan, err
}

func runCompare(ctx context.Context, o compareOptions, args []string, out, messages io.Writer) error {
	plan, err := o.plan(ctx, args)
	if err != nil {
		return err
	}
	device, err := device.Open(ctx, plan.Settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	rows, runErr := o.make(ctx, plan, device, messages, func(cell compare.Row) string {
		return fmt.Sprintf("%s, K = %d, split %d", cell.Method, cell.K, cell.Split)
	})
	failed := slices.DeleteFunc(slices.Clone(rows), func(r compare.Row) bool { return r.Error == "" })
	if len(failed) == len(rows) && runErr != nil {
		return runErr
	}
	if err := o.print(out, plan, rows); err != nil {
		return err
	}
	switch {
	case runErr != nil:
		return runErr
	case len(failed) > 0:
		first := failed[0]
		return fault.New(fault.Failed, "", "%d of %d rows failed, the first one %s, %s, K = %d, split %d: %s", len(failed), len(rows), first.Dataset, first.Method, first.K, first.Split, first.Error)
	}
	return nil
}
