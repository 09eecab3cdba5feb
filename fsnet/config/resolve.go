package config

import (
	"cmp"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// Resolve fills every field that was not given from the protocol's defaults and checks all values. What depends on the data
// (k ≤ d, classes, sizes) is checked when the data is known.
func (c Config) Resolve() (Settings, error) {
	if c.Protocol == "" {
		c.Protocol = Supervised
	}
	if !slices.Contains(Protocols(), c.Protocol) {
		return Settings{}, fault.New(fault.Request, suggest.DidYouMean(c.Protocol, Protocols()), "protocol = %q is not known", c.Protocol)
	}
	for _, key := range Keys() {
		if isZero(key.field(&c)) {
			text := key.Default(c.Protocol)
			if text == "" {
				continue
			}
			if err := parse(key.field(&c), text); err != nil {
				panic("config: the default of " + key.Name + " does not parse: " + err.Error())
			}
		}
		if err := key.validate(&c); err != nil {
			return Settings{}, err
		}
	}
	s := Settings{
		Data: c.Data, Label: c.Label, X: c.X, Samples: c.Samples, Covariates: c.Covariates, Layer: c.Layer, Annotations: c.Annotations,
		Groups: c.Groups, Pairs: c.Pairs, RowWeights: c.RowWeights, Nuisance: c.Nuisance,
		Protocol: c.Protocol, Task: c.Task, K: c.K, Batch: *c.Batch,
		Objective: c.Objective, Embedding: c.Embedding, Prior: c.Prior, PriorWeight: *c.PriorWeight, Screen: *c.Screen,
		Must: c.Must, Never: c.Never, Cost: c.Cost, FeatureGroups: c.FeatureGroups, GroupLimit: c.GroupLimit,
		Reconstruction: c.Reconstruction, StandardizeEmbedding: *c.StandardizeEmbedding,
		SelectorLogits: c.SelectorLogits, PredictorHidden: c.PredictorHidden, Hidden: c.Hidden,
		Selection: unless(ByProbability, c.Selection), Evaluation: unless(LearnedSelection, c.Evaluation),
		Scaling: c.Scaling, TestFraction: *c.TestFraction, Split: c.Split, ValidationFraction: *c.ValidationFraction,
		RowsPerClass: c.RowsPerClass, Missing: c.Missing, Seed: c.Seed, SplitSeed: c.SplitSeed, Backend: c.Backend, Log: c.Log,
		Live: Live{
			Epochs: c.Epochs, LearningRate: *c.LearningRate, LearningRateDecay: *c.LearningRateDecay,
			SelectorLearningRate: *c.SelectorLearningRate, Lambda: *c.Lambda, Dropout: *c.Dropout,
			Tau0: *c.Tau0, TauEnd: *c.TauEnd, Schedule: c.Schedule, TauEvery: c.TauEvery, TauPace: unless(onePace, c.TauPace),
			Sharpness: *c.Sharpness, SharpnessSchedule: c.SharpnessSchedule, SelectorGrowth: *c.SelectorGrowth, Repulsion: *c.Repulsion,
			ClassWeight: c.ClassWeight, Stop: c.Stop,
		},
	}
	return s, s.checkTask()
}

// unless is a word, or nothing for the one that settings from before the key have.
func unless(standard, word string) string {
	if word == standard {
		return ""
	}
	return word
}

// RowsSeed is the seed that divides the rows: SplitSeed, or Seed where none was given.
func (s Settings) RowsSeed() int64 {
	if s.SplitSeed != nil {
		return *s.SplitSeed
	}
	return s.Seed
}

// Beforehand reports whether anything is known of the features before the training: must, never, cost or feature_groups.
func (s Settings) Beforehand() bool {
	return len(s.Must) > 0 || len(s.Never) > 0 || s.Cost != "" || s.FeatureGroups != ""
}

// Config is the inverse of Resolve: every key given, but for a split_seed that follows the seed.
func (s Settings) Config() Config {
	return Config{
		Data: s.Data, Label: s.Label, X: s.X, Samples: s.Samples, Covariates: s.Covariates, Layer: s.Layer, Annotations: s.Annotations,
		Groups: s.Groups, Pairs: s.Pairs, RowWeights: s.RowWeights, Nuisance: s.Nuisance,
		Protocol: s.Protocol, Task: s.Task, K: s.K, Batch: &s.Batch,
		Objective: s.Objective, Embedding: s.Embedding, Prior: s.Prior, PriorWeight: &s.PriorWeight, Screen: &s.Screen,
		Must: s.Must, Never: s.Never, Cost: s.Cost, FeatureGroups: s.FeatureGroups, GroupLimit: s.GroupLimit,
		Reconstruction: s.Reconstruction, StandardizeEmbedding: &s.StandardizeEmbedding,
		SelectorLogits: s.SelectorLogits, PredictorHidden: slices.Clone(s.PredictorHidden), Hidden: slices.Clone(s.Hidden),
		Selection: cmp.Or(s.Selection, ByProbability), Evaluation: cmp.Or(s.Evaluation, LearnedSelection),
		Scaling: s.Scaling, TestFraction: &s.TestFraction, Split: s.Split, ValidationFraction: &s.ValidationFraction,
		RowsPerClass: s.RowsPerClass, Missing: s.Missing, Seed: s.Seed, SplitSeed: s.SplitSeed, Backend: s.Backend, Log: s.Log,
		Epochs: s.Epochs, LearningRate: &s.LearningRate, LearningRateDecay: &s.LearningRateDecay,
		SelectorLearningRate: &s.SelectorLearningRate,
		Lambda:               &s.Lambda, Dropout: &s.Dropout,
		Tau0: &s.Tau0, TauEnd: &s.TauEnd, Schedule: s.Schedule, TauEvery: s.TauEvery, TauPace: cmp.Or(s.TauPace, onePace),
		Sharpness: &s.Sharpness, SharpnessSchedule: s.SharpnessSchedule, SelectorGrowth: &s.SelectorGrowth, Repulsion: &s.Repulsion,
		ClassWeight: s.ClassWeight, Stop: s.Stop,
	}
}

// Text is the value of a key as it would be written; "" for an unknown key.
func (s Settings) Text(name string) string {
	key, err := Lookup(name)
	if err != nil {
		return ""
	}
	c := s.Config()
	c.SplitSeed = new(s.RowsSeed())
	return format(key.field(&c))
}

// A Change is one key's old and new value, as text.
type Change struct {
	Key  string `json:"key"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Apply returns the settings with the given live keys changed, and what changed. A structural key that differs is refused.
func (s Settings) Apply(changes Config) (Settings, []Change, error) {
	merged := s.Config()
	var list []Change
	for _, key := range changes.Given() {
		text := changes.Text(key.Name)
		old := s.Text(key.Name)
		if text == old {
			continue
		}
		if !key.Live {
			return s, nil, fault.New(fault.Request, "open another session with it, or the same name with replace=true",
				"%s is fixed once a session is open (it is %s)", key.Name, old)
		}
		if err := merged.Set(key.Name, text); err != nil {
			return s, nil, err
		}
		list = append(list, Change{Key: key.Name, From: old, To: text})
	}
	next, err := merged.Resolve()
	return next, list, err
}

// Differences lists the structural keys in which s differs from t. Live keys belong to the timeline and are never compared;
// what t leaves to the data is as s has it.
func (s Settings) Differences(t Settings) []Change {
	var list []Change
	for _, key := range Keys() {
		if key.Live {
			continue
		}
		if key.Name == "split_seed" && s.SplitSeed == nil && t.SplitSeed == nil {
			continue // it is the seed, of which this has been said
		}
		if key.Name == "log" && t.Log == "" {
			continue // whoever asks for none takes the one there is
		}
		if x, y := s.Text(key.Name), t.Text(key.Name); x != y && (y != auto || key.Name == "backend") {
			list = append(list, Change{Key: key.Name, From: x, To: y})
		}
	}
	return list
}
