package kernel

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/tests/kit/testhost"
)

// The test binary is also the processes of its tests: a host with an engine for tests, a doctor, and a kernel to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "host":
			os.Exit(testhost.Run(os.Args[2:]))
		case "doctor":
			fmt.Println("✓ everything <is> fine")
			os.Exit(0)
		case "kernel":
			os.Exit(runKernel(os.Args[len(os.Args)-1]))
		case "stranger":
			os.Exit(beStranger(os.Args[2:]))
		case "asker":
			os.Exit(beAsker(os.Args[2], os.Args[3]))
		case "odd":
			os.Exit(beOdd(os.Args[2:]))
		case "broken":
			fmt.Fprintln(os.Stderr, "no device")
			os.Exit(1)
		}
	}
	if checkout, err := filepath.Abs(".."); err == nil {
		os.Setenv("FSNET_SOURCE", checkout) // what cells import, whatever is installed
	}
	os.Exit(m.Run())
}

// keepRuns is set for hosts that write checkpoints.
const keepRuns = testhost.KeepRuns

func runKernel(file string) int {
	k, err := New(Options{ConnectionFile: file, NoGo: os.Getenv(withoutGo) != "", Host: []string{os.Args[0], "host"}})
	if err == nil {
		err = k.Run(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return fault.ExitStatus(err)
}
