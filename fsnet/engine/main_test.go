package engine

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"fsnetlab/tests/kit/devicetest"
)

// Those apart compare with formulas in plain float64, or one graph with another, to a tolerance, and find the same bits twice where there
// are many selectors. What users compile is held by the others: it gives the same bits each time, in blocks too, what Go's backend gives,
// and what the definition gives.
func TestMain(m *testing.M) {
	devicetest.MainApart(m, "TestApart", "TestStepAgainstReference", "TestMatricesAgainstReference", "TestObserveAgainstMatrix",
		"TestBatchesOfEverySize", "TestConditionalStepAgainstPartialF", "TestConditionalStepOfFewRows", "TestTiltedIsTheDefinition",
		"TestReconstructionErrorIsTheReferences", "TestBlocksOfManySelectorsDoNotMatter", "TestManyRowsAreDividedInTheStep")
}

// toFail in the environment has the test apart fail.
const toFail = "FSNET_TEST_APART_FAILS"

// TestApart is one of those apart, of which the next test is.
func TestApart(t *testing.T) {
	t.Log("XLA_FLAGS:", os.Getenv("XLA_FLAGS"))
	if os.Getenv(toFail) != "" {
		t.Error("as it was asked to")
	}
}

// In the test stages what is apart runs once, in a process that compiles without optimising, and fails the package where it fails; the
// rest runs as users compile, and so does everything elsewhere.
func TestTheTestsApartCount(t *testing.T) {
	for _, test := range []struct {
		name        string
		environment []string
		flags       string
		fails       bool
	}{
		{"in a stage", []string{"FSNET_TEST_UNOPTIMISED=1"}, "--xla_backend_optimization_level=0", false},
		{"in a stage, failing", []string{"FSNET_TEST_UNOPTIMISED=1", toFail + "=1"}, "--xla_backend_optimization_level=0", true},
		{"elsewhere", nil, "", false},
	} {
		command := exec.Command(os.Args[0], "-test.v", "-test.skip=^(Example|Test([^AW]|A[^p]|W[^i]|Wid[^e]))") // but TestApart and TestWiden
		for _, variable := range os.Environ() {
			if name, _, _ := strings.Cut(variable, "="); !slices.Contains([]string{"FSNET_TEST_UNOPTIMISED", "XLA_FLAGS"}, name) {
				command.Env = append(command.Env, variable)
			}
		}
		command.Env = append(command.Env, test.environment...)
		out, err := command.CombinedOutput()
		said := string(out)
		if (err != nil) != test.fails || strings.Count(said, "=== RUN   TestApart\n") != 1 || strings.Count(said, "=== RUN   TestWiden\n") != 1 ||
			!strings.Contains(said, "XLA_FLAGS: "+test.flags+"\n") {
			t.Errorf("%s: %v\n%s", test.name, err, said)
		}
	}
}
