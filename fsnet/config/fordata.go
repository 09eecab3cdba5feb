package config

import (
	"fmt"
	"strconv"

	"fsnetlab/fsnet/fault"
)

// Words of the key task.
const (
	Classification = "classification"
	Regression     = "regression"
)

// Words of the keys objective and prior.
const (
	Network     = "network"
	Ridge       = "ridge"
	KernelRidge = "kernel-ridge"
	NoPrior     = "none"
	Learned     = "learned"
	Conditional = "conditional"
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

// What auto stands for.
const (
	ridgeClasses    = 4    // from so many classes on the ridge error tells features apart better than the network's cross-entropy
	MostConditional = 4096 // features: of many rows a conditional prior reads d² numbers
	FewRows         = 150  // training rows: with fewer a conditional prior goes by the leave-one-out error, else by the partial F
	fewPerClass     = 5    // training rows a class: with fewer, what a learned prior goes by is too noisy to add up
)

// ForData replaces every auto by what suits the training rows, and says what it took for prior and objective, and why: "" where neither
// was auto. It goes by the numbers of training rows, of features after screening, and of classes, which do not count where the label is a
// quantity; of many rows, suits says whether a conditional prior suits them (nil: it does).
func (s Settings) ForData(rows, features, classes int, suits func() bool) (Settings, string) {
	why, together := "", false
	if s.PriorByData() {
		s.Prior = Learned
		switch {
		case rows < FewRows && s.Objective != auto:
			why = "prior = learned (objective is given)"
		case rows < FewRows && s.Regression():
			s.Prior = Conditional
			why = fmt.Sprintf("prior = conditional (%d training rows, fewer than %d, and a quantity)", rows, FewRows)
		case rows < FewRows && classes < ridgeClasses:
			s.Prior = Conditional
			why = fmt.Sprintf("prior = conditional (%d training rows, fewer than %d, and %d classes, fewer than %d)", rows, FewRows, classes,
				ridgeClasses)
		case rows < min(FewRows, fewPerClass*classes):
			s.Prior = Conditional
			why = fmt.Sprintf("prior = conditional (%d training rows of %d classes, fewer than %d a class)", rows, classes, fewPerClass)
		case rows < FewRows:
			why = fmt.Sprintf("prior = learned (%d training rows, fewer than %d, and %d classes)", rows, FewRows, classes)
		case features > MostConditional:
			why = fmt.Sprintf("prior = learned (%d features, more than %d)", features, MostConditional)
		case suits != nil && !suits():
			why, together = "prior = learned (the best features one by one predict the training rows better than those that add up)", true
		default:
			s.Prior = Conditional
			why = "prior = conditional (features that add up predict the training rows better than the best one by one)"
		}
	}
	if s.Objective == auto {
		reason := fmt.Sprintf("%d classes; kernel-ridge from %d", classes, ridgeClasses)
		s.Objective = Network
		switch {
		case s.Prior == Conditional:
			reason = "the selectors follow the prior"
		case together:
			s.Objective, reason = KernelRidge, "features that work together"
		case s.Regression():
			s.Objective, reason = KernelRidge, "a quantity"
		case classes >= ridgeClasses:
			s.Objective = KernelRidge
		}
		if why != "" {
			why += ", "
		}
		why += fmt.Sprintf("objective = %s (%s)", s.Objective, reason)
	}
	batch, steps := 48, 600 // of what has a closed form
	switch {
	case s.Prior == Conditional:
	case s.Objective == Network:
		batch, steps = 8, 1500
	case s.Objective == Ridge:
		batch = 24
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
	return s, why
}

// PriorByData reports whether the prior is left to the training rows.
func (s Settings) PriorByData() bool { return s.Prior == auto }

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
