package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
)

// compareWhat is compared, as options say it.
type compareWhat struct {
	config  config.Config
	methods string
	k       []int
	splits  int
	folds   int // of cross-validation; 0 is none
	repeats int
	halves  *pflag.Flag // --splits
}

func newCompareWhat() compareWhat { return compareWhat{k: []int{10}, splits: 20, repeats: 1} }

func (w *compareWhat) add(flags *pflag.FlagSet) {
	addKeys(flags, &w.config, "k", "data")
	flags.StringVar(&w.methods, "methods", "all", "methods, `NAMES` separated by commas: all, or any of "+strings.Join(completedMethods(), ", ")+
		", with settings after a colon, as in fsnet:protocol=paper")
	flags.Var(countsFlag(&w.k, "k"), "k", "numbers of features to select, separated by commas")
	flags.Var(countFlag(&w.splits, "splits", compare.MaxSplits), "splits", "compare on `S` splits, with the seeds seed … seed + S − 1")
	w.halves = flags.Lookup("splits")
	addFoldFlags(flags, &w.folds, &w.repeats)
}

// plan reads the data and says what is compared.
func (w *compareWhat) plan(ctx context.Context, names []string) (*compare.Plan, error) {
	if len(names) == 0 {
		return nil, fault.New(fault.Request, "name files or built-in ones, as in: fsnet compare ALLAML", "no data set")
	}
	if w.folds > 0 && w.halves.Changed {
		return nil, fault.New(fault.Request,
			"choose one of them: --splits divides the rows in two, --folds in N parts, as often as --repeats says",
			"both --splits %d and --folds %d", w.splits, w.folds)
	}
	methods, err := compare.Methods(w.methods)
	if err != nil {
		return nil, err
	}
	data, err := openAll(ctx, w.config, names, "")
	if err != nil {
		return nil, err
	}
	plan, err := compare.New(data, w.config, methods, w.k, w.splits)
	switch {
	case err != nil:
	case w.folds > 0:
		err = plan.Fold(w.folds, w.repeats)
	case w.repeats > 1:
		err = fault.New(fault.Request, "add --folds 5, or use --splits", "repeats = %d without folds", w.repeats)
	}
	return plan, err
}

// openAll reads data sets, whose names are relative to a directory.
func openAll(ctx context.Context, options config.Config, names []string, directory string) ([]*dataset.Dataset, error) {
	settings, err := options.Resolve()
	if err != nil {
		return nil, err
	}
	var data []*dataset.Dataset
	for _, name := range names {
		settings.Data = name
		d, err := dataset.Open(ctx, settings, directory)
		if err != nil {
			return nil, err
		}
		data = append(data, d)
	}
	return data, nil
}

type compareOptions struct {
	compareWhat
	compareForm
	rowOptions
}

// newCompareCommand is the command.
func newCompareCommand() *cobra.Command {
	o := compareOptions{compareWhat: newCompareWhat()}
	c := &cobra.Command{
		Use:   "compare DATA…",
		Short: "Compare FsNet with other methods of feature selection, on the same splits",
		Long: "Compare FsNet with other methods of feature selection, on the same splits.\n\n" +
			"On each split, every method selects K features from the training rows. A support vector machine trained on these\n" +
			"features is then tested on the test rows, and so is the method's own predictor, if it has one. The splits have the\n" +
			"seeds --seed, --seed + 1 and so on (or those from --split-seed on) and test half of the rows unless --test-fraction\n" +
			"says otherwise; FsNet's row is what fsnet fit gives with these seeds. The other options are FsNet's, as in fsnet fit;\n" +
			"those for data, split and scaling apply to all methods.\n\n" +
			"--folds 5 --repeats 5 cross-validates instead: each of five folds of all rows is tested in turn, five times over, with\n" +
			"other folds each time. With --split column:NAME the folds are those that the column gives.\n\n" +
			"Settings follow a method's name, as in mrmr:criterion=miq. fsnet takes every key of its training and may appear more\n" +
			"than once: fsnet,fsnet:protocol=paper,fsnet:protocol=paper,epochs=400. Keys that its name leaves out come from the\n" +
			"options, then from its protocol. Methods are tested against the first FsNet. fsnet-path trains FsNet once, with the\n" +
			"largest K; a smaller K takes the first of its features.\n\n" +
			"NAME=COMMAND is a program of yours, as in rf=./rf.py: docs/methods.md has its protocol.\n\n" +
			"At d = 7129, cae, cae-supervised and stg take half a minute to more than a minute of processor time per\n" +
			"split; the other methods take seconds. Settings shorten that, as in cae:tries=1.\n\n" +
			"--output FILE saves every row as CSV as soon as it is done. Give the same FILE again to continue an interrupted\n" +
			"comparison, or to add methods, K or splits. Only one process at a time may write to it. Rows of other data or\n" +
			"settings, of another version of a method or from another kind of device are refused, with a line that names the\n" +
			"difference.\n\n" +
			"--report FILE.html writes everything that the rows tell as one page that needs no network.\n\n" +
			"plan, run and merge make the same rows in parts, on one machine or many.",
		Example: "  fsnet compare ALLAML --methods fsnet,mrmr,svm --k 10 --splits 5\n" +
			"  fsnet compare ALLAML --methods fsnet,fsnet:protocol=paper --splits 5\n" +
			"  fsnet compare ALLAML GLIOMA.mat --methods all --k 10,50 --output rows.csv\n" +
			"  fsnet compare ALLAML --methods fsnet,mrmr:criterion=miq,hsic-lasso-block:b=10 --json > compared.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runCompare(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.compareWhat.add(c.Flags())
	o.compareForm.add(c.Flags())
	o.Add(c.Flags())
	c.AddCommand(newComparePlan(), newCompareRun(), newCompareMerge())
	return c
}

// completedMethods are those that a line %fsnet compare can name.
func completedMethods() []string {
	list := []string{compare.FsNet, compare.FsNetPath}
	for _, m := range comparators.All() {
		list = append(list, m.Entry().Name)
	}
	return list
}

func runCompare(ctx context.Context, o compareOptions, names []string, out, messages io.Writer) error {
	if err := o.Check(names...); err != nil {
		return err
	}
	if err := o.check(append(slices.Clone(names), o.Output)...); err != nil {
		return err
	}
	plan, err := o.plan(ctx, names)
	if err != nil {
		return err
	}
	device, err := device.Open(ctx, plan.Settings.Backend)
	if err != nil {
		return err
	}
	defer device.Close()
	made, runErr := o.Make(ctx, plan, device, messages, cellWords)
	bad := failedCells(made, "")
	if runErr != nil && !slices.ContainsFunc(made, func(r compare.Row) bool { return r.Error == "" }) {
		return runErr
	}
	if err := o.print(out, plan, made); err != nil {
		return err
	}
	return cmp.Or(runErr, bad)
}

// cellWords says which cell is being made.
func cellWords(cell compare.Row) string {
	return fmt.Sprintf("%s, K = %d, split %d", cell.Method, cell.K, cell.Split)
}
