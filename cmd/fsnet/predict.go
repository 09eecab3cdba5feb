package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
)

// newPredictCommand returns fsnet predict. It writes a warning about values on
// another scale to standard error, but that is no failure.
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
				return errs.New(errs.Request, "as in: fsnet predict panel.safetensors new.csv", "predict takes a model and a data set, not %s",
					phrase.Count(len(args), "argument"))
			case strings.HasSuffix(args[1], ".safetensors") && !strings.HasSuffix(args[0], ".safetensors"):
				return errs.New(errs.Request, fmt.Sprintf("write fsnet predict %s %s", args[1], args[0]), "the model comes first, then the data set")
			case o.json && o.csv:
				return errs.New(errs.Request, "choose one of them", "both --json and --csv")
			}
			o.config.Data = args[1]
			result, err := fsnet.PredictFile(c.Context(), args[0], o.config)
			if err != nil {
				return err
			}
			for _, warning := range []string{versionWarning(result), scaleWarning(result)} {
				if warning != "" {
					fmt.Fprint(c.ErrOrStderr(), "fsnet: "+warning)
				}
			}
			switch {
			case o.json:
				return printJSON(c.OutOrStdout(), result)
			case o.csv:
				return writePredictionsCSV(c.OutOrStdout(), result)
			}
			return printPredictions(c.OutOrStdout(), result)
		},
	}
	var keys pflag.FlagSet
	addKeys(&keys, &o.config)
	for _, name := range []string{"label", "samples", "covariates", "missing", "x", "layer", "sheet", "annotations"} {
		flag := *keys.Lookup(name)
		if flag.Usage += ", by default as in the training"; name == "annotations" {
			flag.Usage += " if the data are the training's"
		}
		c.Flags().AddFlag(&flag)
	}
	addJSON(c.Flags(), &o.json)
	c.Flags().BoolVar(&o.csv, "csv", false, "print the rows as CSV to standard output and nothing else")
	return c
}

// predictionNotes returns the sentences below the table. They say how good the
// predictions are, and what was left out.
func predictionNotes(r *fsnet.Predicted) string {
	var text string
	if r.Known > 0 {
		what := "an accuracy"
		if r.Score.Metric.Quantity() {
			what = "R²"
			text += fmt.Sprintf("\nR² %.3f over the %s with a label, root mean squared error %s.\n", r.Score.Value, phrase.Count(r.Known, "row"),
				words.Number(*r.RMSE))
		} else {
			hits := int(math.Round(r.Score.Value * float64(r.Known)))
			text += fmt.Sprintf("\nAccuracy %.3f (%d of %s with a label), balanced over the classes %.3f.\n",
				r.Score.Value, hits, phrase.Count(r.Known, "row"), *r.BalancedAccuracy)
		}
		if r.SameName {
			text += fmt.Sprintf("The model was trained on data called %s, too: on rows that it was trained on, %s says little.\n",
				r.Trained, what)
		}
	}
	if len(r.Unknown) > 0 {
		kind := "not among its classes"
		if r.Classes == nil {
			kind = "not numbers"
		}
		text += fmt.Sprintf("Labels that are %s do not count: %.200s.\n", kind, strings.Join(r.Unknown, ", "))
	}
	if r.Filled > 0 {
		text += fmt.Sprintf("Missing values replaced by the training rows' mean: %d.\n", r.Filled)
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("Rows left out because a value is missing: %d.\n", r.Dropped)
	}
	return text
}

// versionWarning returns a line about genes that the data have in another version, or "".
func versionWarning(r *fsnet.Predicted) string {
	if len(r.OtherVersion) == 0 {
		return ""
	}
	return fmt.Sprintf("%s read from another version of the gene: %s\n", phrase.Count(len(r.OtherVersion), "feature"), shortList(r.OtherVersion, 3))
}

// scaleWarning returns a line about values on another scale, or "".
func scaleWarning(r *fsnet.Predicted) string {
	if len(r.OtherScale) == 0 {
		return ""
	}
	what := "has the mean"
	if r.Differences {
		what = "has within pairs the standard deviation"
	}
	return fmt.Sprintf("the values of %s are on another scale than in the training (%s %s %s here and %s in the training), "+
		"so these predictions mean little - give them the units and the normalisation of the training data\n",
		shortList(r.OtherScale, 5), r.OtherScale[0], what, words.Number(r.Means[0]), words.Number(r.Means[1]))
}

// printPredictions prints a line for each row, and below them how good the
// predictions are.
func printPredictions(out io.Writer, r *fsnet.Predicted) error {
	fmt.Fprintf(out, "%s: %s, %s as %s has them, trained on %s\n\n",
		r.Data, phrase.Count(len(r.Predictions), "row"), phrase.Count(len(r.Features), "feature"), r.Model, r.Trained)
	titles := []string{"sample", "predicted"}
	labelled := r.Known > 0 || len(r.Unknown) > 0
	if labelled {
		titles = append(titles, "label")
	}
	for _, class := range r.Classes {
		titles = append(titles, ">P("+class+")")
	}
	t := words.NewTable(titles...)
	for _, p := range r.Predictions {
		cells := []string{cmp.Or(p.Sample, strconv.Itoa(p.Row)), predictionText(p, 4)}
		if labelled {
			cells = append(cells, p.Label)
		}
		for _, x := range p.Probabilities {
			cells = append(cells, fmt.Sprintf("%.3f", x))
		}
		t.Add(cells...)
	}
	if err := printTable(out, t); err != nil {
		return err
	}
	_, err := io.WriteString(out, predictionNotes(r))
	return err
}

// writePredictionsCSV writes row, sample, predicted, label, and a column
// P(class) for each class, with all digits. Words are guarded, so that a
// spreadsheet doesn't read them as formulas.
func writePredictionsCSV(out io.Writer, r *fsnet.Predicted) error {
	w := csv.NewWriter(out)
	header := []string{"row", "sample", "predicted", "label"}
	for _, class := range r.Classes {
		header = append(header, "P("+class+")")
	}
	lines := [][]string{header}
	for _, p := range r.Predictions {
		line := []string{strconv.Itoa(p.Row), guarded(p.Sample), guarded(predictionText(p, -1)), guarded(p.Label)}
		for _, x := range p.Probabilities {
			line = append(line, strconv.FormatFloat(x, 'g', -1, 64))
		}
		lines = append(lines, line)
	}
	return errs.NotWritten(w.WriteAll(lines))
}

// guarded returns a word that a spreadsheet doesn't read as a formula. Numbers
// stay as they are, even negative ones.
func guarded(word string) string {
	if _, err := strconv.ParseFloat(word, 64); err == nil {
		return word
	}
	return phrase.Guard(word)
}

// predictionText returns the class, or the quantity with a number of
// significant digits. −1 means all digits.
func predictionText(p fsnet.Prediction, digits int) string {
	if p.Quantity == nil {
		return p.Class
	}
	return strconv.FormatFloat(*p.Quantity, 'g', digits, 64)
}
