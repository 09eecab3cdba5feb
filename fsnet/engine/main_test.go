package engine

import (
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/tests/kit/devicetest"
)

// Those apart compare with formulas in plain float64, or one graph with another, to a tolerance, and find the same bits twice where there
// are many selectors. What users compile is held by the others: it gives the same bits each time, in blocks too, what Go's backend gives,
// and what the definition gives.
func TestMain(m *testing.M) {
	devicetest.MainApart(m, "TestStep_MatchesReference", "TestMatrices_MatchReference", "TestObserve_MatchesMatrix",
		"TestStep_BatchesOfEverySize", "TestConditionalStep_MatchesPartialF", "TestConditionalStep_FewRows", "TestStep_BiasedMatchesDefinition",
		"TestReconstructionError_MatchesReference", "TestStep_BlocksOfManySelectors", "TestStep_ManyRowsAreDivided")
}

// must is what a call that must not fail returns.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// rules returns the default's rules with changes.
func rules(change func(*config.Rules)) *config.Rules {
	r := config.RulesOf(config.FsNet)
	change(&r)
	return &r
}

// hidden returns the default's rules with hidden layers of the weight predictors.
func hidden(widths ...int) *config.Rules {
	return rules(func(r *config.Rules) { r.PredictorHidden = widths })
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
