package study

import (
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/listed"
	"fsnetlab/internal/suggest"
)

// sharedKeys say what all methods are given: they are those of the comparison, whatever a protocol has for them.
func sharedKeys() []string {
	return []string{"scaling", "test_fraction", "split", "split_seed", "validation_fraction", "rows_per_class", "groups", "paired", "row_weights",
		"nuisance", "missing"}
}

// Settings are the keys that the name fsnet can be followed by, as in "fsnet:protocol=paper,epochs=400": those of its training.
func Settings() []string {
	not := append(sharedKeys(), "data", "label", "x", "samples", "covariates", "layer", "annotations", "task", "k", "seed", "backend", "log")
	return slices.DeleteFunc(config.Names(), func(name string) bool { return slices.Contains(not, name) })
}

// ofFsNet makes FsNet with settings of its own, "" for none. They are named in one way, however they were written.
func ofFsNet(text string) (Method, error) {
	m := Method{Name: FsNet, Selects: true}
	for _, pair := range settingPairs(text) {
		name, value, has := strings.Cut(pair, "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		switch _, err := config.Lookup(name); {
		case err != nil:
			return m, fault.New(fault.Request, suggest.DidYouMean(name, Settings()), "%s: setting %q is not known", FsNet, name)
		case !slices.Contains(Settings(), name):
			return m, fault.New(fault.Request, "give it as an option, such as --"+strings.ReplaceAll(name, "_", "-"), "%s: %s holds for all methods", FsNet, name)
		case !has:
			return m, fault.New(fault.Request, "write "+FsNet+":"+name+"=VALUE", "%s: setting %q has no value", FsNet, name)
		case m.own.Text(name) != "":
			return m, fault.New(fault.Request, "give it once", "%s: setting %q is given twice", FsNet, name)
		}
		if err := m.own.Set(name, value); err != nil {
			return m, fault.At(err, FsNet)
		}
	}
	return With(m.own), nil
}

// With is FsNet with settings of its own, which are among those that [Settings] names.
func With(own config.Config) Method {
	m := Method{Name: FsNet, Selects: true, own: own}
	between := ":"
	for _, key := range own.Given() {
		m.Name += between + key.Name + "=" + own.Text(key.Name)
		between = ","
	}
	return m
}

// Nested is FsNet trained once a split, with the largest K of the plan: a row of a smaller K has the first of its features in the order of
// forward selection among them (comparators.ForwardOrder), and no accuracy of its own network. Its name is fsnet-path, with the settings of its own
// that the other may have.
func Nested(own config.Config) Method {
	m := With(own)
	m.Name, m.nested = FsNetPath+strings.TrimPrefix(m.Name, FsNet), true
	return m
}

// settingPairs splits settings at commas, but for those inside a value: widths as in hidden=64,32, the points of a schedule, names of features.
func settingPairs(text string) []string {
	if text == "" {
		return nil
	}
	return listed.Joined(strings.Split(text, ","), func(_, part string) bool { return startsWithNumber(part) || !strings.Contains(part, "=") })
}

// startsWithNumber: no method and no key does.
func startsWithNumber(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '.')
}

// trained are FsNet's settings under this name, in a comparison with these options: what the name says goes before an option, and an
// option before what the protocol has.
func (m Method) trained(options config.Config, shared config.Settings) (config.Settings, error) {
	for _, key := range m.own.Given() {
		if err := options.Set(key.Name, m.own.Text(key.Name)); err != nil {
			return config.Settings{}, err
		}
	}
	for _, name := range sharedKeys() {
		if err := options.Set(name, shared.Text(name)); err != nil {
			return config.Settings{}, err
		}
	}
	options.SplitSeed = shared.SplitSeed // it may follow the seed
	return options.Resolve()
}

// identified are the keys of settings that are not what they are without a word: those that all methods share and, for FsNet, those of its
// training, by its protocol.
func identified(s config.Settings, fsnet bool) string {
	var list []string
	differs := func(name, from string) {
		standard := defaultOf(name, from)
		if name == "split_seed" {
			standard = s.Text("seed")
		}
		if value := s.Text(name); value != standard {
			list = append(list, name+"="+value)
		}
	}
	for _, name := range sharedKeys() {
		differs(name, config.FsNet)
	}
	if fsnet {
		for _, name := range Settings() {
			protocol := s.Protocol
			if name == "protocol" {
				protocol = config.FsNet
			}
			differs(name, protocol)
		}
	}
	return joinNames(list)
}

// identified are those of a FsNet in a plan, with the K that its rows were trained for where that is not their own.
func (m Method) identified() string {
	text := identified(m.settings, true)
	if m.nested {
		text = strings.TrimPrefix(text+";first-of="+strconv.Itoa(m.most), ";")
	}
	return text
}

func defaultOf(name, protocol string) string {
	key, err := config.Lookup(name)
	if err != nil {
		return ""
	}
	return key.Default(protocol)
}
