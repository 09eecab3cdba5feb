package fsnet

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/dataset/parse"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/metric"
	"fsnetlab/fsnet/nn"
	"fsnetlab/fsnet/session"
	"fsnetlab/fsnet/train"
	"fsnetlab/internal/num"
	"fsnetlab/internal/phrase"
)

// Model is the result of a training: K features by name, and the small
// network that reads them. It needs no device and is immutable. Save writes
// it to a file, and Load reads it.
type Model struct {
	Dataset     string
	DatasetHash string // dataset.Dataset.Hash of the training data
	Settings    config.Settings
	Step        int
	Features    int // d, the number of columns of the table it was trained on
	// Classes are the classes that Predict returns. For a quantity it is nil,
	// see Estimate.
	Classes []string
	// Selected holds the selected features by rank. Only LeadsSince, ChosenBy
	// and Replaced of their history are set.
	Selected []session.Selected

	readers []reader   // by selector
	sites   []string   // values of the nuisance, or nil
	within  [][]reader // the readers of each site
	rows    []int      // the site of each row, or −1; set by At
	paired  bool       // whether Paired was called
	// words holds, for each covariate of words, the words in the training rows.
	// It is nil if the file is of an older version.
	words map[string][]string
	pairs []string // Set by Paired: the pair of each row. It is nil for differences.
	// seen holds K means and then K standard deviations of the training rows,
	// by selector, even with scaling=none. It is nil if the file is of an older
	// version.
	seen  []float64
	heads []nn.Perceptron // They read what the readers return. The scores of the model are their mean.
	slots []int           // output of the network → class
	unit  dataset.Unit    // unit of the output of the network for a quantity
}

// reader reads the feature of a selector: (x − mean)/scale.
type reader struct {
	index       int
	mean, scale float64 // a scale below 0 turns the feature
}

// scaled scales a value as in training: it is read in 32 bits, centred and
// scaled in 64, and rounded to 32.
func (r reader) scaled(value float64) float64 {
	return float64(float32((float64(float32(value)) - r.mean) / r.scale))
}

// ModelOf returns a model with the current selection and network of a training.
func ModelOf(t *train.Training) (*Model, error) {
	f, err := t.Fitted()
	if err != nil {
		return nil, err
	}

	data := f.Data
	m := &Model{
		Dataset: data.Name, DatasetHash: data.Hash, Settings: f.Settings, Step: f.Step, Features: data.D,
		Selected: f.Selected, heads: f.Networks, slots: f.Slots, unit: f.Unit,
	}

	if !m.Regression() {
		m.Classes = data.Classes
	}

	m.readers = m.readersOf(f, data.Mean, data.Scale)
	for _, r := range m.readers {
		c, _ := slices.BinarySearch(data.Kept, r.index)
		m.seen = append(m.seen, data.Measured[c])
	}
	for _, r := range m.readers {
		c, _ := slices.BinarySearch(data.Kept, r.index)
		m.seen = append(m.seen, data.Measured[len(data.Kept)+c])
	}

	m.words = wordsOf(f.Settings.Covariates, data.Features)
	if w := data.Within; w != nil {
		m.sites = w.Sites
		for site := range w.Sites {
			m.within = append(m.within, m.readersOf(f, w.Mean[site], w.Scale[site]))
		}
	}
	return m, nil
}

// readersOf returns the reader of each selector. mean and scale hold a number
// for each column in f.Data.Kept.
func (m *Model) readersOf(f train.Fitted, mean, scale []float64) []reader {
	list := make([]reader, len(m.Selected))
	for _, s := range m.Selected {
		c, _ := slices.BinarySearch(f.Data.Kept, s.Index)
		list[s.Selector] = reader{s.Index, mean[c], f.Signs[s.Selector] * scale[c]}
	}
	return list
}

// Transform returns the K selected values of every row, by rank and unscaled.
// Rows must have all d columns of the training data. If a row has another
// width, or one of these values is missing or infinite, the error is of kind
// Request.
func (m *Model) Transform(rows [][]float64) ([][]float64, error) {
	at := m.columns()
	out := make([][]float64, len(rows))
	for i, row := range rows {
		if err := m.check(i, row, m.Features, at); err != nil {
			return nil, err
		}
		for _, s := range m.Selected {
			out[i] = append(out[i], row[s.Index])
		}
	}
	return out, nil
}

// Predict returns the class of every row, as an index into Classes. Rows must
// have all d columns of the training data, unscaled. If a row has another width
// or lacks a finite value of a selected feature, or if the model was trained on
// a quantity, the error is of kind Request.
func (m *Model) Predict(rows [][]float64) ([]int, error) {
	return predict(m, false, rows, m.asTrained, m.class)
}

// PredictNamed is like [Model.Predict], but accepts rows with other columns.
// names holds the names of the columns, in any order. It must include the K
// selected features, and needs no others. If a feature is missing or two
// columns share a name, the error is of kind Request.
func (m *Model) PredictNamed(names []string, rows [][]float64) ([]int, error) {
	return predict(m, false, rows, m.named(names), m.class)
}

// ProbabilitiesNamed returns, for every row, the probability that the network
// gives to each class in Classes: the softmax of its scores s, p_c = exp s_c /
// Σ exp s. names has the meaning of [Model.PredictNamed], and the most probable
// class is the predicted one. The probabilities are not calibrated, because the
// network was not trained to judge its own certainty. For a model of a quantity
// the error is of kind Request.
func (m *Model) ProbabilitiesNamed(names []string, rows [][]float64) ([][]float64, error) {
	return predict(m, false, rows, m.named(names), func(scores []float64) []float64 {
		out := make([]float64, len(m.Classes))
		top, sum := slices.Max(scores), 0.0
		for _, s := range scores {
			sum += math.Exp(s - top)
		}
		for slot, s := range scores {
			out[m.slots[slot]] = math.Exp(s-top) / sum
		}
		return out
	})
}

// Means returns the means of the selected features over the training rows, by
// rank. With missing=mean they replace missing values. A model trained with
// scaling=none has no means; ok is then false.
func (m *Model) Means() (means []float64, ok bool) { return m.MeansAt("") }

// MeansAt returns the means of the selected features, by rank, over the
// training rows with a value of the nuisance. If the model does not know the
// value, they are over all training rows.
func (m *Model) MeansAt(site string) (means []float64, ok bool) {
	readers := m.readersAt(site)
	for _, s := range m.Selected {
		means = append(means, readers[s.Selector].mean)
	}
	return means, m.Settings.Scaling != "none"
}

// Measured returns the means and standard deviations of the selected features
// over the training rows, by rank, even with scaling=none. If the model comes
// from a file of an older version that lacks them, ok is false.
func (m *Model) Measured() (means, deviations []float64, ok bool) {
	if m.seen == nil {
		return nil, nil, false
	}
	for _, s := range m.Selected {
		means, deviations = append(means, m.seen[s.Selector]), append(deviations, m.seen[len(m.Selected)+s.Selector])
	}
	return means, deviations, true
}

// DeviationsAt returns the standard deviations that go with [Model.MeansAt].
// They are 1 for features that are not scaled.
func (m *Model) DeviationsAt(site string) (deviations []float64) {
	readers := m.readersAt(site)
	for _, s := range m.Selected {
		deviations = append(deviations, math.Abs(readers[s.Selector].scale))
	}
	return deviations
}

// readersAt returns the readers for a value of the nuisance. If the model
// does not know the value, it returns those for all rows.
func (m *Model) readersAt(site string) []reader {
	if b := parse.Index(m.sites, site); b >= 0 {
		return m.within[b]
	}
	return m.readers
}

// wordsOf returns, for each covariate of words, the words that became features.
// If no covariate has words, it returns nil.
func wordsOf(covariates, features []string) map[string][]string {
	var words map[string][]string
	for _, name := range features {
		for _, column := range covariates {
			if word, is := strings.CutPrefix(name, column+"="); is {
				if words == nil {
					words = map[string][]string{}
				}
				words[column] = append(words[column], word)
			}
		}
	}
	return words
}

// CheckWords returns an error if values of a column contain a word that no
// training row had. It applies to covariates that the model reads and to its
// nuisance, and accepts everything in other columns. A missing value ("") is
// accepted.
func (m *Model) CheckWords(column string, values []string) error {
	known := m.words[column]
	switch {
	case column == m.Settings.Nuisance && m.sites != nil: // The name is "" if a program gave the nuisance.
		known = m.sites
	case !slices.ContainsFunc(m.names(), func(name string) bool { return strings.HasPrefix(name, column+"=") }):
		return nil
	case m.words == nil: // The words that the model reads, because an older file does not have the others.
		for _, name := range m.names() {
			if word, is := strings.CutPrefix(name, column+"="); is {
				known = append(known, word)
			}
		}
		if slices.ContainsFunc(values, func(value string) bool { return parse.Index(known, value) >= 0 }) {
			return nil
		}
	}

	var unknown, respelt []string
	for _, value := range values {
		if value == "" || parse.Index(known, value) >= 0 || slices.Contains(unknown, value) {
			continue
		}
		unknown = append(unknown, value)
		if near := cmp.Or(parse.FindAlike(value, known), phrase.Nearest(value, known), abbreviated(value, known)); near != "" {
			respelt = append(respelt, fmt.Sprintf("%q for %q", near, parse.Shorten(value)))
		}
	}

	if unknown == nil {
		return nil
	}

	remedy := "write them as the training had them"
	if respelt != nil {
		remedy += ", such as " + strings.Join(respelt[:min(len(respelt), 8)], ", ")
	}
	return errs.New(errs.Request, remedy+"; of others the model knows nothing: leave such rows out, or train it with some",
		"column %q: no training row had %s; the model knows %s", parse.Shorten(column), parse.Quote(unknown), parse.Quote(known))
}

// abbreviated returns the word that starts with value or that value starts
// with, ignoring case, as in M for male. If no word does, or more than one, it
// returns "".
func abbreviated(value string, words []string) string {
	value, found := strings.ToLower(value), ""
	for _, word := range words {
		if low := strings.ToLower(word); low == "" || !strings.HasPrefix(value, low) && !strings.HasPrefix(low, value) {
			continue
		}
		if found != "" {
			return ""
		}
		found = word
	}
	return found
}

// places returns, for each selector, the index in names of its feature. If a
// feature is missing or two names are equal, it returns an error.
func (m *Model) places(names []string) ([]int, error) {
	place := make(map[string]int, len(names))
	for i, name := range names {
		if _, twice := place[name]; twice {
			return nil, errs.New(errs.Request, "give every column a name of its own", "two columns are named %.100q", name)
		}
		place[name] = i
	}

	columns := make([]int, len(m.readers))
	var missing []string
	for _, s := range m.Selected {
		i, there := place[s.Name]
		if !there {
			missing = append(missing, s.Name)
		}
		columns[s.Selector] = i
	}

	if missing != nil {
		return nil, errs.New(errs.Request, "give all features of the model: "+strings.Join(m.names(), ", "), "no column is named %.200s",
			strings.Join(missing, ", "))
	}
	return columns, nil
}

// class returns the class with the highest score, as an index into Classes.
func (m *Model) class(scores []float64) int { return m.slots[num.Argmax(scores)] }

// asTrained returns the columns that the selectors read in rows of the training
// table, and its number of columns. err is always nil; it is there because
// predict expects a function with an error.
func (m *Model) asTrained() (at []int, width int, err error) { return m.columns(), m.Features, nil }

// named returns a function for predict that finds the features in rows with
// these columns.
func (m *Model) named(names []string) func() ([]int, int, error) {
	return func() ([]int, int, error) {
		at, err := m.places(names)
		return at, len(names), err
	}
}

// predict calls apply with the scores of each row and returns the results. If
// the model is of another kind than quantity says, it returns an error. where
// returns, for each selector, the index of its feature in a row, and the width
// of rows.
func predict[T any](m *Model, quantity bool, rows [][]float64, where func() ([]int, int, error), apply func(scores []float64) T) ([]T, error) {
	if err := m.checkKind(quantity); err != nil {
		return nil, err
	}
	columns, width, err := where()
	if err != nil {
		return nil, err
	}

	out := make([]T, len(rows))
	if err := m.eachRow(rows, width, columns, func(i int, scores []float64) { out[i] = apply(scores) }); err != nil {
		return nil, err
	}
	return out, nil
}

// eachRow calls yield with the scores of the network for each row, without
// noise and dropout. at holds, for each selector, the index of its feature in a
// row. Rows must have this width. It computes in 64 bits from inputs rounded to
// 32. It checks all rows for missing values before the first call.
func (m *Model) eachRow(rows [][]float64, width int, columns []int, yield func(row int, scores []float64)) error {
	if err := m.checkRows(len(rows)); err != nil {
		return err
	}

	read := make([][]float64, len(rows)) // By selector.
	for i, row := range rows {
		if err := m.check(i, row, width, columns); err != nil {
			return err
		}
		for _, j := range columns {
			read[i] = append(read[i], row[j])
		}
	}

	if m.Settings.Pairs != "" && m.pairs != nil {
		if err := dataset.Differences(read, m.Settings.Pairs, m.pairs, func(i int) string { return fmt.Sprintf("row %d", i) }); err != nil {
			return err
		}
	}

	for i, x := range read {
		readers := m.readers
		if m.sites != nil && m.rows[i] >= 0 {
			readers = m.within[m.rows[i]]
		}
		for k, r := range readers {
			value := x[k]
			if x[k] = r.scaled(value); math.IsInf(x[k], 0) || math.IsNaN(x[k]) {
				return errs.New(errs.Request, "correct the value", "row %d: %g lies too far from the mean of the training rows to compute with",
					i, value)
			}
		}
		yield(i, nn.MeanScores(m.heads, x))
	}
	return nil
}

// columns returns, for each selector, the column that it reads in the training
// table.
func (m *Model) columns() []int { return listOf(m.readers, func(r reader) int { return r.index }) }

// Score returns the share of rows with a correct prediction. y holds an index
// into Classes for each row. If there are no rows, it returns an error.
func (m *Model) Score(rows [][]float64, y []int) (float64, error) {
	if len(rows) != len(y) || len(y) == 0 {
		return 0, errs.New(errs.Request, "give every row its class", "%s and %s", phrase.Count(len(rows), "row"), phrase.Count(len(y), "class"))
	}
	predicted, err := m.Predict(rows)
	if err != nil {
		return 0, err
	}
	return metric.Accuracy(y, predicted), nil
}

// check returns an error if row i has another width, or if one of the values at
// the indices at is not finite.
func (m *Model) check(i int, row []float64, width int, columns []int) error {
	if len(row) != width {
		remedy := "give the columns of the table that the model was trained on, or name yours: PredictNamed"
		if width != m.Features {
			remedy = "give every row a value for each name"
		}
		return errs.New(errs.Request, remedy, "row %d has %s, not %d", i, phrase.Count(len(row), "value"), width)
	}
	for _, j := range columns {
		if math.IsNaN(row[j]) || math.IsInf(row[j], 0) {
			return errs.New(errs.Request, "fill it in first", "row %d, column %d is %v", i, j, row[j])
		}
	}
	return nil
}

// names returns the names of the selected features, by rank.
func (m *Model) names() []string {
	return listOf(m.Selected, func(s session.Selected) string { return s.Name })
}

func (m *Model) String() string {
	return fmt.Sprintf("%s of %s: %s", phrase.Count(len(m.Selected), "feature"), m.Dataset, strings.Join(m.names(), ", "))
}

// Regression reports whether the model was trained on a quantity rather than
// on classes. [Model.Estimate] returns the quantity.
func (m *Model) Regression() bool { return m.Settings.Regression() }

// Estimate returns the quantity of every row, in the units of the label.
// Rows must have all d columns, as read. The error is of kind Request if the
// model was trained on classes.
func (m *Model) Estimate(rows [][]float64) ([]float64, error) {
	return predict(m, true, rows, m.asTrained, m.quantity)
}

// EstimateNamed is [Model.Estimate] for rows with named columns, as in
// [Model.PredictNamed].
func (m *Model) EstimateNamed(names []string, rows [][]float64) ([]float64, error) {
	return predict(m, true, rows, m.named(names), m.quantity)
}

// quantity returns the estimated quantity in the units of the label.
func (m *Model) quantity(scores []float64) float64 { return m.unit.Value(scores[0]) }

// R2 returns R², the share of the variance of the quantities y that the
// estimates explain (see metric.R2). If there are no rows, it returns an error.
func (m *Model) R2(rows [][]float64, y []float64) (float64, error) {
	if len(rows) != len(y) || len(y) == 0 {
		return 0, errs.New(errs.Request, "give every row its quantity", "%s and %s", phrase.Count(len(rows), "row"), phrase.Count(len(y), "quantity"))
	}
	estimated, err := m.Estimate(rows)
	if err != nil {
		return 0, err
	}
	return metric.R2(y, estimated), nil
}

// checkKind returns an error if the caller wants a quantity from a model of
// classes, or classes from a model of a quantity.
func (m *Model) checkKind(quantity bool) error {
	switch {
	case quantity && !m.Regression():
		return errs.New(errs.Request, "ask for predictions: Predict", "the model was trained on classes and does not estimate quantities")
	case !quantity && m.Regression():
		return errs.New(errs.Request, "ask for estimates: Estimate, EstimateNamed, R2",
			"the model was trained on a quantity and does not know classes")
	}
	return nil
}

// At returns the model for a table with these values in the column of the
// nuisance, such as the site. It scales each row like the training rows of its
// site. A row of an unknown site is scaled like all training rows. If the model
// has no nuisance, At returns m.
func (m *Model) At(values []string) *Model {
	if m.sites == nil {
		return m
	}
	out := *m
	out.rows = make([]int, len(values))
	for i, value := range values {
		out.rows[i] = parse.Index(m.sites, value)
	}
	return &out
}

// Paired returns the model for a table with these values in the column of the
// pairs. As in training, it subtracts from each row the mean of its pair. If
// values is nil, the rows must already be differences, such as
// [dataset.OpenColumns] returns.
func (m *Model) Paired(values []string) *Model {
	out := *m
	out.paired, out.pairs = true, values
	return &out
}

// checkRows returns an error if the model needs the pairs or the nuisance of
// the rows and does not have them for this number of rows.
func (m *Model) checkRows(rows int) error {
	if m.Settings.Pairs != "" && (!m.paired || m.pairs != nil && len(m.pairs) != rows) {
		return errs.New(errs.Request, "give the pair of each row: model.Paired(values)",
			"the model was trained on differences within pairs (%s), but %s came with %s of it", m.Settings.Pairs, phrase.Count(rows, "row"),
			phrase.Count(len(m.pairs), "value"))
	}
	if m.sites != nil && len(m.rows) != rows {
		return errs.New(errs.Request, "give the value of each row: model.At(values)",
			"the model was trained with a nuisance (%s), but %s came with %s of it", m.nuisance(), phrase.Count(rows, "row"), phrase.Count(len(m.rows), "value"))
	}
	return nil
}

// nuisance returns the column of the nuisance or, if it has no name, some of
// its values.
func (m *Model) nuisance() string {
	if m.Settings.Nuisance != "" {
		return m.Settings.Nuisance
	}
	return strings.Join(m.sites[:min(3, len(m.sites))], ", ")
}
