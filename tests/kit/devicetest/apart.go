package devicetest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// MainApart runs a package's tests and exits. The named tests compare values to
// a tolerance. They run first, in another process, in which XLA compiles as
// [Unoptimise] sets it. The others compile as for users. All tests run in this
// process if FSNET_TEST_UNOPTIMISED is not set, if XLA_FLAGS is set, or if you
// choose tests by name.
func MainApart(m *testing.M, names ...string) {
	flag.Parse()
	if os.Getenv(unoptimised) == "" || os.Getenv(xlaFlags) != "" || flag.Lookup("test.run").Value.String() != "" {
		os.Exit(m.Run())
	}
	these := "^(" + strings.Join(names, "|") + ")$"
	failed := runApart(these)
	skip := flag.Lookup("test.skip").Value
	if err := skip.Set(strings.TrimPrefix(skip.String()+"|"+these, "|")); err != nil {
		panic(err)
	}
	status := m.Run()
	if failed != nil && status == 0 {
		fmt.Println("FAIL: the tests apart:", failed)
		status = 1
	}
	os.Exit(status)
}

// runApart runs these tests in another process with the same output.
func runApart(these string) error {
	var arguments []string
	for _, argument := range os.Args[1:] {
		if !strings.HasPrefix(argument, "-test.testlogfile=") { // go test's record of what this process reads
			arguments = append(arguments, argument)
		}
	}
	child := exec.Command(os.Args[0], append(arguments, "-test.run="+these)...)
	child.Env = append(os.Environ(), xlaFlags+"="+unoptimisedFlags)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	return child.Run()
}
