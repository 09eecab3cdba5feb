package config

import (
	"reflect"
	"slices"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// Resolve fills every field that was not given from the protocol's defaults and checks all values. What depends on the data
// (k ≤ d, classes, sizes) is checked when the data is known.
func (c Config) Resolve() (Settings, error) {
	if c.Protocol == "" {
		c.Protocol = FsNet
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
	return c.settings()
}

// settings are those of a configuration whose every key has a value that was checked.
func (c Config) settings() (Settings, error) {
	var s Settings
	shared(&s, &c, func(setting, given reflect.Value) {
		if given.Type() != setting.Type() {
			given = given.Elem() // of which nil is no value
		}
		setting.Set(given)
	})
	if err := s.checkTask(); err != nil {
		return s, err
	}
	return s, s.checkIdle()
}

// shared shows each field of Settings, live ones too, with the field of Config that has its name.
func shared(s *Settings, c *Config, look func(setting, given reflect.Value)) {
	settings, config := reflect.ValueOf(s).Elem(), reflect.ValueOf(c).Elem()
	for _, f := range reflect.VisibleFields(settings.Type()) {
		if !f.Anonymous {
			look(settings.FieldByIndex(f.Index), config.FieldByName(f.Name))
		}
	}
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
	s.PredictorHidden, s.Hidden = slices.Clone(s.PredictorHidden), slices.Clone(s.Hidden)
	var c Config
	shared(&s, &c, func(setting, given reflect.Value) {
		if given.Type() != setting.Type() {
			setting = setting.Addr()
		}
		given.Set(setting)
	})
	return c
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
	Key  string `json:"key"`  // its name
	From string `json:"from"` // the value before, as text
	To   string `json:"to"`   // the value from then on, as text
}

// Apply returns the settings with the given live keys changed, and what changed. A structural key that differs is refused.
func (s Settings) Apply(changes Config) (Settings, []Change, error) {
	merged := s.Config()
	before := merged
	before.SplitSeed = new(s.RowsSeed())
	var list []Change
	for _, key := range changes.Given() {
		from, to := format(key.field(&before)), format(key.field(&changes))
		if from == to {
			continue
		}
		if !key.Live {
			return s, nil, fault.New(fault.Request, "open another session with it, or the same name with replace=true",
				"%s is fixed once a session is open (it is %s)", key.Name, from)
		}
		if err := merged.Set(key.Name, to); err != nil {
			return s, nil, err
		}
		list = append(list, Change{Key: key.Name, From: from, To: to})
	}
	next, err := merged.settings()
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
