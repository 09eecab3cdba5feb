package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// Key describes one setting. It has the same name in Go, in magics, on the
// command line, on the wire and in charts. Its fields in [Config] and
// [Settings] have this name in JSON.
type Key struct {
	Name    string
	Symbol  string   // the symbol in the paper, if it has one
	Meaning string   // one line
	Range   string   // accepted values, for users; written from numbers if the key has them
	Choices []string // accepted words, if the key is a choice between a few
	Live    bool     // may change during a training
	Session bool     // has an effect only in sessions

	numbers  *numbers
	defaults string // by protocol, in the order of Protocols; a single value holds for all
	field    string // its name in Go
}

// numbers describes the accepted values of a numeric key. They start at low.
type numbers struct {
	low    float64
	above  bool    // low itself is not accepted
	high   float64 // Values stay below high. 0 means at most maxNumber.
	symbol string  // name of the value between two bounds
	end    string  // an upper bound that depends on the data, for users
	zero   bool    // 0 is accepted, too
	auto   bool    // auto is accepted, too
}

// maxNumber keeps products of hyperparameters within a float32.
const maxNumber = 1e12

// String returns the accepted values for users, for example "0 ≤ p < 1", "1…d"
// or "> 0 · auto".
func (n numbers) String() string {
	text := fmt.Sprintf("≥ %g", n.low)
	switch {
	case n.above:
		text = fmt.Sprintf("> %g", n.low)
	case n.high > 0:
		text = fmt.Sprintf("%g ≤ %s < %g", n.low, n.symbol, n.high)
	case n.end != "":
		text = fmt.Sprintf("%g…%s", n.low, n.end)
	}
	if n.zero {
		text = "0 · " + text
	}
	if n.auto {
		text += " · " + auto
	}
	return text
}

// accept reports whether the key accepts x.
func (n numbers) accept(x float64) bool {
	if n.zero && x == 0 || n.auto && x == Auto {
		return true
	}
	return (x > n.low || x == n.low && !n.above) && x <= maxNumber && (n.high == 0 || x < n.high)
}

// keys is the table of keys, in the order of the reference. Flags, magics,
// help, completion, live views and the reference are generated from it.
//
//nolint:gochecknoglobals // made once and never changed
var keys = sync.OnceValue(func() []Key {
	protocols := strings.Join(Protocols(), " ")
	above0, from0, from1 := &numbers{above: true}, &numbers{}, &numbers{low: 1}
	above0OrAuto := &numbers{above: true, auto: true}
	share := &numbers{high: 1, symbol: "f"}
	const (
		column = "a column name"
		named  = "names, separated by commas · a file with one name per line"
		course = "exponential · linear · cosine · hold:"
	)

	list := []Key{
		{Name: "data", Symbol: "X, y", Range: "a path · ALLAML", Meaning: "path of a data set (.mat, .csv, .h5ad, …) or the name of a built-in one"},
		{Name: "label", Range: column, Meaning: "tables: the column of classes or, with task=regression, of the quantity"},
		{Name: "x", Symbol: "X", Range: "a variable's name",
			Meaning: ".mat and .npz: the variable with the measurements, samples × features; label names the one with the classes"},
		{Name: "samples", Range: column, Meaning: "tables: the column that names the rows"},
		{Name: "covariates", Range: "column names, separated by commas",
			Meaning: "tables: columns of words to add as 0/1 features, named column=value"},
		{Name: "ignore", Range: "column names, separated by commas", Meaning: "columns to leave out, as if the file did not have them"},
		{Name: "sheet", Range: "a sheet's name", Meaning: ".xlsx: the sheet with the table; the first one unless you say otherwise"},
		{Name: "layer", Range: "a layer's name · raw", Meaning: ".h5ad: the layer to read instead of X; raw reads anndata's .raw"},
		{Name: "annotations", Range: "a path", Meaning: "a table that describes the samples, by name, with the columns for label, " +
			"groups and covariates; samples says which column holds the names"},
		{Name: "groups", Range: column,
			Meaning: "the column that says which rows belong together, such as a donor's: no split separates them"},
		{Name: "paired", Range: column, Meaning: "the column that says which rows form a pair, such as tumour and normal tissue of one " +
			"patient: they stay together as groups do, and the mean of the pair is subtracted from each of its rows"},
		{Name: "row_weights", Symbol: "w", Range: column,
			Meaning: "the column with each training row's weight in the loss and the screen; 0 leaves the row out"},
		{Name: "nuisance", Range: column, Meaning: "the column whose values must not matter, such as the site of a measurement: features " +
			"are centred and scaled within each value, by its training rows"},
		{Name: "protocol", Choices: Protocols(), defaults: protocols, Meaning: "how the features are chosen, and the defaults that go with " +
			"it: fsnet trains the paper's network with repairs that make the choice settle, paper follows the paper's text, authors does " +
			"what its authors' program does, stepwise chooses by closed-form errors instead of the gradient"},
		{Name: "task", Choices: []string{"auto", Classification, Regression}, defaults: auto, Meaning: "what the label holds: classes or, " +
			"with regression, a quantity, which has an R² wherever classes have an accuracy; auto assumes classes, and asks if they look " +
			"like a quantity"},
		{Name: "k", Symbol: "K", numbers: &numbers{low: 1, end: "d"}, defaults: "10", Meaning: "features to select"},
		{Name: "epochs", Symbol: "E", numbers: &numbers{low: 1, auto: true}, defaults: "auto 4000 6400 auto", Live: true,
			Meaning: "length of the annealing in passes over the training rows; auto makes it long enough for any number of rows"},
		{Name: "batch", Symbol: "B", numbers: &numbers{auto: true}, defaults: "auto 8 32 auto",
			Meaning: "rows per step (0: all), so ⌈n/B⌉ steps per epoch; auto is 8, with 300 training rows or more 128, and 48 " +
				"for protocol=stepwise"},
		{Name: "learning_rate", Symbol: "η", numbers: above0OrAuto, defaults: "auto 0.001 0.001 0.001", Live: true,
			Meaning: "step size of RMSprop; auto is 0.001, and 0.002 where auto makes batches of 128"},
		{Name: "selector_learning_rate", numbers: above0, defaults: "0.005 0.001 0.001 0.005", Live: true,
			Meaning: "step size of RMSprop for the selector's predictor"},
		{Name: "lambda", Symbol: "λ", numbers: from0, defaults: "1 1 100 1", Live: true, Meaning: "weight of the reconstruction term"},
		{Name: "dropout", numbers: &numbers{high: 1, symbol: "p"}, defaults: "0.2", Live: true, Meaning: "share of units dropped after each hidden layer"},
		{Name: "tau0", Symbol: "τ0", numbers: above0, defaults: "10", Live: true, Meaning: "temperature at the start"},
		{Name: "tau_end", Symbol: "τE", numbers: above0, defaults: "0.01", Live: true, Meaning: "temperature at the end"},
		{Name: "schedule", Symbol: "τ(e)", Range: course + "τ · points:e1=τ1,e2=τ2,…", defaults: "exponential", Live: true,
			Meaning: "how the temperature falls from tau0 to tau_end"},
		{Name: "sharpness", Symbol: "σ", numbers: from1, defaults: "20 1 1 1", Live: true,
			Meaning: "the factor of log δ at the end, in P = softmax(σ log δ); it starts at 1, and 1 leaves P as it is"},
		{Name: "sharpness_schedule", Symbol: "σ(e)", Range: "late · " + course + "σ · points:e1=σ1,e2=σ2,…",
			defaults: "late late late " + inverse, Live: true, Meaning: "how the sharpness grows from 1; late: over the second half"},
		{Name: "repulsion", Symbol: "ρ", numbers: from0, defaults: "0.3 0 0 0.3", Live: true, Meaning: "keeps selectors from choosing the " +
			"same feature: the weight of Σ⟨P_k, P_l⟩/K in the loss, which grows from 0 over the second half"},
		{Name: "screen", numbers: &numbers{low: 1, zero: true, end: "d"}, defaults: "1000 0 0 1000",
			Meaning: "how many features to keep before the training, K or more: those with the largest moderated F over the training rows; 0 keeps all"},
		{Name: "must", Range: named, Meaning: "features that must be chosen: the first selectors are fixed to them"},
		{Name: "never", Range: named, Meaning: "features that must not be chosen: their probability is 0"},
		{Name: "cost", Symbol: "c", Range: "a file with a name and a cost above 0 per line · NAME:COST, separated by commas",
			Meaning: "what a feature costs, 1 unless you say otherwise: −log c is added to its log δ"},
		{Name: "feature_groups", Range: "a file with a name and a group per line · NAME:GROUP, separated by commas",
			Meaning: "features that belong together, of which at most group_limit are chosen"},
		{Name: "group_limit", numbers: from1, defaults: "1", Meaning: "the most features to choose from each group in feature_groups"},
		{Name: "hidden", Range: "widths, separated by commas", defaults: "64,32,16",
			Meaning: "widths of the encoder's layers; the decoder mirrors them"},
		{Name: "scaling", Choices: []string{TrainingRows, AllRows, "none"}, defaults: "training-rows training-rows all-rows training-rows",
			Meaning: "training-rows: centre and scale each feature by the training rows; all-rows: by all rows, so that the test rows are " +
				"no longer unseen; none: leave the values as read"},
		{Name: "test_fraction", numbers: share, defaults: "0.5",
			Meaning: "share of the rows kept for testing; 0 trains on all rows, and leaves none that say how good the choice is"},
		{Name: "split", Range: "stratified · random · column:NAME · column:NAME=VALUE · file:PATH",
			defaults: "stratified random random stratified", Meaning: "how the rows are divided: the same share of each class (stratified), " +
				"at random, or as a column or file says, by the words train, validation and test or by the value of the test rows"},
		{Name: "validation_fraction", numbers: share, defaults: "0",
			Meaning: "share of the training part set aside for the live curves"},
		{Name: "rows_per_class", numbers: &numbers{low: 2, zero: true}, defaults: "0",
			Meaning: "train on at most this many rows of each class, drawn with the seed of the split; 0: all"},
		{Name: "class_weight", Choices: []string{"none", "balanced"}, defaults: "none", Live: true,
			Meaning: "balanced: every class weighs the same in the loss"},
		{Name: "missing", Choices: []string{"error", "mean", "drop"}, defaults: "error", Meaning: "what to do about missing values: refuse " +
			"them (error), fill in the feature's training mean (mean), or leave the row out (drop)"},
		{Name: "stop", Range: "settled · never · patience:N", defaults: "settled never never settled", Live: true,
			Meaning: "when a run ends before its last epoch: once settled, never, or after N epochs without a better training loss"},
		{Name: "seed", Range: "an integer", defaults: "0", Meaning: "the seed of everything random"},
		{Name: "split_seed", Range: "an integer · the seed",
			Meaning: "the seed that decides which rows are for testing and validation; seed decides unless it is given"},
		{Name: "backend", Choices: []string{"auto", "xla:cuda", "xla:cpu", "go"}, defaults: auto,
			Meaning: "the device; auto says which it took and why"},
		{Name: "log", Range: "a path", Session: true,
			Meaning: "a file to append metrics and events to as they happen, one JSON object per line"},
	}

	fields := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields[name] = f.Name
	}

	for i, key := range list {
		list[i].field = fields[key.Name]
		if key.numbers != nil {
			list[i].Range = key.numbers.String()
		}
	}
	return list
})

// Keys returns every key in the order of the documentation. The caller must
// not change them.
func Keys() []Key { return keys() }

// Default returns the value of the key under a protocol, as text. If the key
// has no default, it returns "".
func (k Key) Default(protocol string) string {
	i, defaults := slices.Index(Protocols(), protocol), strings.Fields(k.defaults)
	if i < 0 || len(defaults) == 0 {
		return ""
	}
	return defaults[min(i, len(defaults)-1)]
}

// TakesAuto reports whether the key is a number that may also be auto.
func (k Key) TakesAuto() bool { return k.numbers != nil && k.numbers.auto }

// Accepted returns the accepted values, for users.
func (k Key) Accepted() string { return cmp.Or(k.Range, strings.Join(k.Choices, " · ")) }

// Names returns the names of all keys, in the order of [Keys].
func Names() []string {
	names := make([]string, len(keys()))
	for i, k := range keys() {
		names[i] = k.Name
	}
	return names
}

// Lookup returns the key with a name. A dash may replace an underscore. If
// the name is unknown, the error suggests the nearest one.
func Lookup(name string) (Key, error) {
	name = strings.ReplaceAll(name, "-", "_")
	if i := slices.IndexFunc(keys(), func(k Key) bool { return k.Name == name }); i >= 0 {
		return keys()[i], nil
	}
	return Key{}, Unknown(name, Names())
}

// Unknown returns the error for an unknown key. It translates names that
// other programs use. Otherwise it suggests the nearest of names, or lists
// all of them.
func Unknown(name string, names []string) error {
	elsewhere := map[string]string{"batch_size": "batch", "eta": "learning_rate", "lr": "learning_rate", "n_features": "k",
		"random_state": "seed", "target": "label", "tau": "schedule=hold:τ", "temperature": "schedule=hold:τ"}
	remedy := phrase.DidYouMean(name, names)
	if ours := elsewhere[name]; ours != "" {
		remedy = "did you mean " + ours + "?"
	}
	return errs.New(errs.Request, cmp.Or(RuleRemedy(name), remedy), "unknown key %q", name)
}

// invalid returns the error for a value that the key does not accept. err says
// why.
func (k Key) invalid(value string, err error) error {
	return errs.New(errs.Request, fmt.Sprintf("%s (%s) takes %s", k.Name, k.Meaning, k.Accepted()), "%s = %q: %s", k.Name, value, err)
}
