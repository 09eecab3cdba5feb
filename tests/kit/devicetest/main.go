package devicetest

import (
	"os"
	"testing"
)

// unoptimised names the variable that the stages of ./install.sh test set.
const unoptimised = "FSNET_TEST_UNOPTIMISED"

// xlaFlags names XLA's own variable, and unoptimisedFlags are what [Unoptimise] sets it to.
const (
	xlaFlags         = "XLA_FLAGS"
	unoptimisedFlags = "--xla_backend_optimization_level=0"
)

// Main runs the tests of a package that are of what trainings do, not of what a compiler makes of a step: XLA compiles as [Unoptimise] has
// it. Tests of steps, in fsnet/engine, compile as users do, but for those of which [MainApart] is told.
func Main(m *testing.M) {
	Unoptimise()
	os.Exit(m.Run())
}

// Unoptimise is for a TestMain that does more than [Main]: in the test stages XLA compiles without optimising, in this process and those
// that it starts, unless XLA_FLAGS is set. That takes half the processor time or less where more is compiled than computed.
func Unoptimise() {
	if os.Getenv(unoptimised) != "" && os.Getenv(xlaFlags) == "" {
		if err := os.Setenv(xlaFlags, unoptimisedFlags); err != nil {
			panic(err)
		}
	}
}
