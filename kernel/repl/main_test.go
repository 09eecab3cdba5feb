package repl

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/kernel/magic"
	"fsnetlab/tests/kit/testhost"
)

// The test binary is also the processes of its tests: a host with an engine for tests, a doctor, a comparison that hangs, and a terminal.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "host":
			os.Exit(testhost.Run(os.Args[2:]))
		case "doctor":
			fmt.Println("✓ everything is fine")
			os.Exit(0)
		case "compare":
			signal.Ignore(os.Interrupt)
			fmt.Fprintln(os.Stderr, `{"done": 1, "total": 4, "what": "svm"}`)
			time.Sleep(time.Hour) // until it is killed
		case "repl":
			err := Run(context.Background(), options(os.Stdin, os.Stdout, os.Stderr))
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			os.Exit(errs.ExitStatus(err))
		}
	}
	os.Exit(m.Run())
}

func options(in, out, err *os.File) Options {
	compare := magic.Program{Name: "compare", Flags: []magic.Flag{{Name: "methods"}, {Name: "k"}, {Name: "splits"}, {Name: "progress"}}}
	return Options{Version: "test", In: in, Out: out, Err: err, Host: []string{os.Args[0], "host"}, Doctor: []string{os.Args[0], "doctor"},
		Programs: []magic.Program{compare}}
}

// limit is how long anything may take before it is said to hang; no test waits for it to pass.
const limit = time.Minute

const (
	openShort = "open leukemia data=planted k=3 batch=8 epochs=20 stop=never"
	openLong  = "open leukemia data=planted k=3 batch=8 epochs=1000000000 stop=never"
)

// workIn begins in an empty directory, with an empty history.
func workIn(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv(testhost.KeepRuns, "1")
}

// run runs a script and gives what it wrote.
func run(t *testing.T, lines ...string) (out, errors string, err error) {
	t.Helper()
	return runContext(t.Context(), t, lines...)
}

func runContext(ctx context.Context, t *testing.T, lines ...string) (out, errors string, err error) {
	t.Helper()
	dir := t.TempDir()
	var files [2]*os.File
	for i, name := range []string{"out", "err"} {
		f, e := os.Create(filepath.Join(dir, name))
		if e != nil {
			t.Fatal(e)
		}
		defer f.Close()
		files[i] = f
	}
	o := options(nil, files[0], files[1])
	o.Script = strings.NewReader(strings.Join(lines, "\n"))
	err = Run(ctx, o)
	return read(t, files[0].Name()), read(t, files[1].Name()), err
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(text, '\x1b') {
		t.Errorf("%s has escape sequences: %q", filepath.Base(path), text)
	}
	return string(text)
}
