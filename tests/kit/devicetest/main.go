package devicetest

import (
	"os"
	"testing"
)

// unoptimised is the variable that the stages of ./install.sh test set.
const unoptimised = "FSNET_TEST_UNOPTIMISED"

// xlaFlags is XLA's variable. [Unoptimise] sets it to unoptimisedFlags.
const (
	xlaFlags         = "XLA_FLAGS"
	unoptimisedFlags = "--xla_backend_optimization_level=0"
)

// Main runs the tests of a package that examine trainings, not the compiler's
// work on a step. XLA compiles as [Unoptimise] sets it. Tests of steps, in
// fsnet/engine, compile as for users, except those named to [MainApart].
func Main(m *testing.M) {
	Unoptimise()
	os.Exit(m.Run())
}

// Unoptimise is for a TestMain that does more than [Main]. In the test stages
// it makes XLA compile without optimising, in this process and those it starts,
// unless XLA_FLAGS is set. Where compiling takes longer than computing, this
// saves at least half of the processor time.
func Unoptimise() {
	if os.Getenv(unoptimised) != "" && os.Getenv(xlaFlags) == "" {
		if err := os.Setenv(xlaFlags, unoptimisedFlags); err != nil {
			panic(err)
		}
	}
}
