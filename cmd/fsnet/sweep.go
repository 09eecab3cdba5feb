package main

import (
	"github.com/spf13/cobra"

	"fsnetlab/fsnet/study"
)

// newSweepCommand is fsnet sweep: what fsnet tune does, of one key, with several seeds, as a curve.
func newSweepCommand() *cobra.Command {
	o := tuneOptions{seeds: 5, judging: study.TuneOptions{Folds: 5}}
	c := &cobra.Command{
		Use:   "sweep DATA --grid KEY=VALUE,VALUE…",
		Short: "Draw how the accuracy depends on one key, with intervals over seeds",
		Long: "Draw how the accuracy depends on one key, with intervals over seeds.\n\n" +
			"This is fsnet tune for one key, such as k or lambda, with several seeds. Each seed divides the training rows into\n" +
			"folds anew and trains from a start of its own, so that every training row is held out once per seed. The curve is the\n" +
			"mean over seeds; its 95% interval and the dots, one for each seed, show how much chance moves it. The standard error\n" +
			"over folds, in the table, shows what other samples would do.\n\n" +
			"Test and validation rows are not looked at. It chooses as fsnet tune does; with --task regression, too, by R².\n\n" +
			"--output FILE saves every row as a line of JSON as soon as it is done. An interrupted sweep prints what is done; give the same\n" +
			"FILE again to continue it.",
		Example: "  fsnet sweep ALLAML --grid k=5,10,20,50 --picture k.svg\n" +
			"  fsnet sweep cohort.csv --label diagnosis --grid lambda=0,0.1,1 --seeds 10 --output rows.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runTune(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	addKeys(c.Flags(), &o.config)
	addGrid(c.Flags(), &o, "one key and the values to try, `KEY`=VALUE,VALUE, as in k=5,10,20,50")
	c.Flags().Var(countFlag(&o.seeds, "seeds", study.MaxSeeds), "seeds", "train every value with `N` seeds")
	c.Flags().Var(countFlag(&o.judging.Folds, "folds", mostFolds), "folds", "divide the training rows into `N` folds")
	addJSON(c.Flags(), &o.json)
	addPicture(c.Flags(), &o.picture)
	o.add(c.Flags())
	return c
}
