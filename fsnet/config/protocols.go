package config

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Protocols. The first one is the default.
const (
	// the paper's network and loss, trained by gradient, plus our repairs,
	// which make the selectors commit to features and converge
	FsNet   = "fsnet"
	Paper   = "paper"   // what the text of the paper says
	Authors = "authors" // what the program of the paper's authors does
	// annealed stepwise selection: scores in closed form choose, the network
	// only predicts
	Stepwise = "stepwise"
)

// Protocols lists the protocols by name. The default comes first.
func Protocols() []string { return []string{FsNet, Paper, Authors, Stepwise} }

// Rules are the choices that make a protocol exact, in addition to the
// defaults of its keys. They are not keys: only a Go program can set them,
// in [Config], before it opens a training.
type Rules struct {
	// φ, what the weight predictors see of a feature
	Embedding string `json:"embedding" choices:"class-t class-deviation histogram histogram-counts"`
	// b, the number of bins of equal width in the histograms that the
	// embedding counts; at most the training rows
	Bins int `json:"bins"`
	// whether each dimension of the embedding is centred over the features,
	// then divided by one scale
	StandardizeEmbedding bool `json:"standardize_embedding"`
	// Widths of the hidden layers of the weight predictors. Without any, the
	// predictors are linear.
	PredictorHidden []int `json:"predictor_hidden"`
	// log δ: free, the output of the predictor; softmax-selectors, its
	// log-softmax over the K selectors; clipped-softmax, log(10 ·
	// clip(softmax))
	SelectorLogits string `json:"selector_logits" choices:"free softmax-selectors clipped-softmax"`
	// how (x − x̂)² is combined over the features
	Reconstruction string `json:"reconstruction" choices:"mean sum"`
	// what the unique argmax reads: P, or one noisy M
	Selection string `json:"selection" choices:"probability sample"`
	// the features on which the accuracy is measured: the ones selected now,
	// or those of a noisy M before the first step
	Evaluation string `json:"evaluation" choices:"learned as-built"`
	// when the temperature changes: at every step, or once an epoch, to the
	// value at the end of the epoch
	TauEvery string `json:"tau_every" choices:"step epoch"`
	// how many times as fast as the epochs the temperature moves, > 0; auto:
	// with every batch, including those of the test rows, as if batches had
	// 8 rows
	TauPace string `json:"tau_pace"`
	// c in η/(1 + c t/E), the factor by which both learning rates fall until
	// step t
	LearningRateDecay float64 `json:"learning_rate_decay"`
	// the factor by which selector_learning_rate grows over the annealing,
	// > 0; 1 keeps it constant
	SelectorGrowth float64 `json:"selector_growth"`
}

// RulesOf returns the rules of a protocol. If the name is unknown, it returns
// the zero value.
func RulesOf(protocol string) Rules {
	none := []int{}
	return map[string]Rules{
		// φ, b, standardised, predictors' hidden layers, log δ,
		// reconstruction, selection, evaluation, τ changes, at the pace, c,
		// growth
		FsNet:    {ClassT, StandardBins, true, none, FreeLogits, "mean", ByProbability, LearnedSelection, TauStep, "1", 0, 10},
		Paper:    {Histogram, StandardBins, false, none, SoftmaxSelectors, "sum", ByProbability, LearnedSelection, TauEpoch, "1", 0, 1},
		Authors:  {HistogramCounts, StandardBins, false, none, ClippedSoftmax, "mean", BySample, AsBuilt, TauStep, auto, 0.001, 1},
		Stepwise: {ClassT, StandardBins, true, none, FreeLogits, "mean", ByProbability, LearnedSelection, TauStep, "1", 0, 10},
	}[protocol]
}

// ruleKeys describes the fields of Rules as if they were keys, to check them
// and to write them as text.
//
//nolint:gochecknoglobals // made once and never changed
var ruleKeys = sync.OnceValue(func() (list []Key) {
	accepted := map[string]*numbers{"Bins": {low: 2}, "TauPace": {above: true, auto: true}, "LearningRateDecay": {},
		"SelectorGrowth": {above: true}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Rules]()) {
		key := Key{Name: f.Tag.Get("json"), Meaning: "a rule of the protocol", field: f.Name, numbers: accepted[f.Name]}
		if key.numbers != nil {
			key.Range = key.numbers.String()
		}
		switch f.Type.Kind() {
		case reflect.Bool:
			key.Range = "true · false"
		case reflect.Slice:
			key.Range = "none · widths, separated by commas"
		}
		if words := f.Tag.Get("choices"); words != "" {
			key.Choices = strings.Fields(words)
		}
		list = append(list, key)
	}
	return list
})

// isRule reports whether a name is a rule.
func isRule(name string) bool {
	return slices.ContainsFunc(ruleKeys(), func(k Key) bool { return k.Name == name })
}

// RuleRemedy says what to do about a rule that is given as a key. It returns
// "" if name is not a rule. A dash may replace an underscore.
func RuleRemedy(name string) string {
	if !isRule(strings.ReplaceAll(name, "-", "_")) {
		return ""
	}
	return "it is a rule of the protocol: choose another protocol, or set it in a Go program, in Config.Rules"
}

// check returns an error for the first rule with a value that is not accepted.
// It also checks fields with the zero value.
func (r Rules) check() error {
	for _, key := range ruleKeys() {
		if err := key.check(key.fieldIn(&r)); err != nil {
			return err
		}
	}
	return nil
}

// cloneRules returns a copy that shares nothing with r.
func (r Rules) cloneRules() *Rules {
	r.PredictorHidden = append([]int{}, r.PredictorHidden...)
	return &r
}

// SetRule sets a rule from text, because older programs wrote rules as keys. If
// name is not a rule or text is not of its type, it returns false and changes
// nothing. It does not check the range.
func (s *Settings) SetRule(name, text string) bool {
	i := slices.IndexFunc(ruleKeys(), func(k Key) bool { return k.Name == name })
	return i >= 0 && parse(ruleKeys()[i].fieldIn(s), text) == nil
}

// OwnRules returns the rules that differ from those of the protocol, as text by
// name.
func (s Settings) OwnRules() map[string]string { return s.ruleDifferences(RulesOf(s.Protocol)) }

// ruleDifferences returns the rules in r that differ from those in other, as
// text by name.
func (r Rules) ruleDifferences(other Rules) map[string]string {
	texts := map[string]string{}
	for _, key := range ruleKeys() {
		if text := format(key.fieldIn(&r)); text != format(key.fieldIn(&other)) {
			texts[key.Name] = text
		}
	}
	return texts
}
