// Package comparison is the verbs of fsnet compare: the comparison at once, and its cells planned, made and merged apart from one another.
package comparison

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/cmd/fsnet/option"
	"fsnetlab/cmd/fsnet/rows"
	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/registry"
	"fsnetlab/fsnet/compare"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/fault"
	"fsnetlab/kernel/magic"
)

// what is compared, as options say it.
type what struct {
	config  config.Config
	methods string
	k       []int
	splits  int
	folds   int // of cross-validation; 0 is none
	repeats int
	judges  []string
	halves  *pflag.Flag // --splits
}

func newWhat() what { return what{k: []int{10}, splits: 20, repeats: 1} }

func (w *what) add(flags *pflag.FlagSet) {
	option.AddKeys(flags, &w.config, "k", "data")
	var known []string
	for _, m := range CompletedMethods() {
		known = append(known, m.Name)
	}
	flags.StringVar(&w.methods, "methods", "all", "methods with commas between, `NAMES`: all, or of "+strings.Join(known, ", ")+
		", with settings after a colon, as in fsnet:protocol=paper")
	flags.Var(option.Counts(&w.k, "k"), "k", "features to select; several with commas between")
	flags.Var(option.Count(&w.splits, "splits", compare.MaxSplits), "splits", "compare on `S` splits, of the seeds seed … seed + S − 1")
	w.halves = flags.Lookup("splits")
	option.Folds(flags, &w.folds, &w.repeats)
	flags.StringSliceVar(&w.judges, "judge", nil,
		"judges beside the support vector machine, `NAMES` with commas between: knn, logistic; the first ranks the methods (svm,knn: the support vector machine does)")
}

// plan reads the data and says what is compared.
func (w *what) plan(ctx context.Context, names []string) (*compare.Plan, error) {
	if len(names) == 0 {
		return nil, fault.New(fault.Request, "name files or built-in ones, as in: fsnet compare ALLAML", "no data set")
	}
	if w.folds > 0 && w.halves.Changed {
		return nil, fault.New(fault.Request, "choose one of them: --splits divides the rows in two, --folds in N parts, as often as --repeats says",
			"both --splits %d and --folds %d", w.splits, w.folds)
	}
	methods, err := compare.Methods(w.methods)
	if err != nil {
		return nil, err
	}
	data, err := open(ctx, w.config, names, "")
	if err != nil {
		return nil, err
	}
	plan, err := compare.New(data, w.config, methods, w.k, w.splits)
	if err == nil {
		err = plan.JudgeBy(w.judges)
	}
	switch {
	case err != nil:
	case w.folds > 0:
		err = plan.Fold(w.folds, w.repeats)
	case w.repeats > 1:
		err = fault.New(fault.Request, "add --folds 5, or use --splits", "repeats = %d without folds", w.repeats)
	}
	return plan, err
}

// open reads data sets, whose names are relative to a directory.
func open(ctx context.Context, options config.Config, names []string, directory string) ([]*dataset.Dataset, error) {
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

type options struct {
	what
	form
	rows.Options
}

// New is the command.
func New() *cobra.Command {
	o := options{what: newWhat()}
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
			"--judge knn,logistic has nearest neighbours and a logistic regression judge the same features beside the support vector machine; methods\n" +
			"are ranked, and tested against FsNet, by the first judge of the list.\n\n" +
			"Settings follow a method's name, as in mrmr:criterion=miq. fsnet takes every key of its training, and may stand in a table more\n" +
			"than once: fsnet,fsnet:protocol=paper,fsnet:protocol=paper,epochs=400. What its name does not say is as the options have it, then\n" +
			"as its protocol has it. Methods are tested against the first FsNet. fsnet-path is FsNet trained once, with the largest K: a smaller K\n" +
			"has the first of its features.\n\n" +
			"Of all methods cae, cae-supervised, stg and lassonet take half a minute to more than a minute of processor time a split at\n" +
			"d = 7129, the others seconds; settings make them shorter, as in cae:tries=1.\n\n" +
			"--output FILE saves every row as CSV as soon as it is made. An interrupted comparison continues with the same FILE;\n" +
			"so does one with more methods, K or splits. One process at a time writes to it. Rows of other data or settings, of another\n" +
			"version of a method or from another kind of device are refused, with the difference.\n\n" +
			"--report FILE.html writes all that is known from the rows as one page that needs no network.\n\n" +
			"plan, run and merge make the same rows in parts, on one machine or on many.",
		Example: "  fsnet compare ALLAML --methods fsnet,mrmr,svm --k 10 --splits 5\n" +
			"  fsnet compare ALLAML --methods fsnet,fsnet:protocol=paper --splits 5\n" +
			"  fsnet compare ALLAML GLIOMA.mat --methods all --k 10,50 --output rows.csv\n" +
			"  fsnet compare ALLAML --methods fsnet,mrmr:criterion=miq,hsic-lasso-block:b=10 --json > compared.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.what.add(c.Flags())
	o.form.add(c.Flags())
	o.Add(c.Flags())
	c.AddCommand(newPlan(), newRun(), newMerge())
	return c
}

// CompletedMethods are those that a line %fsnet compare can name.
func CompletedMethods() []magic.Method {
	list := []magic.Method{{Name: compare.FsNet, Settings: compare.Settings()}, {Name: compare.FsNetPath, Settings: compare.Settings()}}
	for _, m := range registry.Methods() {
		list = append(list, magic.Method{Name: m.Entry().Name, Settings: baseline.Settings(m)})
	}
	return list
}

func run(ctx context.Context, o options, names []string, out, messages io.Writer) error {
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
	made, runErr := o.Make(ctx, plan, device, messages, inWords)
	bad := failed(made)
	if runErr != nil && !slices.ContainsFunc(made, func(r compare.Row) bool { return r.Error == "" }) {
		return runErr
	}
	if err := o.print(out, plan, made); err != nil {
		return err
	}
	return cmp.Or(runErr, bad)
}

// inWords says which cell is being made.
func inWords(cell compare.Row) string {
	return fmt.Sprintf("%s, K = %d, split %d", cell.Method, cell.K, cell.Split)
}
