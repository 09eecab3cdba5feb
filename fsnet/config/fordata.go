package config

import (
	"fmt"
	"strconv"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/count"
)

// Words of the key task.
const (
	Classification = "classification"
	Regression     = "regression"
)

// Words of the keys selector_logits, selection, evaluation and scaling.
const (
	FreeLogits       = "free"
	SoftmaxSelectors = "softmax-selectors"
	ClippedSoftmax   = "clipped-softmax"
	ByProbability    = "probability"
	BySample         = "sample"
	LearnedSelection = "learned"
	AsBuilt          = "as-built"
	TrainingRows     = "training-rows"
	AllRows          = "all-rows"
)

// Words of the key embedding.
const (
	ClassT          = "class-t"
	ClassDeviation  = "class-deviation"
	Histogram       = "histogram"
	HistogramCounts = "histogram-counts"
)

// Numbers of bins.
const (
	StandardBins = 10 // the paper's b
	leastBins    = 2  // with one, scaled features have the same embedding
)

// Limits of protocol=stepwise.
const (
	MostConditional = 4096 // features: of many rows it reads d² numbers
	FewRows         = 150  // training rows: with fewer it goes by the leave-one-out error, else by the partial F
)

// ForData replaces the auto of batch and epochs by what suits so many training rows: steps enough to settle, whatever their number.
func (s Settings) ForData(rows int) Settings {
	batch, steps := 8, 1500
	if s.Stepwise() {
		batch, steps = 48, 600
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
	return fault.New(fault.Request, fmt.Sprintf("use bins=%d or less, or train on more rows", max(rows, leastBins)),
		"bins = %d is more than the %s of embedding=%s: the paper has b ≤ n", s.Bins, count.Of(rows, "training row"), s.Embedding)
}

// Regression reports whether the label is a quantity.
func (s Settings) Regression() bool { return s.Task == Regression }

// checkTask refuses what asks for classes where the label is a quantity.
func (s Settings) checkTask() error {
	if !s.Regression() {
		return nil
	}
	refused := func(key, value string) error {
		return fault.New(fault.Request, "leave "+key+" out",
			"%s = %s is about classes, but with task=regression the label is a quantity", key, value)
	}
	switch {
	case s.RowsPerClass > 0:
		return refused("rows_per_class", strconv.Itoa(s.RowsPerClass))
	case s.ClassWeight != "none":
		return refused("class_weight", s.ClassWeight)
	case s.Pairs != "":
		return refused("paired", s.Pairs)
	}
	return nil
}
