package compare

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/registry"
	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/fault"
	"fsnetlab/fsnet/known"
	"fsnetlab/fsnet/method"
	"fsnetlab/internal/listed"
	"fsnetlab/internal/suggest"
)

// The names of FsNet among the methods: trained for each K, and once for all.
const (
	FsNet     = "fsnet"
	FsNetPath = "fsnet-path"
)

// Method is FsNet or one of package baseline.
type Method struct {
	Name    string // with its settings, such as "mrmr:criterion=miq" or "fsnet:protocol=paper,epochs=400"
	Selects bool   // else it uses every feature, whatever K

	fitter   baseline.Method // nil for FsNet
	own      config.Config   // FsNet's, as its name says
	nested   bool            // FsNet's: rows take the first features of one training
	most     int             // that training's K, in a plan
	settings config.Settings // FsNet's, in a plan
}

// Setting is a key of FsNet's own settings as text; "" where its name does not say.
func (m Method) Setting(key string) string { return m.own.Text(key) }

// Shares is whether one training serves the rows of every K.
func (m Method) Shares() bool { return m.nested }

// version is that of what the method of a plan does: rows of two versions do not belong in one table.
func (m Method) version() int {
	if m.fitter == nil {
		return method.Version
	}
	return m.fitter.Entry().Version
}

// rowsVersion goes up when what all rows share changes otherwise than by its settings: how splits are drawn, values scaled, figures
// computed.
const rowsVersion = 1

// Methods reads a list such as "fsnet,fsnet:protocol=paper,hsic-lasso-block:b=10,permutations=5,svm": names with commas between, each with
// its settings after a colon, as [registry.Named] takes them; those of fsnet and fsnet-path are [Settings]. all is FsNet and every method
// of [registry.Methods]. What is named twice counts once.
func Methods(text string) ([]Method, error) {
	var methods []Method
	add := func(name string) error {
		m, err := named(name)
		if err == nil && !slices.ContainsFunc(methods, func(other Method) bool { return other.Name == m.Name }) {
			methods = append(methods, m)
		}
		return err
	}
	for _, name := range names(text) {
		list := []string{name}
		if name == "all" {
			list = slices.DeleteFunc(methodNames(), func(name string) bool { return name == "all" || name == FsNetPath })
		}
		for _, name := range list {
			if err := add(name); err != nil {
				return nil, err
			}
		}
	}
	return methods, nil
}

// names splits at commas, but for those between the settings of one method and inside them. What follows a list of features is one of them
// unless a method is called so.
func names(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		parts = append(parts, strings.TrimSpace(part))
	}
	list := listed.Joined(parts, func(before, part string) bool {
		word, _, _ := strings.Cut(part, ":")
		return strings.Contains(before, ":") && (strings.Contains(word, "=") || startsWithNumber(part) ||
			listsFeatures(before) && !slices.Contains(methodNames(), strings.ToLower(word)))
	})
	for i, name := range list {
		settings := pairs(name)
		for j, setting := range settings {
			if before, value, _ := strings.Cut(setting, "="); listsFeatures(setting) { // what the data or a file are called
				settings[j] = strings.ToLower(before) + "=" + value
			} else {
				settings[j] = strings.ToLower(setting)
			}
		}
		list[i] = strings.Join(settings, ",")
	}
	return list
}

// listsFeatures is whether the last setting of a method's name takes features.
func listsFeatures(name string) bool {
	settings := pairs(name)
	before, _, has := strings.Cut(settings[len(settings)-1], "=")
	key := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(before[strings.LastIndex(before, ":")+1:])), "-", "_")
	return has && slices.Contains(known.Keys(), key)
}

// methodNames are the words that begin a method's name.
func methodNames() []string {
	list := []string{"all", FsNet, FsNetPath}
	for _, m := range registry.Methods() {
		list = append(list, m.Entry().Name)
	}
	return list
}

func named(name string) (Method, error) {
	word, settings, has := strings.Cut(name, ":")
	if word == FsNet || word == FsNetPath {
		if has && strings.TrimSpace(settings) == "" {
			return Method{}, fault.New(fault.Request, "write "+word+":protocol=paper, or "+word, "method %q without a setting", name)
		}
		m, err := ofFsNet(settings)
		if err == nil && word == FsNetPath {
			m = Nested(m.own)
		}
		return m, err
	}
	for _, m := range registry.Methods() {
		if e := m.Entry(); e.Name == word {
			fitter, err := registry.Named(name)
			return Method{Name: name, Selects: e.Selects, fitter: fitter}, err
		}
	}
	if word == "" {
		return Method{}, fault.New(fault.Request, suggest.DidYouMean("", methodNames()), "a method without a name")
	}
	return Method{}, fault.New(fault.NotFound, suggest.DidYouMean(word, methodNames()), "there is no method %q", word)
}
