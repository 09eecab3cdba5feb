package study

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/comparators"
	"fsnetlab/fsnet/baseline/program"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset"
	"fsnetlab/fsnet/errs"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/phrase"
)

// The names of FsNet as a method: trained for each K, or once for all K.
const (
	FsNet     = "fsnet"
	FsNetPath = "fsnet-path"
)

// Method is FsNet, a method of package baseline, or a program of the user.
type Method struct {
	// Name with the settings, like "mrmr:criterion=miq" or
	// "fsnet:protocol=paper,epochs=400". For a program it leaves out the
	// command.
	Name    string
	Selects bool // If false, the method uses every feature, whatever K is.

	fitter   baseline.Method // nil for FsNet
	own      config.Config   // for FsNet: the settings in its name
	nested   bool            // for FsNet: rows use the first features of one training
	most     int             // within a plan: K of that training
	settings config.Settings // for FsNet, within a plan
}

// Setting returns the value that the name of FsNet gives to a key. If the name
// does not mention the key, it returns "".
func (m Method) Setting(key string) string { return m.own.Text(key) }

// version returns the version of the method. Rows of two versions don't
// belong in one table.
func (m Method) version() int {
	if m.fitter == nil {
		return method.Version
	}
	return m.fitter.Entry().Version
}

// program returns the user's program, or nil for any other method.
func (m Method) program() *program.Program {
	p, _ := m.fitter.(*program.Program)
	return p
}

// text returns the method in the form that [Methods] reads.
func (m Method) text() string {
	if p := m.program(); p != nil {
		return m.Name + "=" + p.Command()
	}
	return m.Name
}

// rowsVersion rises when something that all rows share changes, other than
// settings: how splits are drawn, values scaled, or figures computed.
const rowsVersion = 1

// Methods parses a list like
// "fsnet,fsnet:protocol=paper,hsic-lasso-block:b=10,permutations=5,svm".
// Names are separated by commas. The settings of each follow after a colon,
// as [comparators.Named] accepts them; those of fsnet and fsnet-path are
// [Settings]. The word all stands for FsNet and every method of
// [comparators.All]. NAME=COMMAND, with a path in the command, is a program
// of the user ([program.New]). If you give a name twice, it counts once.
func Methods(text string) ([]Method, error) {
	var list []string
	for _, name := range splitMethods(text) {
		if name != all {
			list = append(list, name)
			continue
		}
		list = append(list, slices.DeleteFunc(MethodNames(), func(name string) bool { return name == all || name == FsNetPath })...)
	}

	var methods []Method

	for _, name := range list {
		m, err := parseMethod(name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(methods, func(other Method) bool { return other.Name == m.Name })
		switch {
		case i < 0:
			methods = append(methods, m)
		case methods[i].text() != m.text():
			return nil, errs.New(errs.Request, "give each a name of its own", "two programs are called %s", m.Name)
		}
	}
	return methods, nil
}

// splitMethods splits text at commas, except those between and inside the
// settings of one method. It lower-cases everything but commands and feature
// names. What follows a list of features belongs to it, unless it names a
// method.
func splitMethods(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		parts = append(parts, strings.TrimSpace(part))
	}

	list := rejoin(parts, func(before, part string) bool {
		if isProgram(before) || beginsProgram(before, part) {
			return false
		}
		word, _, _ := strings.Cut(part, ":")
		return strings.Contains(before, ":") && (strings.Contains(word, "=") || startsWithNumber(part) ||
			endsWithFeatures(before) && !slices.Contains(MethodNames(), strings.ToLower(word)))
	})

	for i, name := range list {
		if isProgram(name) {
			continue
		}
		settings := settingPairs(name)
		for j, setting := range settings {
			// Names in the data or of a file keep their case.
			if before, value, _ := strings.Cut(setting, "="); endsWithFeatures(setting) {
				settings[j] = strings.ToLower(before) + "=" + value
			} else {
				settings[j] = strings.ToLower(setting)
			}
		}
		list[i] = strings.Join(settings, ",")
	}
	return list
}

// isProgram reports whether name has the form NAME=COMMAND, where the command
// contains a path.
func isProgram(name string) bool {
	word, command, _ := strings.Cut(name, "=")
	return strings.Contains(command, "/") && !strings.ContainsAny(word, ":/")
}

// beginsProgram reports whether part is a program, rather than another
// setting of the method before it.
func beginsProgram(before, part string) bool {
	name, _, _ := strings.Cut(part, "=")
	word, _, has := strings.Cut(before, ":")
	if !isProgram(part) || !has {
		return isProgram(part)
	}
	known := Settings()
	if m, err := comparators.Named(word); err == nil {
		known = baseline.Settings(m)
	}
	return !slices.Contains(known, strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), "-", "_"))
}

// endsWithFeatures reports whether the last setting in the name of a method
// takes features.
func endsWithFeatures(name string) bool {
	settings := settingPairs(name)
	before, _, has := strings.Cut(settings[len(settings)-1], "=")
	key := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(before[strings.LastIndex(before, ":")+1:])), "-", "_")
	return has && slices.Contains(dataset.ConstraintKeys(), key)
}

// all stands for FsNet and every method of [comparators.All].
const all = "all"

// MethodNames returns the words that a method can begin with in [Methods]:
// all, fsnet, fsnet-path, and the names of [comparators.All].
func MethodNames() []string {
	list := []string{all, FsNet, FsNetPath}
	for _, m := range comparators.All() {
		list = append(list, m.Entry().Name)
	}
	return list
}

// parseMethod parses one method, in the form that splitMethods returns. If the
// name is unknown, the error is of kind NotFound; if a setting is wrong, it is
// of kind Request.
func parseMethod(name string) (Method, error) {
	if word, command, _ := strings.Cut(name, "="); isProgram(name) {
		if slices.Contains(MethodNames(), word) {
			return Method{}, errs.New(errs.Request, "choose another name", "%.80s: %s is a method of its own", name, word)
		}
		p, err := program.New(word, command)
		return Method{Name: word, Selects: true, fitter: p}, err
	}

	word, settings, has := strings.Cut(name, ":")
	if word == FsNet || word == FsNetPath {
		if has && strings.TrimSpace(settings) == "" {
			return Method{}, errs.New(errs.Request, "write "+word+":protocol=paper, or "+word, "method %q without a setting", name)
		}
		m, err := parseFsNet(settings)
		if err == nil && word == FsNetPath {
			m = newFsNetPath(m.own)
		}
		return m, err
	}

	for _, m := range comparators.All() {
		if e := m.Entry(); e.Name == word {
			fitter, err := comparators.Named(name)
			return Method{Name: name, Selects: e.Selects, fitter: fitter}, err
		}
	}

	if word == "" {
		return Method{}, errs.New(errs.Request, phrase.DidYouMean("", MethodNames()), "a method without a name")
	}
	remedy := phrase.DidYouMean(word, MethodNames())
	if key, _, has := strings.Cut(word, "="); has {
		remedy = "write a program with its path, as in " + key + "=./" + key + ".py, and settings after a colon, as in mrmr:criterion=miq"
	}
	return Method{}, errs.New(errs.NotFound, remedy, "there is no method %q", word)
}

// sharedKeys lists the keys that hold for all methods. The comparison sets
// them, and a protocol doesn't change them.
func sharedKeys() []string {
	return []string{"scaling", "test_fraction", "split", "split_seed", "validation_fraction", "rows_per_class", "groups", "paired", "row_weights",
		"nuisance", "missing"}
}

// Settings lists the keys that can follow the name fsnet, as in
// "fsnet:protocol=paper,epochs=400". They are the keys of its training.
func Settings() []string {
	not := append(sharedKeys(), "data", "label", "x", "samples", "covariates", "ignore", "sheet", "layer", "annotations", "task", "k", "seed", "backend", "log")
	return slices.DeleteFunc(config.Names(), func(name string) bool { return slices.Contains(not, name) })
}

// parseFsNet returns FsNet with the settings that text lists, if any. It
// normalises the name.
func parseFsNet(text string) (Method, error) {
	m := Method{Name: FsNet, Selects: true}
	for _, pair := range settingPairs(text) {
		name, value, has := strings.Cut(pair, "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), "-", "_")
		switch _, err := config.Lookup(name); {
		case err != nil:
			return m, errs.New(errs.Request, cmp.Or(config.RuleRemedy(name), phrase.DidYouMean(name, Settings())),
				"%s: setting %q is not known", FsNet, name)
		case !slices.Contains(Settings(), name):
			return m, errs.New(errs.Request, "give it as an option, such as --"+strings.ReplaceAll(name, "_", "-"), "%s: %s holds for all methods", FsNet, name)
		case !has:
			return m, errs.New(errs.Request, "write "+FsNet+":"+name+"=VALUE", "%s: setting %q has no value", FsNet, name)
		case m.own.Text(name) != "":
			return m, errs.New(errs.Request, "give it once", "%s: setting %q is given twice", FsNet, name)
		}
		if err := m.own.Set(name, value); err != nil {
			return m, errs.At(err, FsNet)
		}
	}
	return newFsNet(m.own), nil
}

// newFsNet returns FsNet with the settings own. They must be among [Settings].
func newFsNet(own config.Config) Method {
	m := Method{Name: FsNet, Selects: true, own: own}
	between := ":"
	for _, key := range own.Given() {
		m.Name += between + key.Name + "=" + own.Text(key.Name)
		between = ","
	}
	return m
}

// newFsNetPath returns FsNet trained once per split, with the largest K of
// the plan. A row with a smaller K uses the first of its features in the
// order of forward selection among them (comparators.ForwardOrder). It has
// no accuracy of the network. The name is fsnet-path, followed by the
// settings own.
func newFsNetPath(own config.Config) Method {
	m := newFsNet(own)
	m.Name, m.nested = FsNetPath+strings.TrimPrefix(m.Name, FsNet), true
	return m
}

// settingPairs splits settings at commas, except those inside a value:
// widths as in hidden=64,32, points of a schedule, or feature names.
func settingPairs(text string) []string {
	if text == "" {
		return nil
	}
	return rejoin(strings.Split(text, ","), func(_, part string) bool { return startsWithNumber(part) || !strings.Contains(part, "=") })
}

// rejoin joins parts that were separated at a comma inside a value. If a
// part continues the one before, rejoin appends it after a comma.
func rejoin(parts []string, continues func(before, part string) bool) []string {
	var list []string
	for _, part := range parts {
		if n := len(list); n > 0 && continues(list[n-1], part) {
			list[n-1] += "," + part
		} else {
			list = append(list, part)
		}
	}
	return list
}

// startsWithNumber reports whether text starts with a number. No method and
// no key does.
func startsWithNumber(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && (text[0] >= '0' && text[0] <= '9' || text[0] == '.')
}

// resolve returns the settings of this FsNet in a comparison with these
// options. A setting in the name overrides an option, and an option overrides
// the protocol. The keys of [sharedKeys] always have the values in shared.
func (m Method) resolve(options config.Config, shared config.Settings) (config.Settings, error) {
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
	options.SplitSeed = shared.SplitSeed // Its text may depend on the seed.
	return options.Resolve()
}

// identitySettings lists the settings that differ from their defaults: the
// shared ones and, for FsNet, those of its training, relative to its
// protocol.
func identitySettings(s config.Settings, fsnet bool) string {
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
		rules := s.OwnRules()
		for _, name := range slices.Sorted(maps.Keys(rules)) {
			list = append(list, name+"="+rules[name])
		}
	}
	return joinNames(list)
}

// identitySettings returns the settings of FsNet in a plan, as text. For a path
// it adds the K of the training that its rows share.
func (m Method) identitySettings() string {
	text := identitySettings(m.settings, true)
	if m.nested {
		text = strings.TrimPrefix(text+";first-of="+strconv.Itoa(m.most), ";")
	}
	return text
}

// defaultOf returns the default of a key under a protocol, as text. It
// returns "" for an unknown key.
func defaultOf(name, protocol string) string {
	key, err := config.Lookup(name)
	if err != nil {
		return ""
	}
	return key.Default(protocol)
}
