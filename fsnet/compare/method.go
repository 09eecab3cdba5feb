package compare

import (
	"slices"
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/nearest"
)

// FsNet is the name of FsNet among the methods.
const FsNet = "fsnet"

// Method is FsNet or one of package baseline.
type Method struct {
	Name    string // as it was asked for, such as "mrmr:criterion=miq"
	Selects bool   // else it uses every feature, whatever K

	fitter baseline.Method // nil for FsNet
}

// Methods reads a list such as "fsnet,hsic-lasso-block:b=10,permutations=5,svm": names with commas between, each with its settings after
// a colon, as [baseline.Named] takes them. all is FsNet and every method of [baseline.Methods]. What is named twice counts once.
func Methods(text string) ([]Method, error) {
	var methods []Method
	add := func(m Method) {
		if !slices.ContainsFunc(methods, func(other Method) bool { return other.Name == m.Name }) {
			methods = append(methods, m)
		}
	}
	for _, name := range names(text) {
		if name == "all" {
			add(Method{Name: FsNet, Selects: true})
			for _, e := range baseline.Methods() {
				m, err := named(e.Name)
				if err != nil {
					return nil, err
				}
				add(m)
			}
			continue
		}
		m, err := named(name)
		if err != nil {
			return nil, err
		}
		add(m)
	}
	return methods, nil
}

// names splits at commas, but for those between the settings of one method.
func names(text string) []string {
	var list []string
	for _, part := range strings.Split(text, ",") {
		part = strings.ToLower(strings.TrimSpace(part))
		if n := len(list); n > 0 && strings.Contains(part, "=") && !strings.Contains(part, ":") && strings.Contains(list[n-1], ":") {
			list[n-1] += "," + part
			continue
		}
		list = append(list, part)
	}
	return list
}

func named(name string) (Method, error) {
	word, _, has := strings.Cut(name, ":")
	if word == FsNet {
		if has {
			return Method{}, fault.New(fault.Request, "its settings are options, such as --epochs", "method %q", name)
		}
		return Method{Name: FsNet, Selects: true}, nil
	}
	known := []string{"all", FsNet}
	for _, e := range baseline.Methods() {
		known = append(known, e.Name)
		if e.Name == word {
			fitter, err := baseline.Named(name)
			return Method{Name: name, Selects: e.Selects, fitter: fitter}, err
		}
	}
	if word == "" {
		return Method{}, fault.New(fault.Request, nearest.DidYouMean("", known), "a method without a name")
	}
	return Method{}, fault.New(fault.NotFound, nearest.DidYouMean(word, known), "there is no method %q", word)
}
