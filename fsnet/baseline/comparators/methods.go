// Package comparators holds the methods that FsNet is compared with, each by its name:
//
//	anova · cae · cae-supervised · deeppink · dfs · dietnet · dnp · forward-ridge:kernel=linear · hashednets · hsic · hsic-lasso ·
//	hsic-lasso-block:b=10 · l1-logistic · mrmr:criterion=miq · mutual-information · random · stg · svm
//
// Those that train networks are in package deep; the others are here, a file a kind. [SVM] and [KernelRidge] use every feature and select
// nothing: they judge the features of the others.
//
//	model, err := comparators.MRMR{}.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10})
//	columns := model.Columns() // by rank
//
// The zero value of each struct has the usual settings. Features should be of one scale. A method that looks at one feature at a time often
// takes many that say the same. Kernels are computed on Options.Device in 32 bits, so that such results are those of the device.
//
// A new method is an entry in [All]; the conformance suite beside it then runs it.
package comparators

import (
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// All makes every method, by name, with its defaults.
func All() []baseline.Method {
	return []baseline.Method{
		new(ANOVA),
		new(deep.CAE),
		new(deep.SupervisedCAE),
		new(deep.PINK),
		new(deep.DFS),
		new(deep.DietNet),
		new(deep.DNP),
		new(ForwardRidge),
		new(deep.HashedNets),
		new(HSIC),
		new(HSICLasso),
		new(HSICBlockLasso),
		new(L1Logistic),
		new(MRMR),
		new(MutualInformation),
		new(Random),
		new(deep.STG),
		new(SVM),
	}
}

// Named makes a method from its name, with settings after a colon: "hsic-lasso-block:b=10,permutations=5". It returns an error of kind
// NotFound for a name, and of kind Request for a setting, that is not known.
func Named(text string) (baseline.Method, error) {
	name, rest, has := strings.Cut(text, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	var names []string
	for _, m := range All() {
		if names = append(names, m.Entry().Name); m.Entry().Name != name {
			continue
		}
		if has {
			if err := baseline.Set(m, rest); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return nil, errs.New(errs.NotFound, phrase.DidYouMean(name, names), "there is no method %q", name)
}
