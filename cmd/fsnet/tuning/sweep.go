package tuning

import (
	"github.com/spf13/cobra"

	"fsnetlab/cmd/fsnet/option"
	"fsnetlab/fsnet/tune"
)

// NewSweep is fsnet sweep: what fsnet tune does, of one key, with several seeds, as a curve.
func NewSweep() *cobra.Command {
	o := options{seeds: 5, judging: tune.Options{Folds: 5}}
	c := &cobra.Command{
		Use:   "sweep DATA --grid KEY=VALUE,VALUE…",
		Short: "Draw how the accuracy depends on one key, with intervals over seeds",
		Long: "Draw how the accuracy depends on one key, with intervals over seeds.\n\n" +
			"It is fsnet tune for one key, such as k or lambda, with several seeds: each deals the training rows to folds anew and trains from a\n" +
			"start of its own, so that every training row is held out once a seed. The curve is the mean over seeds, with its 95% interval and a\n" +
			"dot for each seed: how much chance moves it. The standard error over folds, in the table, tells what other samples would do.\n\n" +
			"Test and validation rows are not looked at. It chooses as fsnet tune does, with --task regression by R², too.\n\n" +
			"--output FILE saves every row as CSV as soon as it is made. An interrupted sweep prints what is done, and continues with the same FILE.",
		Example: "  fsnet sweep ALLAML --grid k=5,10,20,50 --picture k.svg\n  fsnet sweep cohort.csv --label diagnosis --grid lambda=0,0.1,1 --seeds 10 --output rows.csv",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runTune(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	option.AddKeys(c.Flags(), &o.config)
	addGrid(c.Flags(), &o, "one key with the values to try, `KEY`=VALUE,VALUE, as in k=5,10,20,50")
	c.Flags().Var(option.Count(&o.seeds, "seeds", tune.MaxSeeds), "seeds", "train every value with `N` seeds")
	c.Flags().Var(option.Count(&o.judging.Folds, "folds", option.MostFolds), "folds", "divide the training rows into `N` folds")
	option.AddJSON(c.Flags(), &o.json)
	option.AddPicture(c.Flags(), &o.picture)
	o.Add(c.Flags())
	return c
}
