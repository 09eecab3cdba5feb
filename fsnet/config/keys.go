package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// Protocols, the first one being the default.
const (
	Supervised   = "supervised"     // settles on different features that tell the classes apart
	Paper        = "paper"          // as the text of the paper has it
	Supervised01 = "supervised-0.1" // what supervised was in version 0.1, to the bit
	PaperCode    = "paper-code"     // as the program of the paper's authors runs
)

// Protocols lists the protocols by name, the default first.
func Protocols() []string { return []string{Supervised, Paper, Supervised01, PaperCode} }

// A Key is one setting: the same word in Go, in magics, on the command line, on the wire and in charts.
type Key struct {
	Name    string
	Symbol  string   // the paper's, where it has one
	Meaning string   // one line
	Range   string   // the values it takes, for people
	Choices []string // the words it takes, where it is one of a few
	Live    bool     // may change while training
	Session bool     // of sessions alone: elsewhere nobody would look at it

	defaults []string // by protocol, in the order of Protocols; one entry serves all
	field    func(*Config) any
	check    func(any) error // of the value of the field; nil where every value will do
}

// Default is the key's value under a protocol, as text; "" where it has none.
func (k Key) Default(protocol string) string {
	i := slices.Index(Protocols(), protocol)
	if i < 0 || len(k.defaults) == 0 {
		return ""
	}
	return k.defaults[min(i, len(k.defaults)-1)]
}

// Accepted is the values that the key takes, for people.
func (k Key) Accepted() string { return cmp.Or(k.Range, strings.Join(k.Choices, " · ")) }

// Keys lists every key in the order of the documentation.
func Keys() []Key {
	return []Key{
		{Name: "data", Symbol: "X, y", Meaning: "path of a data set (.mat, .csv, .h5ad, …) or the name of a built-in one",
			Range: "a path · ALLAML",
			field: func(c *Config) any { return &c.Data }},
		{Name: "label", Meaning: "tables: the column that holds the classes", Range: "a column name",
			field: func(c *Config) any { return &c.Label }},
		{Name: "x", Symbol: "X",
			Meaning: ".mat and .npz: the variable with the measurements, samples × features; label names the one with the classes",
			Range:   "a variable's name",
			field:   func(c *Config) any { return &c.X }},
		{Name: "samples", Meaning: "tables: the column that names the rows", Range: "a column name",
			field: func(c *Config) any { return &c.Samples }},
		{Name: "covariates", Meaning: "tables: columns of words to be added as 0/1 features, named column=value",
			Range: "column names, separated by commas",
			field: func(c *Config) any { return &c.Covariates }},
		{Name: "layer", Meaning: ".h5ad: the layer that is taken instead of X; raw is what anndata keeps there", Range: "a layer's name · raw",
			field: func(c *Config) any { return &c.Layer }},
		{Name: "annotations", Meaning: "matrices of cells (.h5ad, 10x .h5, matrix.mtx): a table that describes the cells by name, with the " +
			"columns for label and covariates; samples names its column of names", Range: "a path",
			field: func(c *Config) any { return &c.Annotations }},
		{Name: "groups", Meaning: "the column that says which rows belong together, such as a donor's: they are never on both sides of a split",
			Range: "a column name",
			field: func(c *Config) any { return &c.Groups }},
		{Name: "paired", Meaning: "the column that says which rows are a pair, such as tumour and normal of one patient: they stay " +
			"together as groups do, and the mean of the pair is taken from each of its rows",
			Range: "a column name",
			field: func(c *Config) any { return &c.Pairs }},
		{Name: "row_weights", Symbol: "w", Meaning: "the column that says what each training row weighs in the loss and in the prior; 0 " +
			"leaves it out",
			Range: "a column name",
			field: func(c *Config) any { return &c.RowWeights }},
		{Name: "nuisance", Meaning: "the column whose values shall not matter, such as the site of a measurement: features are centred " +
			"and scaled within each, by its training rows",
			Range: "a column name",
			field: func(c *Config) any { return &c.Nuisance }},
		{Name: "protocol", Meaning: "the set of defaults: supervised selects what tells the classes apart, paper follows the text of the " +
			"paper, supervised-0.1 is supervised as it was in version 0.1, paper-code does what the program of the paper's authors does",
			Choices: Protocols(), defaults: Protocols(),
			field: func(c *Config) any { return &c.Protocol }},
		{Name: "task", Meaning: "what the label is", Choices: []string{"auto", "classification"}, defaults: []string{"auto"},
			field: func(c *Config) any { return &c.Task }},
		{Name: "k", Symbol: "K", Meaning: "features to select", Range: "1…d", defaults: []string{"10"},
			field: func(c *Config) any { return &c.K }, check: atLeast(1)},
		{Name: "epochs", Symbol: "E",
			Meaning: "length of the annealing in passes over the training rows; auto makes it long enough, however many rows there are",
			Range:   "1… · auto", defaults: []string{"auto", "4000", "300", "6400"}, Live: true,
			field: func(c *Config) any { return &c.Epochs }, check: orAuto(atLeast(1))},
		{Name: "batch", Symbol: "B", Meaning: "rows a step; 0 is all; ⌈n/B⌉ steps an epoch; auto goes by the objective", Range: "0… · auto",
			defaults: []string{"auto", "8", "8", "32"},
			field:    func(c *Config) any { return &c.Batch }, check: orAuto(atLeast(0))},
		{Name: "objective", Meaning: "what the selectors minimise: the network's cross-entropy, or the leave-one-out error of a ridge " +
			"classifier (linear, or with an RBF kernel) on the batch; auto decides by the training rows",
			Choices: []string{"auto", "network", "ridge", "kernel-ridge"}, defaults: []string{"auto", "network", "network", "network"},
			field: func(c *Config) any { return &c.Objective }},
		{Name: "learning_rate", Symbol: "η", Meaning: "step size of RMSprop", Range: "> 0", defaults: []string{"0.001"}, Live: true,
			field: func(c *Config) any { return &c.LearningRate }, check: above(0)},
		{Name: "learning_rate_decay", Meaning: "c of step t's rates, both η/(1 + c t/E)", Range: "≥ 0",
			defaults: []string{"0", "0", "0", "0.001"}, Live: true,
			field: func(c *Config) any { return &c.LearningRateDecay }, check: from(0)},
		{Name: "selector_learning_rate", Meaning: "step size of RMSprop for the selector's predictor", Range: "> 0",
			defaults: []string{"0.005", "0.001", "0.01", "0.001"}, Live: true,
			field: func(c *Config) any { return &c.SelectorLearningRate }, check: above(0)},
		{Name: "selector_growth", Meaning: "how many times selector_learning_rate grows over the annealing; 1 keeps it", Range: "> 0",
			defaults: []string{"10", "1", "1", "1"}, Live: true,
			field: func(c *Config) any { return &c.SelectorGrowth }, check: above(0)},
		{Name: "lambda", Symbol: "λ", Meaning: "weight of the reconstruction term",
			Range: "≥ 0", defaults: []string{"1", "1", "1", "100"}, Live: true,
			field: func(c *Config) any { return &c.Lambda }, check: from(0)},
		{Name: "reconstruction", Meaning: "how (x − x̂)² is taken over the features", Choices: []string{"mean", "sum"},
			defaults: []string{"mean", "sum", "mean", "mean"},
			field:    func(c *Config) any { return &c.Reconstruction }},
		{Name: "dropout", Meaning: "share of units dropped after each hidden layer", Range: "0 ≤ p < 1", defaults: []string{"0.2"}, Live: true,
			field: func(c *Config) any { return &c.Dropout }, check: within(0, 1)},
		{Name: "tau0", Symbol: "τ0", Meaning: "temperature at the start", Range: "> 0", defaults: []string{"10"}, Live: true,
			field: func(c *Config) any { return &c.Tau0 }, check: above(0)},
		{Name: "tau_end", Symbol: "τE", Meaning: "temperature at the end", Range: "> 0", defaults: []string{"0.01"}, Live: true,
			field: func(c *Config) any { return &c.TauEnd }, check: above(0)},
		{Name: "schedule", Symbol: "τ(e)", Meaning: "how the temperature falls from tau0 to tau_end",
			Range:    "exponential · linear · cosine · hold:τ · points:e1=τ1,e2=τ2,…",
			defaults: []string{"exponential"}, Live: true,
			field: func(c *Config) any { return &c.Schedule }, check: func(v any) error { _, err := ParseSchedule(v.(string)); return err }},
		{Name: "tau_every", Meaning: "when the temperature moves: at every step, along the epoch; or at every epoch, to the one it ends with",
			Choices:  []string{TauStep, TauEpoch},
			defaults: []string{TauStep, TauEpoch, TauStep, TauStep}, Live: true,
			field: func(c *Config) any { return &c.TauEvery }},
		{Name: "tau_pace",
			Meaning:  "how many times as fast as the epochs the temperature moves; auto: as in the authors' program, where it moves with every batch, those of the test rows too, as if batches had 8 rows",
			Range:    "> 0 · auto",
			defaults: []string{"1", "1", "1", auto}, Live: true,
			field: func(c *Config) any { return &c.TauPace }, check: pace},
		{Name: "sharpness", Symbol: "σ",
			Meaning: "what log δ is multiplied by at the end, P = softmax(σ log δ); it begins at 1, and 1 leaves P alone", Range: "≥ 1",
			defaults: []string{"20", "1", "1", "1"}, Live: true,
			field: func(c *Config) any { return &c.Sharpness }, check: from(1)},
		{Name: "sharpness_schedule", Symbol: "σ(e)", Meaning: "how the sharpness grows from 1; late: over the second half",
			Range:    "late · exponential · linear · cosine · hold:σ · points:e1=σ1,e2=σ2,…",
			defaults: []string{"late"}, Live: true,
			field: func(c *Config) any { return &c.SharpnessSchedule },
			check: func(v any) error { _, err := ParseSchedule(v.(string)); return err }},
		{Name: "repulsion", Symbol: "ρ",
			Meaning: "keeps selectors from the same feature: the weight of Σ⟨P_k, P_l⟩/K in the loss, which grows from 0 over the second half",
			Range:   "≥ 0", defaults: []string{"0.3", "0", "0", "0"}, Live: true,
			field: func(c *Config) any { return &c.Repulsion }, check: from(0)},
		{Name: "embedding", Symbol: "φ", Meaning: "what the weight predictors see of a feature",
			Choices:  []string{"class-t", "class-deviation", "histogram", "histogram-counts"},
			defaults: []string{"class-t", "histogram", "class-deviation", "histogram-counts"},
			field:    func(c *Config) any { return &c.Embedding }},
		{Name: "prior", Meaning: "what the selectors know of each feature: nothing (none), its moderated F with a weight that is learned " +
			"(learned), or, at every step, what it adds to the features that the other selectors sample (conditional); auto decides by the " +
			"training rows",
			Choices: []string{"auto", "none", "learned", "conditional"}, defaults: []string{"auto", "none", "none", "none"},
			field: func(c *Config) any { return &c.Prior }},
		{Name: "prior_weight", Symbol: "a", Meaning: "what the prior's score is multiplied by at first", Range: "≥ 0", defaults: []string{"3"},
			field: func(c *Config) any { return &c.PriorWeight }, check: from(0)},
		{Name: "screen", Meaning: "how many features remain, those with the largest moderated F over the training rows; 0 keeps all",
			Range: "0 or K…d", defaults: []string{"1000", "0", "0", "0"},
			field: func(c *Config) any { return &c.Screen }, check: atLeast(0)},
		{Name: "must", Meaning: "features to choose in any case: the first selectors are fixed to them",
			Range: "names, separated by commas · a file with a name a line",
			field: func(c *Config) any { return &c.Must }},
		{Name: "never", Meaning: "features never to choose: their probability is 0",
			Range: "names, separated by commas · a file with a name a line",
			field: func(c *Config) any { return &c.Never }},
		{Name: "cost", Symbol: "c", Meaning: "what a feature costs, 1 where nothing is said: −log c is added to its log δ",
			Range: "a file with a name and a cost above 0 a line · NAME:COST, separated by commas",
			field: func(c *Config) any { return &c.Cost }},
		{Name: "feature_groups", Meaning: "features that belong together, of which at most group_limit are chosen",
			Range: "a file with a name and a group a line · NAME:GROUP, separated by commas",
			field: func(c *Config) any { return &c.FeatureGroups }},
		{Name: "group_limit", Meaning: "at most so many features of each group in feature_groups are chosen", Range: "1…",
			defaults: []string{"1"},
			field:    func(c *Config) any { return &c.GroupLimit }, check: atLeast(1)},
		{Name: "standardize_embedding", Meaning: "centre each dimension of the embedding over the features, then divide by one scale",
			Range: "true · false", defaults: []string{"true", "false", "true", "false"},
			field: func(c *Config) any { return &c.StandardizeEmbedding }},
		{Name: "selector_logits", Symbol: "log δ",
			Meaning:  "free: the predictor's output; softmax-selectors: its log-softmax over the K selectors; clipped-softmax: log(10 times that softmax, clipped)",
			Choices:  []string{FreeLogits, SoftmaxSelectors, ClippedSoftmax},
			defaults: []string{FreeLogits, SoftmaxSelectors, FreeLogits, ClippedSoftmax},
			field:    func(c *Config) any { return &c.SelectorLogits }},
		{Name: "predictor_hidden", Meaning: "hidden widths of the weight predictors; none is linear", Range: "none · widths, separated by commas",
			defaults: []string{"none"},
			field:    func(c *Config) any { return &c.PredictorHidden }, check: widths},
		{Name: "hidden", Meaning: "widths of the encoder; the decoder mirrors it", Range: "widths, separated by commas",
			defaults: []string{"64,32,16"},
			field:    func(c *Config) any { return &c.Hidden }, check: someWidths},
		{Name: "selection", Meaning: "what the unique argmax chooses the features by: P; or sample, one noisy M",
			Choices: []string{ByProbability, BySample}, defaults: []string{ByProbability, ByProbability, ByProbability, BySample},
			field: func(c *Config) any { return &c.Selection }},
		{Name: "evaluation", Meaning: "of which features the network's accuracy is measured: those selected now (learned), or those of a " +
			"noisy M before the first step, whatever is learned (as-built)",
			Choices: []string{LearnedSelection, AsBuilt}, defaults: []string{LearnedSelection, LearnedSelection, LearnedSelection, AsBuilt},
			field: func(c *Config) any { return &c.Evaluation }},
		{Name: "scaling", Meaning: "training-rows: centre and scale each feature by the training rows; all-rows: by all, the test rows " +
			"too, which then are no longer unseen; none: as read",
			Choices: []string{TrainingRows, AllRows, "none"}, defaults: []string{TrainingRows, TrainingRows, TrainingRows, AllRows},
			field: func(c *Config) any { return &c.Scaling }},
		{Name: "test_fraction", Meaning: "share of the rows kept for testing", Range: "0 < f < 1", defaults: []string{"0.5"},
			field: func(c *Config) any { return &c.TestFraction }, check: between(0, 1)},
		{Name: "split", Meaning: "how the rows are divided: each class gives its share, at random, or as a column or a file says, with " +
			"the words train, validation and test or the value of the test rows",
			Range: "stratified · random · column:NAME · column:NAME=VALUE · file:PATH", defaults: []string{Stratified, Random, Stratified, Random},
			field: func(c *Config) any { return &c.Split }, check: func(v any) error { _, err := ParseSplit(v.(string)); return err }},
		{Name: "validation_fraction", Meaning: "share of the training part kept for live curves", Range: "0 ≤ f < 1", defaults: []string{"0"},
			field: func(c *Config) any { return &c.ValidationFraction }, check: within(0, 1)},
		{Name: "rows_per_class", Meaning: "train on at most so many rows of each class, drawn by the seed that divides the rows; 0 is all",
			Range: "0 · 2 or more", defaults: []string{"0"}, field: func(c *Config) any { return &c.RowsPerClass }, check: func(v any) error {
				if v == 0 {
					return nil
				}
				return atLeast(2)(v)
			}},
		{Name: "class_weight", Meaning: "balanced: every class weighs the same in the loss", Choices: []string{"none", "balanced"},
			defaults: []string{"none"}, Live: true,
			field: func(c *Config) any { return &c.ClassWeight }},
		{Name: "missing", Meaning: "what to do with missing values: refuse, the feature's training mean, or leave the row out",
			Choices: []string{"error", "mean", "drop"}, defaults: []string{"error"},
			field: func(c *Config) any { return &c.Missing }},
		{Name: "stop", Meaning: "when a run ends before its last epoch: once settled, never, or after N epochs without a better training loss",
			Range:    "settled · never · patience:N",
			defaults: []string{"settled", "never", "settled", "never"}, Live: true,
			field: func(c *Config) any { return &c.Stop }, check: func(v any) error { _, err := ParseStop(v.(string)); return err }},
		{Name: "seed", Meaning: "everything random is a function of it", Range: "an integer", defaults: []string{"0"},
			field: func(c *Config) any { return &c.Seed }},
		{Name: "split_seed", Meaning: "which rows are for testing and validation is a function of it; without it, of seed",
			Range: "an integer · the seed",
			field: func(c *Config) any { return &c.SplitSeed }},
		{Name: "backend", Meaning: "the device; auto says which it took and why", Choices: []string{"auto", "xla:cuda", "xla:cpu", "go"},
			defaults: []string{"auto"},
			field:    func(c *Config) any { return &c.Backend }},
		{Name: "log", Meaning: "a file to which metrics and events are appended as they are made, one JSON object a line", Range: "a path",
			Session: true,
			field:   func(c *Config) any { return &c.Log }},
	}
}

// Names lists the keys' names.
func Names() []string {
	keys := Keys()
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// Lookup returns the key of a name, dashes and underscores alike; an unknown one is answered with the nearest.
func Lookup(name string) (Key, error) {
	name = strings.ReplaceAll(name, "-", "_")
	for _, k := range Keys() {
		if k.Name == name {
			return k, nil
		}
	}
	return Key{}, fault.New(fault.Request, suggest.DidYouMean(name, Names()), "unknown key %q", name)
}

// Set gives a key a value written as text, as a magic or a flag does. The value is checked at once.
func (c *Config) Set(name, value string) error {
	key, err := Lookup(name)
	if err != nil {
		return err
	}
	if err := parse(key.field(c), strings.TrimSpace(value)); err != nil {
		return key.invalid(value, err)
	}
	return key.validate(c)
}

// Given lists the keys that c has a value for, in the order of Keys.
func (c *Config) Given() []Key {
	var given []Key
	for _, k := range Keys() {
		if !isZero(k.field(c)) {
			given = append(given, k)
		}
	}
	return given
}

// Text is the value of a key as it would be written; "" where none was given.
func (c *Config) Text(name string) string {
	key, err := Lookup(name)
	if err != nil || isZero(key.field(c)) {
		return ""
	}
	return format(key.field(c))
}

func (k Key) validate(c *Config) error {
	field := k.field(c)
	if len(k.Choices) > 0 && k.Name != "data" {
		if word := *field.(*string); !slices.Contains(k.Choices, word) {
			return fault.New(fault.Request, suggest.DidYouMean(word, k.Choices), "%s = %q is not a choice", k.Name, word)
		}
	}
	if k.check != nil {
		if err := k.check(value(field)); err != nil {
			return k.invalid(format(field), err)
		}
	}
	return nil
}

func (k Key) invalid(value string, err error) error {
	return fault.New(fault.Request, fmt.Sprintf("%s (%s) takes %s", k.Name, k.Meaning, k.Accepted()), "%s = %q: %s", k.Name, value, err)
}
