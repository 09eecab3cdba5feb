// Package registry knows every method that FsNet is compared with by its name, as in
//
//	anova · cae · cae-supervised · deeppink · dfs · dietnet · dnp · forward-ridge:kernel=linear · hashednets · hsic · hsic-lasso ·
//	hsic-lasso-block:b=10 · l1-logistic · mrmr:criterion=miq · mutual-information · random · stg · svm
//
// A new one is an entry in [Methods]; the conformance suite beside it then runs it.
package registry

import (
	"strings"

	"fsnetlab/fsnet/baseline"
	"fsnetlab/fsnet/baseline/deep"
	"fsnetlab/fsnet/baseline/filter"
	"fsnetlab/fsnet/baseline/forward"
	"fsnetlab/fsnet/baseline/hsic"
	"fsnetlab/fsnet/baseline/sparse"
	"fsnetlab/fsnet/baseline/svm"
	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/suggest"
)

// Methods makes every method, by name, with its defaults.
func Methods() []baseline.Method {
	return []baseline.Method{
		new(filter.ANOVA),
		new(deep.CAE),
		new(deep.SupervisedCAE),
		new(deep.PINK),
		new(deep.DFS),
		new(deep.DietNet),
		new(deep.DNP),
		new(forward.Ridge),
		new(deep.HashedNets),
		new(hsic.Screening),
		new(hsic.Lasso),
		new(hsic.BlockLasso),
		new(sparse.L1Logistic),
		new(filter.MRMR),
		new(filter.MutualInformation),
		new(filter.Random),
		new(deep.STG),
		new(svm.SVM),
	}
}

// Named makes a method from its name, with settings after a colon: "hsic-lasso-block:b=10,permutations=5". It returns an error of kind
// NotFound for a name, and of kind Request for a setting, that is not known.
func Named(text string) (baseline.Method, error) {
	name, rest, has := strings.Cut(text, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	var names []string
	for _, m := range Methods() {
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
	return nil, fault.New(fault.NotFound, suggest.DidYouMean(name, names), "there is no method %q", name)
}
