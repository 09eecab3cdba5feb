package deep

import (
	"testing"

	"fsnetlab/tests/kit/devicetest"
)

// Those apart compare with what the original packages came to, or with the
// formulas, to a tolerance.
func TestMain(m *testing.M) {
	devicetest.MainApart(m, "TestReconstruction_MatchesReference", "TestSTG_SelectsAsPackage", "TestSTG_StepsMatchPackage")
}
