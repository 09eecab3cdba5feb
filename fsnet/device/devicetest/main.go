package devicetest

import (
	"os"
	"testing"
)

// Unoptimised names the variable that the stages of ./install.sh test set.
const Unoptimised = "FSNET_TEST_UNOPTIMISED"

// Main runs the tests of a package that are of what trainings do, not of what a compiler makes of a step: where [Unoptimised] is set and
// XLA_FLAGS is not, XLA compiles without optimising, which takes half the time. Tests of steps, in fsnet/engine, compile as users do.
func Main(m *testing.M) {
	if os.Getenv(Unoptimised) != "" && os.Getenv("XLA_FLAGS") == "" {
		if err := os.Setenv("XLA_FLAGS", "--xla_backend_optimization_level=0"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
