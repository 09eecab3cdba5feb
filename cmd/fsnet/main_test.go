package main

import (
	"os"
	"testing"
)

// asProgram in the environment makes the test binary the program itself: with its processes, its signals and its exit status.
const asProgram = "FSNET_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}
