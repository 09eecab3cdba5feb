package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// of is the key's field in a *Config or *Settings.
func (k Key) of(it any) reflect.Value { return reflect.ValueOf(it).Elem().FieldByName(k.field) }

// isGiven reports whether a field has a value: a list of widths may be empty, one of names may not.
func isGiven(field reflect.Value) bool {
	if names, ok := field.Interface().([]string); ok {
		return len(names) > 0
	}
	return !field.IsZero()
}

// assign gives a field the value of another, of which one may be a pointer to it.
func assign(to, from reflect.Value) {
	switch {
	case to.Kind() == from.Kind():
		to.Set(from)
	case to.Kind() == reflect.Pointer:
		to.Set(reflect.New(from.Type()))
		to.Elem().Set(from)
	default:
		to.Set(from.Elem())
	}
}

// Auto stands for a number that is left to the training: batch, epochs and learning_rate go by the data then.
const (
	Auto = math.MinInt32
	auto = "auto"
)

// parse writes text into a field, which stays as it is where the text is wrong.
func parse(field reflect.Value, text string) error {
	wrong := ""
	switch field.Interface().(type) {
	case string:
		field.SetString(text)
	case float64:
		x, err := strconv.ParseFloat(text, 64)
		if text == auto {
			x, err = Auto, nil
		}
		if wrong = "not a number"; err == nil {
			field.SetFloat(x)
			return nil
		}
	case bool:
		x, err := strconv.ParseBool(text)
		if wrong = "neither true nor false"; err == nil {
			field.SetBool(x)
			return nil
		}
	case int, int64:
		if text == auto && field.Kind() == reflect.Int {
			text = strconv.Itoa(Auto)
		}
		x, err := strconv.ParseInt(text, 10, field.Type().Bits())
		if wrong = "not a whole number"; err == nil {
			field.SetInt(x)
			return nil
		}
		if errors.Is(err, strconv.ErrRange) {
			wrong = "it has too many digits"
		}
	case []int:
		widths := []int{}
		for part := range strings.SplitSeq(text, ",") {
			if text == "" || text == "none" {
				break
			}
			x, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil {
				return fmt.Errorf("%q is not a whole number", part)
			}
			widths = append(widths, x)
		}
		field.Set(reflect.ValueOf(widths))
	case []string:
		field.Set(reflect.ValueOf(phrase.Names(text)))
	default: // a pointer
		value := reflect.New(field.Type().Elem())
		if err := parse(value.Elem(), text); err != nil {
			return err
		}
		field.Set(value)
	}
	if wrong != "" {
		return errors.New(wrong)
	}
	return nil
}

// format is a field's value as parse reads it.
func format(field reflect.Value) string {
	switch v := reflect.Indirect(field).Interface().(type) {
	case int:
		if v == Auto {
			return auto
		}
	case []int:
		if len(v) == 0 {
			return "none"
		}
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(v), " ", ","), "[]")
	case []string:
		return phrase.Join(v)
	case float64:
		if v == Auto {
			return auto
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(reflect.Indirect(field))
}

// maxNumber keeps products of hyperparameters inside a float32.
const maxNumber = 1e12

// check refuses a value that the key does not take.
func (k Key) check(field reflect.Value) error {
	var err error
	switch v := reflect.Indirect(field).Interface().(type) {
	case float64:
		ok := v <= maxNumber // which NaN is not
		switch k.Range {
		case above0:
			ok = ok && v > 0
		case above0OrAuto:
			ok = ok && (v > 0 || v == Auto)
		case from0:
			ok = ok && v >= 0
		case from1:
			ok = ok && v >= 1
		default: // a share
			ok = v >= 0 && v < 1
		}
		if !ok {
			err = errors.New("out of range")
		}
	case int:
		var low int
		_, none := fmt.Sscan(strings.FieldsFunc(k.Range, func(r rune) bool { return r == '…' || r == ' ' })[0], &low)
		switch {
		case v == Auto && strings.HasSuffix(k.Range, auto):
		case none == nil && v < low:
			err = fmt.Errorf("below %d", low)
		case k.Name == "rows_per_class" && v == 1:
			err = errors.New("below 2")
		}
	case []int:
		if k.Name == "hidden" && len(v) == 0 {
			err = errors.New("no width")
		}
		for _, width := range v {
			if width < 1 {
				err = fmt.Errorf("a width of %d", width)
			}
		}
	case string:
		switch {
		case len(k.Choices) > 0 && !slices.Contains(k.Choices, v):
			return errs.New(errs.Request, phrase.DidYouMean(v, k.Choices), "%s = %q is not a choice", k.Name, v)
		case strings.HasSuffix(k.Name, "schedule"):
			_, err = ParseSchedule(v)
		case k.Range == above0OrAuto && v != auto: // tau_pace
			_, err = positive(v)
		case k.Name == "split":
			_, err = ParseSplit(v)
		case k.Name == "stop":
			_, err = ParseStop(v)
		}
	}
	if err != nil {
		return k.invalid(format(field), err)
	}
	return nil
}

// Set gives a key a value written as text, as a magic or a flag does. The value is checked at once.
func (c *Config) Set(name, value string) error {
	key, err := Lookup(name)
	if err != nil {
		return err
	}
	if err := parse(key.of(c), strings.TrimSpace(value)); err != nil {
		return key.invalid(value, err)
	}
	return key.check(key.of(c))
}

// Given lists the keys that c has a value for, in the order of Keys.
func (c *Config) Given() (given []Key) {
	for _, k := range Keys() {
		if isGiven(k.of(c)) {
			given = append(given, k)
		}
	}
	return given
}

// Texts returns the values that were given as text by key, except those of some keys, and the rules
// in which c differs from its protocol.
func (c *Config) Texts(except ...string) map[string]string {
	texts := map[string]string{}
	if c.Rules != nil {
		texts = c.Rules.differences(RulesOf(cmp.Or(c.Protocol, FsNet)))
	}
	for _, k := range c.Given() {
		if !slices.Contains(except, k.Name) {
			texts[k.Name] = format(k.of(c))
		}
	}
	return texts
}

// FromTexts returns the configuration with these values, the reverse of [Config.Texts].
func FromTexts(texts map[string]string) (c Config, err error) {
	rules := RulesOf(cmp.Or(texts["protocol"], FsNet))
	for _, key := range ruleKeys() {
		if value, ok := texts[key.Name]; ok {
			if err := parse(key.of(&rules), value); err != nil {
				return c, key.invalid(value, err)
			}
			c.Rules = &rules
		}
	}
	for name := range texts {
		if _, err := Lookup(name); err != nil && !slices.ContainsFunc(ruleKeys(), func(k Key) bool { return k.Name == name }) {
			return c, err
		}
	}
	for _, name := range Names() { // in one order, so that several errors always give the same one
		if value, ok := texts[name]; ok {
			if err := c.Set(name, value); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// Text is the value of a key as it would be written; "" where none was given.
func (c *Config) Text(name string) string {
	key, err := Lookup(name)
	if err != nil || !isGiven(key.of(c)) {
		return ""
	}
	return format(key.of(c))
}

// Resolve fills every field that was not given from the protocol's defaults and checks all values. What depends on the data
// (k ≤ d, classes, sizes) is checked when the data is known.
func (c Config) Resolve() (s Settings, err error) {
	if c.Protocol == "" {
		c.Protocol = FsNet
	}
	if !slices.Contains(Protocols(), c.Protocol) {
		return s, errs.New(errs.Request, phrase.DidYouMean(c.Protocol, Protocols()), "protocol = %q is not known", c.Protocol)
	}
	for _, key := range Keys() {
		field := key.of(&s)
		switch given := key.of(&c); {
		case isGiven(given):
			assign(field, given)
		case key.defaults == "":
			continue
		default:
			if err := parse(field, key.Default(c.Protocol)); err != nil {
				panic("config: the default of " + key.Name + " does not parse: " + err.Error())
			}
		}
		if err := key.check(field); err != nil {
			return Settings{}, err
		}
	}
	s.Rules = RulesOf(s.Protocol)
	if c.Rules != nil {
		s.Rules = *c.Rules.clone()
	}
	if err := s.Rules.check(); err != nil {
		return Settings{}, err
	}
	return s, s.check()
}

// RowsSeed is the seed that divides the rows: SplitSeed, or Seed where none was given.
func (s Settings) RowsSeed() int64 {
	if s.SplitSeed != nil {
		return *s.SplitSeed
	}
	return s.Seed
}

// Config is the inverse of Resolve: every key given, but for a split_seed that follows the seed.
func (s Settings) Config() (c Config) {
	s.Hidden, c.Rules = slices.Clone(s.Hidden), s.Rules.clone()
	for _, key := range Keys() {
		assign(key.of(&c), key.of(&s))
	}
	return c
}

// Text is the value of a key as it would be written; "" for an unknown key.
func (s Settings) Text(name string) string {
	key, err := Lookup(name)
	if err != nil {
		return ""
	}
	return key.text(s)
}

// text is the key's value in settings, as it would be written.
func (k Key) text(s Settings) string {
	if s.SplitSeed == nil {
		s.SplitSeed = &s.Seed
	}
	return format(k.of(&s))
}

// A Change is one key's old and new value, as text.
type Change struct {
	Key  string `json:"key"`  // its name
	From string `json:"from"` // the value before, as text
	To   string `json:"to"`   // the value from then on, as text
}

// Apply returns the settings with the given live keys, of which there is one at least, changed, and what changed. A structural key that
// differs is refused.
func (s Settings) Apply(changes Config) (next Settings, list []Change, err error) {
	next = s
	given := 0
	for _, key := range keys() {
		field := key.of(&changes)
		if !isGiven(field) {
			continue
		}
		given++
		from, to := key.text(s), format(field)
		if from == to {
			continue
		}
		if !key.Live {
			return s, nil, errs.New(errs.Request, "open another session with it, or the same name with replace=true",
				"%s is fixed once a session is open (it is %s)", key.Name, from)
		}
		if err := key.check(field); err != nil {
			return s, nil, err
		}
		assign(key.of(&next), field)
		list = append(list, Change{Key: key.Name, From: from, To: to})
	}
	if changes.Rules != nil {
		return s, nil, errs.New(errs.Request, "open another session with them, or the same name with replace=true",
			"the rules of a protocol are fixed once a session is open")
	}
	if given == 0 {
		return s, nil, errs.New(errs.Request, "name a key and its value, as in lambda=0.1", "set names no key")
	}
	return next, list, next.check()
}

// Differences lists the structural keys in which s differs from t. Live keys belong to the timeline and are never compared;
// what t leaves to the data is as s has it.
func (s Settings) Differences(t Settings) (list []Change) {
	for _, key := range slices.Concat(Keys(), ruleKeys()) {
		switch {
		case key.Live:
			continue
		case key.Name == "tau_every" || key.Name == "learning_rate_decay":
			continue // older programs changed them at any step
		case key.Name == "split_seed" && s.SplitSeed == nil && t.SplitSeed == nil:
			continue // it is the seed, of which this has been said
		case key.Name == "log" && t.Log == "":
			continue // a caller who asks for none takes the one there is
		}
		if x, y := key.text(s), key.text(t); x != y && (y != auto || key.Name == "backend") {
			list = append(list, Change{Key: key.Name, From: x, To: y})
		}
	}
	return list
}
