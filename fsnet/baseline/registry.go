package baseline

import (
	"strings"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/nearest"
)

// Entry describes a method.
type Entry struct {
	Name       string
	About      string // one line
	Selects    bool   // else it uses every feature, and K is 0
	Predicts   bool   // its Model has a Predictor, and a Regressor where it was fitted to quantities
	Regression bool   // it also takes quantities
	Neural     bool   // it trains a network on Options.Device
	Kernels    bool   // its kernels are computed on Options.Device

	method func() (Method, []setting)
}

// Settings are the keys that the name can be followed by, as in "mrmr:criterion=miq".
func (e Entry) Settings() []string {
	_, settings := e.method()
	keys := make([]string, len(settings))
	for i, s := range settings {
		keys[i] = s.key
	}
	return keys
}

// Methods lists every method by name.
func Methods() []Entry {
	return []Entry{
		{Name: "anova", About: "F test of each feature", Selects: true, Regression: true, method: func() (Method, []setting) { return ANOVA{}, nil }},
		{Name: "cae", About: "concrete autoencoder, without the classes", Selects: true, Regression: true, Neural: true, method: func() (Method, []setting) { m := new(CAE); return m, m.settings() }},
		{Name: "cae-supervised", About: "concrete autoencoder with a softmax head", Selects: true, Predicts: true, Neural: true, method: func() (Method, []setting) { m := new(SupervisedCAE); return m, m.settings() }},
		{Name: "dietnet", About: "Diet Network: predicted weights, on every feature", Predicts: true, Neural: true, method: func() (Method, []setting) { m := new(DietNet); return m, m.settings() }},
		{Name: "dnp", About: "deep neural pursuit: a first layer that grows by a feature at a time", Selects: true, Predicts: true, Neural: true, method: func() (Method, []setting) { m := new(DNP); return m, m.settings() }},
		{Name: "hsic-lasso", About: "kernel dependence on the class, non-negative lasso", Selects: true, Regression: true, Kernels: true, method: func() (Method, []setting) { return HSICLasso{}, nil }},
		{Name: "hsic-lasso-block", About: "HSIC Lasso on blocks of rows", Selects: true, Regression: true, Kernels: true, method: func() (Method, []setting) { m := new(HSICLassoBlock); return m, m.settings() }},
		{Name: "l1-logistic", About: "logistic regression with an L1 penalty", Selects: true, Predicts: true, method: func() (Method, []setting) { m := new(L1Logistic); return m, m.settings() }},
		{Name: "lassonet", About: "a network with a skip layer, on a path of penalties", Selects: true, Predicts: true, Regression: true, Neural: true, method: func() (Method, []setting) { m := new(LassoNet); return m, m.settings() }},
		{Name: "mrmr", About: "mutual information with the class against that among the selected", Selects: true, method: func() (Method, []setting) { m := new(MRMR); return m, m.settings() }},
		{Name: "random", About: "features by lot", Selects: true, Regression: true, method: func() (Method, []setting) { return Random{}, nil }},
		{Name: "stg", About: "stochastic gates before a network", Selects: true, Predicts: true, Regression: true, Neural: true, method: func() (Method, []setting) { m := new(STG); return m, m.settings() }},
		{Name: "svm", About: "support vector machine with a radial basis function, on every feature", Predicts: true, Kernels: true, method: func() (Method, []setting) { m := new(SVM); return m, m.settings() }},
	}
}

// entry is that of a method by its name.
func entry(name string) Entry {
	for _, e := range Methods() {
		if e.Name == name {
			return e
		}
	}
	panic("baseline: a method that is not registered: " + name)
}

// regressing names the methods that take quantities.
func regressing() []string {
	var names []string
	for _, e := range Methods() {
		if e.Regression {
			names = append(names, e.Name)
		}
	}
	return names
}

// Named makes a method from its name, with settings after a colon: "hsic-lasso-block:b=10,permutations=5". It returns an error of kind
// NotFound for a name, and of kind Request for a setting, that is not known.
func Named(text string) (Method, error) {
	name, rest, has := strings.Cut(text, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	var names []string
	for _, e := range Methods() {
		if names = append(names, e.Name); e.Name != name {
			continue
		}
		method, settings := e.method()
		if has {
			if err := apply(name, rest, settings); err != nil {
				return nil, err
			}
		}
		return method, nil
	}
	return nil, fault.New(fault.NotFound, nearest.DidYouMean(name, names), "there is no method %q", name)
}
