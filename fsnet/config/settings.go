package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Words of keys.
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

	Stratified = "stratified" // split: each class gives its share
	Random     = "random"

	TauStep  = "step"  // tau_every
	TauEpoch = "epoch" // the paper's Algorithm 2
)

// Numbers of bins, and limits of protocol=stepwise.
const (
	StandardBins    = 10   // the paper's b
	MostConditional = 4096 // features: of many rows it reads d² numbers
	FewRows         = 150  // training rows: with fewer it goes by the leave-one-out error, else by the partial F
)

// Steps of protocol=fsnet. From manyRows training rows on, batches are large, and steps as many as manyEpochs take, within bounds.
const (
	manyRows           = 300
	manyBatch          = 128
	manyEpochs         = 300
	leastSteps         = 1500
	mostSteps          = 2 * leastSteps
	rate, manyRowsRate = 0.001, 0.002
)

// ForData replaces the auto of batch, epochs and learning_rate by what suits so many training rows: steps enough to settle, and with many
// rows a network that learns from them. Batches of 8 see 12,000 rows in all, however many there are.
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
		batch = s.Batch
		if batch == 0 || batch > rows {
			batch = rows
		}
		each := (rows + batch - 1) / batch
		s.Epochs = (steps + each - 1) / each
	}
	return s
}

// Trainer says in half a sentence what decides which features the selectors choose.
func (s Settings) Trainer() string {
	if s.Stepwise() {
		return "closed-form errors choose, the network only predicts"
	}
	return "the gradient of the network's loss trains the selectors"
}

// Stepwise reports whether closed-form errors choose the features, not the gradient.
func (s Settings) Stepwise() bool { return s.Protocol == Stepwise }

// CheckBins refuses more bins than training rows: the paper has b ≤ n. The standard number passes except for the paper's own embedding, so
// that few rows need no word of their own.
func (s Settings) CheckBins(rows int) error {
	if s.Bins <= rows || s.Bins == StandardBins && s.Embedding != Histogram {
		return nil
	}
	return errs.New(errs.Request, fmt.Sprintf("train on %d rows or more, or use another embedding or protocol=%s", s.Bins, FsNet),
		"bins = %d is more than the %s of embedding=%s: the paper has b ≤ n", s.Bins, phrase.Count(rows, "training row"), s.Embedding)
}

// Regression reports whether the label is a quantity.
func (s Settings) Regression() bool { return s.Task == Regression }

// Beforehand reports whether anything is known of the features before the training: must, never, cost or feature_groups.
func (s Settings) Beforehand() bool {
	return len(s.Must) > 0 || len(s.Never) > 0 || s.Cost != "" || s.FeatureGroups != ""
}

// check refuses what asks for classes where the label is a quantity, and a key that has a value of its own and does nothing: no knob is
// silently dead.
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

// Idle says why a key does nothing to the choice of features under these settings, and what to do about it; why is "" where it acts. A key
// that does nothing is refused with these words where it is given, and views grey it. The remedy is "" where the key only waits for another
// schedule, which has values of its own: it is greyed, and not refused.
func (s Settings) Idle(key string) (why, remedy string) {
	stepwise := s.Protocol == Stepwise
	tau, _, tauOwn := strings.Cut(s.Schedule, ":") // hold: and points: have values of their own
	sharpness, _, sharpnessOwn := strings.Cut(s.SharpnessSchedule, ":")
	switch {
	case stepwise && (key == "sharpness" || key == "sharpness_schedule"):
		return "under protocol=stepwise P is as sharp as 1/τ", "use tau0, tau_end or schedule, or protocol=" + FsNet
	case key == "sharpness_schedule" && s.Sharpness == 1 && !sharpnessOwn:
		return "sharpness is 1 from beginning to end", "leave it out, or use sharpness=20"
	case stepwise && slices.Contains([]string{"selector_learning_rate", "selector_growth", "repulsion"}, key):
		return "under protocol=stepwise closed-form errors choose the features, not the gradient", "leave it out, or use protocol=" + FsNet
	case stepwise && slices.Contains(ofNetwork(), key):
		return key + " acts on the network only, and under protocol=stepwise the choice does not depend on it",
			"leave it out, or use protocol=" + FsNet
	case (key == "tau0" || key == "tau_end") && tauOwn:
		return "schedule=" + tau + " has values of its own", ""
	case key == "sharpness" && sharpnessOwn:
		return "sharpness_schedule=" + sharpness + " has values of its own", ""
	}
	return "", ""
}

// ofNetwork are the keys of the network, and of what it reads of the features.
func ofNetwork() []string {
	return []string{"lambda", "dropout", "learning_rate", "hidden", "embedding", "class_weight"}
}

// OwnSplit is a split of the user's own, as the key split names it. The zero value is none.
type OwnSplit struct {
	Column string // holds the words train, validation and test, or the numbers of folds
	Value  string // of the test rows in Column, such as the number of a fold; "" where it holds the words
	File   string // names of samples, each with its word, or those of the test rows alone
}

// ParseSplit reads a value of the key split.
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

// RowColumn is a column that tells something of the rows other than their class, and the key that names it.
type RowColumn struct{ Key, Column string }

// RowColumns lists them. They are no features.
func (s Settings) RowColumns() []RowColumn {
	own, _ := ParseSplit(s.Split) // Resolve has checked it
	list := []RowColumn{{"groups", s.Groups}, {"paired", s.Pairs}, {"row_weights", s.RowWeights}, {"nuisance", s.Nuisance},
		{"split", own.Column}}
	return slices.DeleteFunc(list, func(c RowColumn) bool { return c.Column == "" })
}

// WithoutDivision are the settings for data whose rows are not to be divided, such as those that a model predicts. What changes the
// measurements of a row stays.
func (s Settings) WithoutDivision() Settings {
	s.Groups, s.RowWeights, s.Split = "", "", Stratified
	return s
}
