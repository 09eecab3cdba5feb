package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

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
	return Key{}, Unknown(name, Names())
}

// Unknown is the error of a name that is no key's. It says what the key is called here, or the nearest of the names that fit, or all of
// them.
func Unknown(name string, names []string) error {
	remedy := suggest.DidYouMean(name, names)
	if ours := named(name); ours != "" {
		remedy = "did you mean " + ours + "?"
	}
	return fault.New(fault.Request, remedy, "unknown key %q", name)
}

// named is the key that other programs call so, or "".
func named(elsewhere string) string {
	switch elsewhere {
	case "batch_size":
		return "batch"
	case "eta", "lr":
		return "learning_rate"
	case "n_features":
		return "k"
	case "random_state":
		return "seed"
	case "target":
		return "label"
	case "tau", "temperature":
		return "schedule=hold:τ"
	}
	return ""
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

// Texts are the values that were given, as they would be written, by their keys, but for those of some keys.
func (c *Config) Texts(but ...string) map[string]string {
	texts := map[string]string{}
	for _, k := range c.Given() {
		if !slices.Contains(but, k.Name) {
			texts[k.Name] = format(k.field(c))
		}
	}
	return texts
}

// FromTexts is the configuration with these values of keys.
func FromTexts(texts map[string]string) (c Config, err error) {
	for name := range texts {
		if _, err := Lookup(name); err != nil {
			return c, err
		}
	}
	for _, name := range Names() { // in one order, so that of several errors it is the same one
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
	key, _ := Lookup(name) // the zero Key has no text
	return key.Text(c)
}

// Text is the value that c has for the key as it would be written; "" where none was given.
func (k Key) Text(c *Config) string {
	if k.field == nil || isZero(k.field(c)) {
		return ""
	}
	return format(k.field(c))
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
