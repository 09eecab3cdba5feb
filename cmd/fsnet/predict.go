package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/stat"

	"fsnetlab/fsnet"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
	"fsnetlab/widgets/chart/words"
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
				return errs.New(errs.Request, "as in: fsnet predict panel.safetensors new.csv", "predict takes a model and a data set, not %s",
					phrase.Count(len(args), "argument"))
			case strings.HasSuffix(args[1], ".safetensors") && !strings.HasSuffix(args[0], ".safetensors"):
				return errs.New(errs.Request, fmt.Sprintf("write fsnet predict %s %s", args[1], args[0]), "the model comes first, then the data set")
			case o.json && o.csv:
				return errs.New(errs.Request, "choose one of them", "both --json and --csv")
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
	for _, name := range []string{"label", "samples", "covariates", "missing", "x", "layer", "sheet", "annotations"} {
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

// predicted is what --json prints.
type predicted struct {
	Model       string       `json:"model"`             // its file
	Trained     string       `json:"trained"`           // name of the data set that it was trained on
	Data        string       `json:"data"`              // name of the data set that it predicts
	Features    []string     `json:"features"`          // of the model, by rank
	Classes     []string     `json:"classes,omitempty"` // of the model; left out of a model of a quantity
	Predictions []prediction `json:"predictions"`       // one for each row
	Filled      int          `json:"filled"`            // missing values taken as the training rows' mean
	Dropped     int          `json:"dropped"`           // rows left out for a missing value
	Known       int          `json:"known"`             // rows whose label is one of the model's classes; of these are the figures below
	// labels that are none of the model's classes, each once; null where there are none
	Unknown          []string       `json:"unknown_labels"`
	Score            *session.Score `json:"score,omitempty"`             // of the known rows: accuracy or, of a model of a quantity, R²
	BalancedAccuracy *float64       `json:"balanced_accuracy,omitempty"` // mean recall of the classes; left out for a quantity
	RMSE             *float64       `json:"rmse,omitempty"`              // of a quantity: root mean square error, in its units
	SameName         bool           `json:"same_name"`                   // the data are called as those it was trained on, and may be these
	// features whose values are in other units than in the training, or normalised otherwise
	OtherScale []string `json:"other_scale"`

	scale string // an example of that, for people
}

// prediction is what the model says of a row.
type prediction struct {
	Row           int       `json:"row"`                     // of the table, from 1
	Sample        string    `json:"sample,omitempty"`        // name of the row, where rows have names
	Class         string    `json:"class,omitempty"`         // the predicted one
	Probabilities []float64 `json:"probabilities,omitempty"` // of the model's classes, in their order
	Quantity      *float64  `json:"quantity,omitempty"`      // the predicted value, instead of a class
	Label         string    `json:"label,omitempty"`         // as the table has it
}

// predictRows reads a model and the rows, and predicts. Of the configuration data, label, samples, covariates and missing count; what is not given
// is as it was when the model was trained, but label and samples need not be there.
func predictRows(ctx context.Context, path string, c config.Config) (*predicted, error) {
	model, err := fsnet.Load(path)
	if err != nil {
		if _, swapped := fsnet.Load(c.Data); swapped == nil {
			remedy := fmt.Sprintf("the model comes first: fsnet predict %s %s", c.Data, path)
			return nil, errs.New(errs.Request, remedy, "%s is no model, but %s is one", path, c.Data)
		}
		return nil, cmp.Or(noModel(path), err)
	}
	s := model.Settings
	s.Data = c.Data
	given := func(target *string, value string) {
		if value != "" {
			*target = value
		}
	}
	given(&s.Label, c.Label)
	given(&s.Samples, c.Samples)
	given(&s.Missing, c.Missing)
	given(&s.X, c.X)
	given(&s.Layer, c.Layer)
	given(&s.Sheet, c.Sheet)
	if c.Annotations != "" || !dataset.Same(model.Settings.Data, "", c.Data, "") { // those of the training describe its rows
		s.Annotations = c.Annotations
	}
	if c.Covariates != nil {
		s.Covariates = c.Covariates
	}
	r := &predicted{Model: path, Trained: model.Dataset, Classes: model.Classes, OtherScale: []string{}}
	for _, selected := range model.Selected {
		r.Features = append(r.Features, selected.Name)
	}
	columns, err := dataset.OpenColumns(ctx, r.Features, s, "")
	if err != nil && s.Sheet != "" && c.Sheet == "" { // another workbook may call its sheet otherwise
		s.Sheet = ""
		columns, err = dataset.OpenColumns(ctx, r.Features, s, "")
	}
	if err != nil {
		return nil, err
	}
	if c.Label != "" && columns.Labels == nil {
		return nil, errs.New(errs.Request, "leave label out where the table has none", "%s has no column %q (label)", c.Data, c.Label)
	}
	if c.Samples != "" && columns.Samples == nil {
		return nil, errs.New(errs.Request, "leave samples out where the table has none", "%s has no column %q (samples)", c.Data, c.Samples)
	}
	r.Data, r.SameName = columns.Name, columns.Name == model.Dataset
	rows, err := r.complete(model, columns, s)
	if err != nil {
		return nil, err
	}
	for _, column := range slices.Sorted(maps.Keys(columns.Words)) {
		if err := model.CheckWords(column, columns.Words[column]); err != nil {
			return nil, errs.At(err, "%s", c.Data)
		}
	}
	r.compareScales(model, columns, rows, s)
	if sites := columns.Described[s.Nuisance]; sites != nil {
		of := make([]string, len(rows))
		for i, p := range r.Predictions {
			of[i] = sites[p.Row-1]
		}
		model = model.At(of)
	}
	model = model.Paired(nil) // as OpenColumns has read them
	if model.Regression() {
		return r, r.estimate(model, rows)
	}
	probabilities, err := model.ProbabilitiesNamed(r.Features, rows)
	if err != nil {
		return nil, err
	}
	classes, err := model.PredictNamed(r.Features, rows)
	if err != nil {
		return nil, err
	}
	for i := range r.Predictions {
		r.Predictions[i].Class, r.Predictions[i].Probabilities = model.Classes[classes[i]], probabilities[i]
	}
	r.score(classes)
	return r, nil
}

// noModel says what a file is that was named as a model and holds data; nil where it holds none that are known.
func noModel(path string) error {
	if file, err := read.OpenFile(path, path); err == nil {
		defer file.Close()
		if f, err := read.FormatOf(path, filepath.Ext(path), file); err == nil {
			return errs.New(errs.Request, "name the file that fsnet fit --save wrote, then the data: fsnet predict panel.safetensors new.csv",
				"%s is not a saved model of fsnet: it seems to be data (%s)", path, f.Name)
		}
	}
	return nil
}

// estimate says quantities, and compares them with the labels that are numbers.
func (r *predicted) estimate(model *fsnet.Model, rows [][]float64) error {
	quantities, err := model.EstimateNamed(r.Features, rows)
	if err != nil {
		return err
	}
	var truth, said []float64
	for i := range quantities {
		r.Predictions[i].Quantity = &quantities[i]
	}
	r.compare(func(i int, label string) bool {
		y, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsInf(y, 0) || math.IsNaN(y) {
			return false
		}
		truth, said = append(truth, y), append(said, quantities[i])
		return true
	})
	if r.Known > 0 {
		r.Score, r.RMSE = &session.Score{Metric: session.RSquared, Value: metric.R2(truth, said)}, new(metric.RMSE(truth, said))
	}
	return nil
}

// complete are the rows without missing values, as the key missing has it, and the predictions to be made of them.
func (r *predicted) complete(model *fsnet.Model, columns *dataset.Columns, s config.Settings) ([][]float64, error) {
	var rows [][]float64
	for i, row := range columns.Rows {
		p := prediction{Row: i + 1}
		if columns.Samples != nil {
			p.Sample = columns.Samples[i]
		}
		if columns.Labels != nil {
			p.Label = columns.Labels[i]
		}
		site := ""
		if of := columns.Described[s.Nuisance]; of != nil {
			site = of[i]
		}
		means, known := model.MeansAt(site)
		j := slices.IndexFunc(row, math.IsNaN)
		switch {
		case j >= 0 && s.Missing == "drop":
			r.Dropped++
			continue
		case j >= 0 && s.Missing == "mean" && known:
			for ; j < len(row); j++ {
				if math.IsNaN(row[j]) {
					row[j] = means[j]
					r.Filled++
				}
			}
		case j >= 0:
			remedy := "use missing=mean (the mean of the rows that the model was trained on) or missing=drop"
			if !known {
				remedy = "use missing=drop: the model was trained with scaling=none, and has no means to fill in"
			}
			return nil, errs.New(errs.Request, remedy, "%s: %s, column %q: the value is missing",
				s.Data, read.Place(columns.Lines, i), r.Features[j])
		}
		rows = append(rows, row)
		r.Predictions = append(r.Predictions, p)
	}
	if len(rows) == 0 {
		return nil, errs.New(errs.Request, "use missing=mean", "%s: no row has all %s", columns.Name, phrase.Count(len(r.Features), "feature"))
	}
	return rows, nil
}

// compare goes through the labels. take says whether one counts.
func (r *predicted) compare(take func(i int, label string) bool) {
	r.Unknown = []string{}
	for i, p := range r.Predictions {
		switch {
		case p.Label == "":
		case take(i, p.Label):
			r.Known++
		case !slices.Contains(r.Unknown, p.Label):
			r.Unknown = append(r.Unknown, p.Label)
		}
	}
}

// score compares with the labels that are classes of the model.
func (r *predicted) score(classes []int) {
	var truth, said []int
	r.compare(func(i int, label string) bool {
		c := parse.Index(r.Classes, label)
		if c >= 0 {
			truth, said = append(truth, c), append(said, classes[i])
		}
		return c >= 0
	})
	if r.Known > 0 {
		r.Score = &session.Score{Metric: session.Accuracy, Value: metric.Accuracy(truth, said)}
		r.BalancedAccuracy = new(metric.BalancedAccuracy(truth, said, len(r.Classes)))
	}
}

// says is the sentence about the labels.
func (r *predicted) says() string {
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
		kind := "none of its classes"
		if r.Classes == nil {
			kind = "no numbers"
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

// Of values on another scale: other patients differ by a few standard deviations, other units by hundreds. Logarithms of what was trained
// on as it was lie near its mean, and hardly vary.
const (
	farDeviations  = 10  // of the training, between its mean and the median of the rows
	widestShare    = 4   // of the training's standard deviation, which M values exceed by more where the training had beta values
	narrowestShare = 0.2 // likewise, of beta values where it had M values
	spreadRows     = 10  // fewer may be alike, or not, by chance
)

// compareScales finds the features whose values cannot be in the units or under the normalisation of the training. Of pairs, and where the
// data were not scaled, the model does not know them.
func (r *predicted) compareScales(model *fsnet.Model, columns *dataset.Columns, rows [][]float64, s config.Settings) {
	if _, scaled := model.Means(); !scaled || s.Pairs != "" {
		return
	}
	type scale struct{ means, deviations []float64 }
	scales := map[string]scale{} // by site
	for _, site := range append([]string{""}, columns.Described[s.Nuisance]...) {
		if _, there := scales[site]; !there {
			means, _ := model.MeansAt(site)
			scales[site] = scale{means, model.DeviationsAt(site)}
		}
	}
	for j, name := range r.Features {
		if slices.ContainsFunc(s.Covariates, func(c string) bool { return strings.HasPrefix(name, c+"=") }) {
			continue // 0 and 1 have no scale
		}
		values, from := make([]float64, len(rows)), make([]float64, len(rows)) // as read, and in deviations from the training's mean
		for i, row := range rows {
			site := ""
			if of := columns.Described[s.Nuisance]; of != nil {
				site = of[r.Predictions[i].Row-1]
			}
			values[i], from[i] = row[j], (row[j]-scales[site].means[j])/scales[site].deviations[j]
		}
		_, spread := stat.MeanStdDev(from, nil)
		sorted := slices.Sorted(slices.Values(from))
		median, wide := sorted[len(from)/2], min(spread, sorted[len(from)*3/4]-sorted[len(from)/4]) // no few values of a row make it wide
		other := spread > 0 && spread < narrowestShare || wide > widestShare                        // a constant says nothing of a scale
		if math.Abs(median) <= farDeviations && (!other || len(rows) < spreadRows) {
			continue
		}
		if r.OtherScale = append(r.OtherScale, name); r.scale == "" {
			r.scale = fmt.Sprintf("%s has the mean %s here and %s in the training", name, words.Number(stat.Mean(values, nil)),
				words.Number(scales[""].means[j]))
		}
	}
}

// Warning is a line about values on another scale, "" where there are none.
func (r *predicted) Warning() string {
	if len(r.OtherScale) == 0 {
		return ""
	}
	const most = 5
	names := strings.Join(r.OtherScale[:min(len(r.OtherScale), most)], ", ")
	if rest := len(r.OtherScale) - most; rest > 0 {
		names += fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Sprintf("the values of %s are on another scale than in the training (%s), so these predictions mean little - "+
		"give them the units and the normalisation of the training data\n", names, r.scale)
}

// Print writes a line a row for people, and below them what the labels say.
func (r *predicted) Print(out io.Writer) error {
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
		cells := []string{cmp.Or(p.Sample, strconv.Itoa(p.Row)), p.says(4)}
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
	_, err := io.WriteString(out, r.says())
	return err
}

// WriteCSV writes row, sample, predicted, label, and a column P(class) for each class, with all digits.
func (r *predicted) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	header := []string{"row", "sample", "predicted", "label"}
	for _, class := range r.Classes {
		header = append(header, "P("+class+")")
	}
	lines := [][]string{header}
	for _, p := range r.Predictions {
		line := []string{strconv.Itoa(p.Row), p.Sample, p.says(-1), p.Label}
		for _, x := range p.Probabilities {
			line = append(line, strconv.FormatFloat(x, 'g', -1, 64))
		}
		lines = append(lines, line)
	}
	return errs.NotWritten(w.WriteAll(lines))
}

// says is the class, or the quantity with so many significant digits, −1 for all.
func (p prediction) says(digits int) string {
	if p.Quantity == nil {
		return p.Class
	}
	return strconv.FormatFloat(*p.Quantity, 'g', digits, 64)
}
