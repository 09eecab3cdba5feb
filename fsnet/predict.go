package fsnet

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/dataset/read"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/session"
	"fsnetlab/internal/phrase"
)

// Predicted holds the predictions for the rows of a table. If the rows have
// labels, it also says how good the predictions are.
type Predicted struct {
	Model    string   `json:"model"`    // file of the model
	Trained  string   `json:"trained"`  // name of the data set that the model was trained on
	Data     string   `json:"data"`     // name of the data set that it predicts
	Features []string `json:"features"` // features of the model, by rank
	// Classes of the model. It is left out if it estimates a quantity.
	Classes     []string     `json:"classes,omitempty"`
	Predictions []Prediction `json:"predictions"` // predictions, one for each row
	// missing values replaced by the mean of the training rows
	Filled  int `json:"filled"`
	Dropped int `json:"dropped"` // rows left out because a value is missing
	// rows whose label the model knows; the figures below are about them
	Known int `json:"known"`
	// labels that the model does not know, without repetitions
	Unknown []string       `json:"unknown_labels"`
	Score   *session.Score `json:"score,omitempty"` // accuracy, or R² for a quantity
	// Mean recall of the classes. It is left out for a quantity.
	BalancedAccuracy *float64 `json:"balanced_accuracy,omitempty"`
	// root mean squared error of a quantity, in its units
	RMSE *float64 `json:"rmse,omitempty"`
	// the data have the same name as the training data, so they may be the
	// same
	SameName bool `json:"same_name"`
	// features that have other units than in the training, or another
	// normalisation
	OtherScale []string `json:"other_scale"`
	// genes of Ensembl or RefSeq that the data have in another version, as in
	// "ENSG00000141510.17 from ENSG00000141510.18"
	OtherVersion []string `json:"other_version,omitempty"`

	// Means of the first of OtherScale: here, and in the training. With
	// Differences they are standard deviations of differences within pairs,
	// because their mean is 0 in any unit.
	Means       [2]float64 `json:"-"`
	Differences bool       `json:"-"`
}

// Prediction is the answer of the model for a row.
type Prediction struct {
	Row    int    `json:"row"`              // row of the table, from 1
	Sample string `json:"sample,omitempty"` // name of the row, if rows have names
	Class  string `json:"class,omitempty"`  // the predicted class
	// probabilities of the classes of the model, in their order
	Probabilities []float64 `json:"probabilities,omitempty"`
	Quantity      *float64  `json:"quantity,omitempty"` // the estimated value, instead of a class
	Label         string    `json:"label,omitempty"`    // label of the row in the table
}

// PredictFile loads a model from a file and predicts the rows of c.Data. The
// keys label, samples, covariates, missing, x, layer, sheet and annotations of
// c say how to read them. A key that c leaves out has the value of the
// training, but the table may lack the columns for label and samples.
func PredictFile(ctx context.Context, file string, c config.Config) (*Predicted, error) {
	model, err := loadFor(file, c.Data)
	if err != nil {
		return nil, err
	}
	r := &Predicted{Model: file, Trained: model.Dataset, Classes: model.Classes, OtherScale: []string{}}
	for _, f := range model.Selected {
		r.Features = append(r.Features, f.Name)
	}

	s := settingsFor(model.Settings, c)
	columns, err := dataset.OpenColumns(ctx, r.Features, s, "")
	if err != nil && s.Sheet != "" && c.Sheet == "" { // the sheet of another workbook may have another name
		s.Sheet = ""
		columns, err = dataset.OpenColumns(ctx, r.Features, s, "")
	}
	if err != nil {
		return nil, err
	}

	if c.Label != "" && columns.Labels == nil {
		return nil, errs.New(errs.Request, "leave label out if the table has none", "%s has no column %q (label)", c.Data, c.Label)
	}
	if c.Samples != "" && columns.Samples == nil {
		return nil, errs.New(errs.Request, "leave samples out if the table has none", "%s has no column %q (samples)", c.Data, c.Samples)
	}

	t := table{Predicted: r, model: model, settings: s, columns: columns}
	r.Data, r.SameName, r.OtherVersion = columns.Name, columns.Name == model.Dataset, columns.OtherVersion
	if err := t.complete(); err != nil {
		return nil, err
	}

	for _, column := range slices.Sorted(maps.Keys(columns.Words)) {
		if err := model.CheckWords(column, columns.Words[column]); err != nil {
			return nil, errs.At(err, "%s", c.Data)
		}
	}

	t.compareScales()
	if columns.Described[s.Nuisance] != nil {
		sites := make([]string, len(t.rows))
		for i, p := range r.Predictions {
			sites[i] = t.site(p.Row)
		}
		t.model = model.At(sites)
	}

	t.model = t.model.Paired(nil) // OpenColumns has subtracted the means of the pairs
	if model.Regression() {
		return r, t.estimate()
	}
	return r, t.classify()
}

// loadFor loads a model. If the file is not a model, the error says what it
// holds. If data is a model, the error says that the two were exchanged.
func loadFor(file, data string) (*Model, error) {
	model, err := Load(file)
	if err == nil {
		return model, nil
	}
	if _, swapped := Load(data); swapped == nil {
		remedy := fmt.Sprintf("the model comes first: fsnet predict %s %s", data, file)
		return nil, errs.New(errs.Request, remedy, "%s is not a model, but %s is", file, data)
	}
	if open, openErr := read.OpenFile(file, file); openErr == nil {
		defer open.Close()
		if f, formatErr := read.Detect(file, filepath.Ext(file), open); formatErr == nil {
			return nil, errs.New(errs.Request, "name the file that fsnet fit --save wrote, then the data: fsnet predict panel.safetensors new.csv",
				"%s is not a saved model of fsnet: it seems to be data (%s)", file, f.Name)
		}
	}
	return nil, err
}

// settingsFor returns the settings of a model's training, changed by the keys
// of c that say how to read rows.
func settingsFor(s config.Settings, c config.Config) config.Settings {
	// The annotations of the training describe only its own rows.
	if c.Annotations != "" || !dataset.Same(s.Data, "", c.Data, "") {
		s.Annotations = c.Annotations
	}
	if c.Covariates != nil {
		s.Covariates = c.Covariates
	}
	s.Data, s.Label, s.Samples, s.Missing = c.Data, cmp.Or(c.Label, s.Label), cmp.Or(c.Samples, s.Samples), cmp.Or(c.Missing, s.Missing)
	s.X, s.Layer, s.Sheet = cmp.Or(c.X, s.X), cmp.Or(c.Layer, s.Layer), cmp.Or(c.Sheet, s.Sheet)
	return s
}

// table is a table that is being predicted.
type table struct {
	*Predicted
	model    *Model
	settings config.Settings
	columns  *dataset.Columns
	rows     [][]float64 // values of the features for each of Predictions
}

// site returns the value of the nuisance column in a row, counted from 1. If
// the model has no nuisance, it returns "".
func (t *table) site(row int) string {
	if sites := t.columns.Described[t.settings.Nuisance]; sites != nil {
		return sites[row-1]
	}
	return ""
}

// complete adds a prediction without an answer for each row of the table. It
// leaves out, fills or rejects rows with a missing value, as the key missing
// says.
func (t *table) complete() error {
	for i, row := range t.columns.Rows {
		p := Prediction{Row: i + 1}
		if t.columns.Samples != nil {
			p.Sample = t.columns.Samples[i]
		}
		if t.columns.Labels != nil {
			p.Label = t.columns.Labels[i]
		}
		means, known := t.model.MeansAt(t.site(p.Row))
		j := slices.IndexFunc(row, math.IsNaN)
		switch {
		case j >= 0 && t.settings.Missing == "drop":
			t.Dropped++
			continue
		case j >= 0 && t.settings.Missing == "mean" && known:
			for ; j < len(row); j++ {
				if math.IsNaN(row[j]) {
					row[j] = means[j]
					t.Filled++
				}
			}
		case j >= 0:
			remedy := "use missing=mean (the mean of the rows that the model was trained on) or missing=drop"
			if !known {
				remedy = "use missing=drop: the model was trained with scaling=none, and has no means to fill in"
			}
			return errs.New(errs.Request, remedy, "%s: %s, column %q: the value is missing",
				t.settings.Data, read.Place(t.columns.Lines, i), t.Features[j])
		}
		t.rows = append(t.rows, row)
		t.Predictions = append(t.Predictions, p)
	}
	if len(t.rows) == 0 {
		return errs.New(errs.Request, "use missing=mean", "%s: no row has all %s", t.columns.Name, phrase.Count(len(t.Features), "feature"))
	}
	return nil
}

// classify predicts classes. If the label of some rows is one of the classes,
// it also sets the score.
func (t *table) classify() error {
	probabilities, err := t.model.ProbabilitiesNamed(t.Features, t.rows)
	if err != nil {
		return err
	}
	classes, err := t.model.PredictNamed(t.Features, t.rows)
	if err != nil {
		return err
	}

	for i := range t.Predictions {
		t.Predictions[i].Class, t.Predictions[i].Probabilities = t.Classes[classes[i]], probabilities[i]
	}

	var truth, predicted []int
	t.useLabels(func(i int, label string) bool {
		c := parse.Index(t.Classes, label)
		if c >= 0 {
			truth, predicted = append(truth, c), append(predicted, classes[i])
		}
		return c >= 0
	})
	if t.Known > 0 {
		t.Score = &session.Score{Metric: session.Accuracy, Value: metric.Accuracy(truth, predicted)}
		t.BalancedAccuracy = new(metric.BalancedAccuracy(truth, predicted, len(t.Classes)))
	}
	return nil
}

// estimate estimates quantities. If the label of some rows is a number, it also
// sets the score.
func (t *table) estimate() error {
	quantities, err := t.model.EstimateNamed(t.Features, t.rows)
	if err != nil {
		return err
	}
	for i := range quantities {
		t.Predictions[i].Quantity = &quantities[i]
	}

	var truth, estimated []float64
	t.useLabels(func(i int, label string) bool {
		y, err := strconv.ParseFloat(label, 64)
		if err != nil || math.IsInf(y, 0) || math.IsNaN(y) {
			return false
		}
		truth, estimated = append(truth, y), append(estimated, quantities[i])
		return true
	})
	if t.Known > 0 {
		t.Score = &session.Score{Metric: session.RSquared, Value: metric.R2(truth, estimated)}
		t.RMSE = new(metric.RMSE(truth, estimated))
	}
	return nil
}

// useLabels calls use with every label, where i is the index of its prediction.
// use must report whether the model knows the label. useLabels sets Known and
// Unknown accordingly.
func (t *table) useLabels(use func(i int, label string) bool) {
	t.Unknown = []string{}
	for i, p := range t.Predictions {
		switch {
		case p.Label == "":
		case use(i, p.Label):
			t.Known++
		case !slices.Contains(t.Unknown, p.Label):
			t.Unknown = append(t.Unknown, p.Label)
		}
	}
}
