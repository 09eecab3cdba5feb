package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/cmd/fsnet/predict"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
)

func newPredictCommand() *cobra.Command {
	var o struct {
		config    config.Config
		json, csv bool
	}
	c := &cobra.Command{
		Use:   "predict MODEL DATA",
		Short: "Predict the classes of a table's rows with a model that fsnet fit --save wrote",
		Long: "Predict the classes of a table's rows with a model that fsnet fit --save wrote.\n\n" +
			"The table needs the model's features alone, under their names, in any order; other columns are not looked at. What is missing is\n" +
			"named. The table is a line a row: its name, the predicted class, and the network's probability of each class. Where the table has\n" +
			"a label, the accuracy is said, too. Options that are not given are as they were when the model was trained.",
		Example: "  fsnet fit train.csv --label diagnosis --k 20 --save panel.safetensors\n  fsnet predict panel.safetensors new.csv\n" +
			"  fsnet predict panel.safetensors new.csv --csv > predicted.csv",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return fault.New(fault.Request, "as in: fsnet predict panel.safetensors new.csv", "predict takes a model and a data set, not %s", counted(len(args), "argument"))
			case o.json && o.csv:
				return fault.New(fault.Request, "choose one of them", "both --json and --csv")
			}
			o.config.Data = args[1]
			result, err := predict.Run(c.Context(), args[0], o.config)
			switch {
			case err != nil:
				return err
			case o.json:
				return printJSON(c.OutOrStdout(), result)
			case o.csv:
				return result.WriteCSV(c.OutOrStdout())
			}
			return result.Print(c.OutOrStdout())
		},
	}
	var keys pflag.FlagSet
	addKeys(&keys, &o.config)
	for _, name := range []string{"label", "samples", "covariates", "missing"} {
		flag := *keys.Lookup(name)
		flag.Usage += ", as in the training where it is not given"
		c.Flags().AddFlag(&flag)
	}
	addJSON(c.Flags(), &o.json)
	c.Flags().BoolVar(&o.csv, "csv", false, "print the rows as CSV and nothing else to standard output")
	return c
}
