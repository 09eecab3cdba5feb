package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
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
			"The table needs only the model's features, under their names, in any order; other columns are ignored, and missing features are\n" +
			"named. Each row gets a line: its name, the predicted class, and the network's probability of each class. If the table has a label,\n" +
			"the accuracy follows. Options that you do not give are as they were when the model was trained.",
		Example: "  fsnet fit train.csv --label diagnosis --k 20 --save panel.safetensors\n  fsnet predict panel.safetensors new.csv\n" +
			"  fsnet predict panel.safetensors new.csv --csv > predicted.csv",
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return fault.New(fault.Request, "as in: fsnet predict panel.safetensors new.csv", "predict takes a model and a data set, not %s",
					count.Of(len(args), "argument"))
			case strings.HasSuffix(args[1], ".safetensors") && !strings.HasSuffix(args[0], ".safetensors"):
				return fault.New(fault.Request, fmt.Sprintf("write fsnet predict %s %s", args[1], args[0]), "the model comes first, then the data set")
			case o.json && o.csv:
				return fault.New(fault.Request, "choose one of them", "both --json and --csv")
			}
			o.config.Data = args[1]
			result, err := predictRows(c.Context(), args[0], o.config)
			if err != nil {
				return err
			}
			if warning := result.Warning(); warning != "" {
				fmt.Fprint(c.ErrOrStderr(), "fsnet: "+warning)
			}
			switch {
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
	for _, name := range []string{"label", "samples", "covariates", "missing", "x", "layer", "annotations"} {
		flag := *keys.Lookup(name)
		if flag.Usage += ", by default as in the training"; name == "annotations" {
			flag.Usage += " where the data are those of it"
		}
		c.Flags().AddFlag(&flag)
	}
	addJSON(c.Flags(), &o.json)
	c.Flags().BoolVar(&o.csv, "csv", false, "print the rows as CSV to standard output and nothing else")
	return c
}
