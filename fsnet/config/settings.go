package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Values of keys.
const (
	Classification = "classification" // task
	Regression     = "regression"

	FreeLogits       = "free" // selector_logits
	SoftmaxSelectors = "softmax-selectors"
	ClippedSoftmax   = "clipped-softmax"
	ByProbability    = "probability" // selection
	BySample         = "sample"
	LearnedSelection = "learned" // evaluation
	AsBuilt          = "as-built"
	TrainingRows     = "training-rows" // scaling
	AllRows          = "all-rows"

	ClassT          = "class-t" // embedding
	ClassDeviation  = "class-deviation"
	Histogram       = "histogram"
	HistogramCounts = "histogram-counts"

	Stratified = "stratified" // split: the same share of each class
	Random     = "random"

	TauStep  = "step"  // tau_every
	TauEpoch = "epoch" // the paper's Algorithm 2
)

// Number of bins, and limits of protocol=stepwise.
const (
	StandardBins    = 10   // b in the paper
	MostConditional = 4096 // the most features with FewRows rows or more, because it then reads d² numbers
	// FewRows is the number of training rows below which it minimises the
	// leave-one-out error. With more rows it maximizes the partial F.
	FewRows = 150
)

// Steps of protocol=fsnet. With manyRows training rows or more, batches are
// large, and the number of steps is that of manyEpochs epochs, within
// bounds.
const (
	manyRows           = 300
	manyBatch          = 128
	manyEpochs         = 300
	leastSteps         = 1500
	mostSteps          = 2 * leastSteps
	rate, manyRowsRate = 0.001, 0.002
)

// ForData replaces auto in batch, epochs and learning_rate by values for this
// number of training rows. They give enough steps to settle and, with many
// rows, for the network to learn from all of them. With batches of 8, a
// training reads 12,000 rows in total, however many rows there are.
func (s Settings) ForData(rows int) Settings {
	batch, steps, eta := 8, leastSteps, rate
	switch {
	case s.Protocol == Stepwise:
		batch, steps = 48, 600
	case s.Protocol == FsNet && s.Batch == Auto && rows >= manyRows:
		batch, eta = manyBatch, manyRowsRate
		steps = min(max(manyEpochs*((rows+batch-1)/batch), leastSteps), mostSteps)
	}

	if s.LearningRate == Auto {
		s.LearningRate = eta
	}
	if s.Batch == Auto {
		s.Batch = batch
	}
	if s.Epochs == Auto {
		batch = s.BatchRows(rows)
		each := (rows + batch - 1) / batch
		s.Epochs = (steps + each - 1) / each
	}
	return s
}

// BatchRows returns the number of rows in a step, given the number of training
// rows. It is batch. If batch is 0, auto or larger than that, it is all rows.
func (s Settings) BatchRows(rows int) int {
	if s.Batch <= 0 || s.Batch > rows {
		return rows
	}
	return s.Batch
}

// Trainer returns a clause that says what decides which features the selectors
// choose.
func (s Settings) Trainer() string {
	if s.Stepwise() {
		return "closed-form errors choose, the network only predicts"
	}
	return "the gradient of the network's loss trains the selectors"
}

// Stepwise reports whether closed-form errors choose the features rather
// than the gradient.
func (s Settings) Stepwise() bool { return s.Protocol == Stepwise }

// CheckBins returns an error if there are more bins than training rows, because
// the paper has b ≤ n. Unless the embedding is the paper's, it always accepts
// the standard number, so that you need not change it for small data.
func (s Settings) CheckBins(rows int) error {
	if s.Bins <= rows || s.Bins == StandardBins && s.Embedding != Histogram {
		return nil
	}
	return errs.New(errs.Request, fmt.Sprintf("train on %d rows or more, or use protocol=%s", s.Bins, FsNet),
		"bins = %d is more than the %s of embedding=%s: the paper has b ≤ n", s.Bins, phrase.Count(rows, "training row"), s.Embedding)
}

// Regression reports whether the label is a quantity.
func (s Settings) Regression() bool { return s.Task == Regression }

// Finishes reports whether the method adds the steps of the default around the
// gradient: pairs before it, and a contest and final networks after it. Only
// embedding=class-t has them. It returns false under protocol=stepwise, and if
// Selection or Evaluation uses something other than the current P.
func (s Settings) Finishes() bool {
	return s.Embedding == ClassT && !s.Stepwise() && s.Selection == ByProbability && s.Evaluation == LearnedSelection
}

// Beforehand reports whether the user constrains the choice with must, never,
// cost or feature_groups.
func (s Settings) Beforehand() bool {
	return len(s.Must) > 0 || len(s.Never) > 0 || s.Cost != "" || s.FeatureGroups != ""
}

// check returns an error if a key about classes is set although the label is a
// quantity, or if a key that has no effect does not have its default.
func (s Settings) check() error {
	for _, key := range keys() {
		if s.Task == Regression && slices.Contains([]string{"rows_per_class", "class_weight", "paired"}, key.Name) {
			if text := key.text(s); !slices.Contains([]string{"", "0", "none"}, text) {
				return errs.New(errs.Request, "leave "+key.Name+" out",
					"%s = %s is about classes, but with task=regression the label is a quantity", key.Name, text)
			}
		}

		why, remedy := s.Idle(key.Name)
		if remedy == "" {
			continue
		}
		if text := key.text(s); text != key.Default(s.Protocol) {
			return errs.New(errs.Request, remedy, "%s = %s does nothing: %s", key.Name, text, why)
		}
	}
	return nil
}

// Idle explains why a key has no effect on the choice of features under these
// settings. If it has an effect, why is "". Views grey out an idle key. Resolve
// rejects it unless remedy is "", because in that case a schedule provides the
// values instead.
func (s Settings) Idle(key string) (why, remedy string) {
	stepwise := s.Protocol == Stepwise
	// tauOwn is true for hold: and points:, which contain values
	tau, _, tauOwn := strings.Cut(s.Schedule, ":")
	sharpness, _, sharpnessOwn := strings.Cut(s.SharpnessSchedule, ":")
	switch {
	case stepwise && (key == "sharpness" || key == "sharpness_schedule"):
		return "under protocol=stepwise P is as sharp as 1/τ", "use tau0, tau_end or schedule, or protocol=" + FsNet
	case key == "sharpness_schedule" && s.Sharpness == 1 && !sharpnessOwn:
		return "sharpness is 1 from beginning to end", "leave it out, or use sharpness=20"
	case stepwise && slices.Contains([]string{"selector_learning_rate", "repulsion"}, key):
		return "under protocol=stepwise closed-form errors choose the features, not the gradient", "leave it out, or use protocol=" + FsNet
	case stepwise && slices.Contains([]string{"lambda", "dropout", "learning_rate", "hidden", "class_weight"}, key):
		return key + " acts on the network only, and under protocol=stepwise the choice does not depend on it",
			"leave it out, or use protocol=" + FsNet
	case (key == "tau0" || key == "tau_end") && tauOwn:
		return "schedule=" + tau + " has values of its own", ""
	case key == "sharpness" && sharpnessOwn:
		return "sharpness_schedule=" + sharpness + " has values of its own", ""
	}
	return "", ""
}

// OwnSplit is a division of the rows that the user provides. The zero value
// means that FsNet draws one.
type OwnSplit struct {
	// Column holds the words train, validation and test, or the numbers of
	// folds.
	Column string

	// Value marks the test rows in Column, e.g. the number of a fold. It is
	// "" if Column holds the words.
	Value string

	// File is the path of a file that lists samples with a word each, or only
	// the test rows.
	File string
}

// ParseSplit parses a value of the key split. For stratified, random and "" it
// returns the zero value.
func ParseSplit(text string) (OwnSplit, error) {
	kind, name, own := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	switch words := []string{Stratified, Random}; {
	case text == "" || slices.Contains(words, text):
		return OwnSplit{}, nil
	case !own:
		return OwnSplit{}, errors.New(phrase.DidYouMean(text, words))
	case kind != "column" && kind != "file":
		return OwnSplit{}, fmt.Errorf("%q is neither column nor file", kind)
	case name == "":
		return OwnSplit{}, fmt.Errorf("no name after %s", kind)
	case kind == "file":
		return OwnSplit{File: name}, nil
	}

	column, value := name, ""
	if at := strings.LastIndexByte(name, '='); at > 0 {
		column, value = strings.TrimSpace(name[:at]), strings.TrimSpace(name[at+1:])
		if value == "" {
			return OwnSplit{}, errors.New("no value after =")
		}
	}
	return OwnSplit{Column: column, Value: value}, nil
}

// RowColumn is a column that describes the rows, and the key that names it. The
// label is not one.
type RowColumn struct{ Key, Column string }

// RowColumns returns the columns that describe the rows. They are not
// features.
func (s Settings) RowColumns() []RowColumn {
	own, _ := ParseSplit(s.Split) // Resolve has checked it
	list := []RowColumn{{"groups", s.Groups}, {"paired", s.Pairs}, {"row_weights", s.RowWeights}, {"nuisance", s.Nuisance},
		{"split", own.Column}}
	return slices.DeleteFunc(list, func(c RowColumn) bool { return c.Column == "" })
}

// LookID is [Settings.ID] without the seeds: what one chooses by looking at
// test rows.
func (s Settings) LookID() string {
	s.Seed, s.SplitSeed = 0, nil
	return s.ID()
}

// ID returns a hash of the settings. It leaves out those that do not change the
// result: where the data are, where the training runs and where it is logged.
func (s Settings) ID() string {
	s.Data, s.Backend, s.Log = "", "", ""
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // cannot happen: numbers and texts
	}
	sum := fnv.New64a()
	sum.Write(text)
	return fmt.Sprintf("%016x", sum.Sum64())
}

// WithoutDivision returns the settings for rows that are not divided, such as
// rows to predict. It keeps everything that changes the values of a row.
func (s Settings) WithoutDivision() Settings {
	s.Groups, s.RowWeights, s.Split = "", "", Stratified
	return s
}
