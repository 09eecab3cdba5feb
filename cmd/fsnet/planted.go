package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/device"
	"fsnetlab/fsnet/results"
	"fsnetlab/fsnet/study"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

type plantedOptions struct {
	rowOptions
	methodFlags
	plant   study.PlantOptions
	kinds   []string
	repeats int
	json    bool
}

// newPlantedCommand returns fsnet planted.
func newPlantedCommand() *cobra.Command {
	o := plantedOptions{methodFlags: methodFlags{k: []int{10}}, repeats: 5}
	c := &cobra.Command{
		Use:   "planted DATA",
		Short: "See which methods find causes planted in real measurements",
		Long: "See which methods find causes planted in real measurements.\n\n" +
			"The measurements of DATA stay; its classes are replaced by made ones, which come from a few columns drawn at random,\n" +
			"and from noise: linear (a weighted sum), threshold (how many are above their medians), xor (pairs that say nothing\n" +
			"alone), groups (a weighted sum of columns that others repeat). Every method selects K features from the training rows,\n" +
			"as in fsnet compare. The table shows which share of the causal columns is among them (power), which share of them is\n" +
			"not causal (FDR), and how high the causal ones rank (AUPRC of the list). Figures marked + also count look-alikes of\n" +
			"causal columns (|r| of .8 or more). Power and FDR depend on K: with 5 causal columns and K = 10 the FDR is .5 at best.\n\n" +
			"--output FILE keeps every row, and an interrupted run continues with it. docs/compare.md has a run over many\n" +
			"methods.",
		Example: "  fsnet planted ALLAML --methods fsnet,anova,rf=./rf.py,random --kinds linear,xor\n" +
			"  fsnet planted ALLAML --k 10,50 --repeats 20 -o planted.jsonl --json > planted.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			return runPlanted(c.Context(), o, args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.methodFlags.register(c.Flags())
	c.Flags().StringSliceVar(&o.kinds, "kinds", study.Kinds(), "what the classes come from, `NAMES` separated by commas")
	c.Flags().Var(countFlag(&o.repeats, "repeats", study.MaxSplits), "repeats", "plant `R` times, in other columns each time")
	c.Flags().Var(countFlag(&o.plant.Causal, "causal", 1000), "causal", "`N` causal columns [5; 2 for xor]")
	c.Flags().Float64Var(&o.plant.Strength, "strength", 5, "standard deviations of the effect for one unit of logistic noise")
	addJSON(c.Flags(), &o.json)
	o.rowOptions.register(c.Flags())
	return c
}

// runPlanted plants causes, makes the rows and prints the tables. If it is
// interrupted, it prints the rows made so far and returns the error.
func runPlanted(ctx context.Context, o plantedOptions, args []string, out, messages io.Writer) error {
	if err := needData(args, &o.config, "name a file or a built-in one, as in: fsnet planted ALLAML"); err != nil {
		return err
	}

	if err := cmp.Or(o.check(), checkOutputs(inputs(o.config), o.file())); err != nil {
		return err
	}

	settings, err := o.config.Resolve()
	if err != nil {
		return err
	}

	methods, err := study.Methods(o.methods)
	if err != nil {
		return err
	}

	d, err := dataset.Open(ctx, settings, "")
	if err != nil {
		return err
	}

	o.plant.Seed = settings.Seed
	o.config.Data = ""
	planned, err := study.NewPlanted(d, o.kinds, o.repeats, o.plant, o.config, methods, o.k)
	if err != nil {
		return err
	}

	on, err := device.Open(ctx, settings.Backend)
	if err != nil {
		return err
	}
	defer on.Close()

	made, runErr := o.makeRows(ctx, planned.Plan, on.Name, onDevice(on), messages, func(cell study.Row) string {
		return fmt.Sprintf("%s, K = %d, %s", cell.Method, cell.K, cell.Dataset)
	})
	return deliver(made, runErr, func() error { return printPlanted(out, d, planned, made, o) })
}

// plantedReport is the object that fsnet planted --json prints.
type plantedReport struct {
	Dataset string                 `json:"dataset"` // name of the data set
	Kinds   []string               `json:"kinds"`   // what the classes come from: linear, threshold, xor, groups
	Repeats int                    `json:"repeats"` // how often each kind was planted, in other columns each time
	Planned int                    `json:"planned"` // rows in all; after an interruption there are fewer
	Rows    []study.Row            `json:"rows"`    // one for each method, K and planted data set
	Summary []results.PlantedTable `json:"summary"` // one table for each kind and K
}

// printPlanted prints the tables as text, or the report as JSON.
func printPlanted(out io.Writer, d *dataset.Dataset, of *study.PlantedStudy, made []study.Row, o plantedOptions) error {
	if made == nil {
		made = []study.Row{}
	}

	tables := of.Summarize(made)
	if o.json {
		return printJSON(out, plantedReport{d.Name, of.Kinds, of.Repeats, len(of.Plan.Cells()), made, tables})
	}

	fmt.Fprintf(out, "%s: %s, %.4g of the rows for testing; %s, classes made of columns\n", d.Name, d.Size(),
		of.Plan.TestFraction(of.Plan.Data[0]), phrase.Count(of.Repeats, "repeat"))

	for _, t := range tables {
		fmt.Fprintf(out, "\n%s, K = %d\n", t.Kind, t.K)
		table := words.NewTable("method", ">repeats", ">power", ">FDR", ">AUPRC", ">power+", ">FDR+", ">AUPRC+", ">SVM accuracy", ">seconds")
		for _, e := range t.Entries {
			if e.Repeats == 0 {
				table.Add(e.Method, "0", "-", "-", "-", "-", "-", "-", "-", "-")
				continue
			}
			text := func(mean, sd float64) string { return fmt.Sprintf("%.2f ± %.2f", mean, sd) }
			table.Add(e.Method, strconv.Itoa(e.Repeats), text(e.Mean.Power, e.SD.Power), text(e.Mean.FDR, e.SD.FDR), text(e.Mean.AUPRC, e.SD.AUPRC),
				text(e.Mean.PowerAlike, e.SD.PowerAlike), text(e.Mean.FDRAlike, e.SD.FDRAlike), text(e.Mean.AUPRCAlike, e.SD.AUPRCAlike),
				fmt.Sprintf("%.3f", e.Score), fmt.Sprintf("%.2f", e.Seconds))
		}

		if err := printTable(out, table); err != nil {
			return err
		}
	}

	_, err := fmt.Fprintf(out,
		"\nPower: part of the causal columns that were selected. FDR: part of the selected that is not causal. AUPRC: mean precision at\n"+
			"the ranks of the causal columns, 0 for one that was not selected. +: look-alikes of causal columns (|r| of %v or more) count.\n"+
			"Mean ± standard deviation of the repeats.\n", study.Alike)
	return err
}
