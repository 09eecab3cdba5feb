package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fsnetlab/internal/system"
	"fsnetlab/kernel/gonb"
	"fsnetlab/tests/kit/devicetest"
)

// asProgram in the environment makes the test binary the program itself: with its processes, its signals and its exit status.
const asProgram = "FSNET_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Setenv(historyVariable, "off") // what tests run is not the user's
	devicetest.Main(m)
}

// programCommand runs the test binary as the program.
func programCommand(ctx context.Context, args ...string) (*exec.Cmd, error) {
	repository, err := filepath.Abs("../..")
	command := exec.CommandContext(ctx, os.Args[0], args...)
	command.Env = append(os.Environ(), asProgram+"=1", "FSNET_SOURCE="+repository)
	return command, err
}

// shortDirectory is a directory for sockets, which need shorter paths than t.TempDir gives.
func shortDirectory(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	return directory
}

// testKernel is a kernel of the program, which works in a directory of its own.
type testKernel struct {
	*kernelProcess
	log string // the file
}

func newTestKernel(t *testing.T) *testKernel {
	t.Helper()
	temporary := shortDirectory(t)
	command, err := programCommand(t.Context(), "kernel", "--connection-file")
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	command.Dir, command.Stderr = t.TempDir(), log
	command.Env = append(command.Env, "TMPDIR="+temporary, "XDG_RUNTIME_DIR="+temporary)
	k, err := startKernel(t.Context(), command, temporary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.stop)
	return &testKernel{k, log.Name()}
}

func (k *kernelProcess) id() int { return k.command.Process.Pid }

// warm opens a session and, where there are Go cells, starts what they need. It reports whether there are.
func (k *testKernel) warm(t *testing.T) (golang bool) {
	t.Helper()
	cells := []string{openBenchSession}
	if _, err := gonb.FindTools(system.Home()); err != nil {
		t.Log("NOT TESTED: Go cells: ", err)
	} else {
		golang = true
		cells = append(cells, "%%\nfmt.Println(1)")
	}
	for _, code := range cells {
		if err := runCell(t.Context(), k.front, code); err != nil {
			t.Fatal(err)
		}
	}
	if golang {
		if _, err := firstCompletion(t.Context(), k.front); err != nil {
			t.Fatal(err)
		}
	}
	return golang
}
