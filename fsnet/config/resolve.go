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

// fieldIn returns the field of the key in a *Config or *Settings.
func (k Key) fieldIn(settings any) reflect.Value {
	return reflect.ValueOf(settings).Elem().FieldByName(k.field)
}

// isSet reports whether a field has a value. An empty list of widths is a
// value, but an empty list of names is not.
func isSet(field reflect.Value) bool {
	if names, ok := field.Interface().([]string); ok {
		return len(names) > 0
	}
	return !field.IsZero()
}

// assign sets a field to the value of another one. Either may be a pointer
// while the other is not.
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

// Auto stands for a number that the training derives from the data, for
// batch, epochs or learning_rate.
const (
	Auto = math.MinInt32
	auto = "auto"
)

// parse sets a field from text. If the text is wrong, it returns an error and
// does not change the field.
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
			wrong = "too many digits"
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

// format returns the value of a field as text that parse can read. The field
// must not be a nil pointer.
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

// check returns an error of kind Request if the key does not accept the value
// in field. If field is a pointer, it must not be nil.
func (k Key) check(field reflect.Value) error {
	var err error
	outside := errors.New("out of range")
	switch v := reflect.Indirect(field).Interface().(type) {
	case float64:
		if !k.numbers.accept(v) {
			err = outside
		}
	case int:
		if !k.numbers.accept(float64(v)) {
			err = outside
		}
	case []int:
		if k.Name == "hidden" && len(v) == 0 {
			err = errors.New("no width")
		}
		for _, width := range v {
			if width < 1 {
				err = fmt.Errorf("width %d is below 1", width)
			}
		}
	case string:
		switch {
		case len(k.Choices) > 0 && !slices.Contains(k.Choices, v):
			return errs.New(errs.Request, phrase.DidYouMean(v, k.Choices), "%s = %q is not a choice", k.Name, v)
		case strings.HasSuffix(k.Name, "schedule"):
			_, err = ParseSchedule(v)
		case k.numbers != nil && v != auto: // tau_pace
			_, err = parsePositive(v)
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

// Set sets a key from text, as magics and flags do, and checks the value. If
// the value is of the right type but out of range, Set returns an error but has
// set it.
func (c *Config) Set(name, value string) error {
	key, err := Lookup(name)
	if err != nil {
		return err
	}
	if err := parse(key.fieldIn(c), strings.TrimSpace(value)); err != nil {
		return key.invalid(value, err)
	}
	return key.check(key.fieldIn(c))
}

// Given returns the keys that have a value in c, in the order of [Keys].
func (c *Config) Given() (keys []Key) {
	for _, k := range Keys() {
		if isSet(k.fieldIn(c)) {
			keys = append(keys, k)
		}
	}
	return keys
}

// Texts returns the values in c as text by key, except for the keys in without.
// It also returns the rules that differ from those of the protocol.
func (c *Config) Texts(without ...string) map[string]string {
	texts := map[string]string{}
	if c.Rules != nil {
		texts = c.Rules.ruleDifferences(RulesOf(cmp.Or(c.Protocol, FsNet)))
	}
	for _, k := range c.Given() {
		if !slices.Contains(without, k.Name) {
			texts[k.Name] = format(k.fieldIn(c))
		}
	}
	return texts
}

// FromTexts returns a configuration from values by key, as [Config.Texts]
// writes them.
func FromTexts(texts map[string]string) (c Config, err error) {
	rules := RulesOf(cmp.Or(texts["protocol"], FsNet))
	for _, key := range ruleKeys() {
		if value, ok := texts[key.Name]; ok {
			if err := parse(key.fieldIn(&rules), value); err != nil {
				return c, key.invalid(value, err)
			}
			c.Rules = &rules
		}
	}
	for name := range texts {
		if _, err := Lookup(name); err != nil && !isRule(name) {
			return c, err
		}
	}
	for _, name := range Names() { // in a fixed order, so that the first of several errors is always the same
		if value, ok := texts[name]; ok {
			if err := c.Set(name, value); err != nil {
				return c, err
			}
		}
	}
	return c, nil
}

// Text returns the value of a key as text. If the key is unknown or has no
// value in c, it returns "".
func (c *Config) Text(name string) string {
	key, err := Lookup(name)
	if err != nil || !isSet(key.fieldIn(c)) {
		return ""
	}
	return format(key.fieldIn(c))
}

// Resolve checks all values and gives the other fields the defaults of the
// protocol. Limits that depend on the data, such as k ≤ d, are checked once the
// data are known.
func (c Config) Resolve() (s Settings, err error) {
	if c.Protocol == "" {
		c.Protocol = FsNet
	}
	if !slices.Contains(Protocols(), c.Protocol) {
		return s, errs.New(errs.Request, phrase.DidYouMean(c.Protocol, Protocols()), "protocol = %q is not known", c.Protocol)
	}

	for _, key := range Keys() {
		field := key.fieldIn(&s)
		switch value := key.fieldIn(&c); {
		case isSet(value):
			assign(field, value)
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
		s.Rules = *c.Rules.cloneRules()
	}

	if err := s.Rules.check(); err != nil {
		return Settings{}, err
	}
	return s, s.check()
}

// RowsSeed returns the seed that divides the rows: SplitSeed, or Seed if
// SplitSeed is nil.
func (s Settings) RowsSeed() int64 {
	if s.SplitSeed != nil {
		return *s.SplitSeed
	}
	return s.Seed
}

// Config reverses Resolve. Every key has a value, except for a split_seed
// that follows the seed.
func (s Settings) Config() (c Config) {
	s.Hidden, c.Rules = slices.Clone(s.Hidden), s.cloneRules()
	for _, key := range Keys() {
		assign(key.fieldIn(&c), key.fieldIn(&s))
	}
	return c
}

// Text returns the value of a key as text. If the key is unknown, it returns
// "".
func (s Settings) Text(name string) string {
	key, err := Lookup(name)
	if err != nil {
		return ""
	}
	return key.text(s)
}

// text returns the value of the key in s as text.
func (k Key) text(s Settings) string {
	if s.SplitSeed == nil {
		s.SplitSeed = &s.Seed
	}
	return format(k.fieldIn(&s))
}

// Change is the old and the new value of a key.
type Change struct {
	Key  string `json:"key"`  // its name
	From string `json:"from"` // the old value, as text
	To   string `json:"to"`   // the new value, as text
}

// Apply returns the settings after changes, and the list of keys that change.
// It returns an error if a key is structural, if a value is not accepted or has
// no effect, or if changes has no keys.
func (s Settings) Apply(changes Config) (next Settings, list []Change, err error) {
	next = s
	for _, key := range changes.Given() {
		field := key.fieldIn(&changes)
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
		assign(key.fieldIn(&next), field)
		list = append(list, Change{Key: key.Name, From: from, To: to})
	}

	if changes.Rules != nil {
		return s, nil, errs.New(errs.Request, "open another session with them, or the same name with replace=true",
			"the rules of a protocol are fixed once a session is open")
	}
	if len(changes.Given()) == 0 {
		return s, nil, errs.New(errs.Request, "name a key and its value, as in lambda=0.1", "set names no key")
	}
	return next, list, next.check()
}

// LiveDifferences returns the live keys that have another value in c than in s.
// From is the value in s, and To the value in c.
func (s Settings) LiveDifferences(c Config) (list []Change) {
	for _, key := range c.Given() {
		if from, to := key.text(s), format(key.fieldIn(&c)); key.Live && from != to && to != auto {
			list = append(list, Change{Key: key.Name, From: from, To: to})
		}
	}
	return list
}

// Differences returns the structural keys that have different values in s and
// t. From is the value in s, and To the value in t. It skips keys that t leaves
// to the data.
func (s Settings) Differences(t Settings) (list []Change) {
	for _, key := range slices.Concat(Keys(), ruleKeys()) {
		switch {
		case key.Live:
			continue
		case slices.Contains([]string{"tau_every", "learning_rate_decay", "selector_growth"}, key.Name):
			continue // older programs changed them at any step
		case key.Name == "split_seed" && s.SplitSeed == nil && t.SplitSeed == nil:
			continue // it follows seed, and that is compared
		case key.Name == "log" && t.Log == "":
			continue // a caller that names no log accepts the open one
		}
		if x, y := key.text(s), key.text(t); x != y && (y != auto || key.Name == "backend") {
			list = append(list, Change{Key: key.Name, From: x, To: y})
		}
	}
	return list
}
