// Package comparators holds the methods that we compare FsNet with. They
// have names:
//
//	anova · cae · cae-supervised · deeppink · dfs · dietnet · dnp · forward-ridge:kernel=linear · hashednets · hsic · hsic-lasso ·
//	hsic-lasso-block:b=10 · l1-logistic · mrmr:criterion=miq · mutual-information · pairs · random · stg · svm
//
// Start with [Named] and [ANOVA], the simplest of them. Methods that train
// networks are in package deep. The others are here, one file per kind.
// [SVM] and [KernelRidge] use every feature and select nothing: we use them
// to judge the features that the others select.
//
//	model, err := comparators.MRMR{}.Fit(ctx, baseline.Of(prepared, prepared.Parts.Train), baseline.Options{K: 10})
//	columns := model.Columns() // by rank
//
// The zero value of each struct has the usual settings. Features should
// share one scale. A method that considers one feature at a time often
// selects many redundant ones. Kernels are computed on Options.Device in 32
// bits, so their results depend on the device.
//
// To add a method, add an entry to [All]. The conformance suite then tests
// it.
package comparators

import (
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/phrase"
)

// All returns every method, sorted by name, with its defaults.
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
		new(Pairs),
		new(Random),
		new(deep.STG),
		new(SVM),
	}
}

// Named returns a method by name, possibly with settings after a colon:
// "hsic-lasso-block:b=10,permutations=5". The error is of kind NotFound if
// the name is unknown, and of kind Request if a setting is unknown.
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
