package gonb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/home"
	"fsnetlab/kernel/internal/process"
)

// program writes a script that can be found as a tool.
func program(t *testing.T, dir, name, script string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// stage is a home with tools that do nothing and a source to import from.
func stage(t *testing.T) (home string, o Options) {
	t.Helper()
	home = t.TempDir()
	for _, tool := range []string{"gonb", "goimports", "go"} {
		program(t, filepath.Join(home, "bin"), tool, "exit 0")
	}
	write(t, filepath.Join(home, "src", "go.mod"), "module fsnetlab\n\ngo 1.26.5\n")
	t.Setenv("FSNET_SOURCE", "")
	t.Setenv("TMPDIR", t.TempDir())
	return home, Options{Home: home, ConnectionFile: "/run/kernel-12-ab.json", Sockets: t.TempDir(), CellSocket: "/run/cells"}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFindNamesWhatIsMissing(t *testing.T) {
	home, _ := stage(t)
	tools, err := Find(home)
	if err != nil || tools.GoNB != filepath.Join(home, "bin", "gonb") {
		t.Errorf("%+v, %v", tools, err)
	}
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("GOBIN", "/nonexistent")
	if err := os.Chmod(filepath.Join(home, "bin", "gonb"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(home); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "gonb") || !strings.Contains(err.Error(), "install.sh") {
		t.Errorf("without gonb: %v", err)
	}
	bin := t.TempDir()
	program(t, bin, "gonb", "")
	t.Setenv("PATH", bin)
	if tools, err := Find(home); err != nil || tools.GoNB != filepath.Join(bin, "gonb") {
		t.Errorf("on the PATH: %+v, %v", tools, err)
	}
}

func TestHome(t *testing.T) {
	t.Setenv("FSNET_HOME", "")
	t.Setenv("XDG_DATA_HOME", "/data")
	if got := home.Directory(); got != "/data/fsnet" {
		t.Error(got)
	}
	t.Setenv("FSNET_HOME", "/elsewhere")
	if got := home.Directory(); got != "/elsewhere" {
		t.Error(got)
	}
}

func TestSource(t *testing.T) {
	home, _ := stage(t)
	if got := Source(home); got != filepath.Join(home, "src") {
		t.Errorf("installed: %q", got)
	}
	checkout := t.TempDir()
	write(t, filepath.Join(checkout, "go.mod"), "// comment\nmodule \"fsnetlab\"\ngo 1.30\n")
	t.Setenv("FSNET_SOURCE", checkout)
	if got := Source(home); got != checkout {
		t.Errorf("told: %q", got)
	}
	write(t, filepath.Join(checkout, "go.mod"), "module other\n")
	if got := Source(home); got != filepath.Join(home, "src") {
		t.Errorf("told another module: %q", got)
	}
	deep := filepath.Join(t.TempDir(), "a", "b")
	write(t, filepath.Join(deep, "x"), "")
	write(t, filepath.Join(filepath.Dir(filepath.Dir(deep)), "go.mod"), "module fsnetlab\n")
	t.Setenv("FSNET_SOURCE", "")
	t.Chdir(deep)
	if got := Source("/nonexistent"); got != filepath.Dir(filepath.Dir(deep)) {
		t.Errorf("around the working directory: %q", got)
	}
	t.Chdir("/")
	if got := Source("/nonexistent"); got != "" {
		t.Errorf("none: %q", got)
	}
}

func TestWorkspace(t *testing.T) {
	_, o := stage(t)
	t.Setenv("GOFLAGS", "-mod=mod")
	left := filepath.Join(os.TempDir(), workspacePrefix+"999999999-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	used, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("what a dead kernel left is still there")
	}
	if _, err := os.Stat(used.moduleFile()); err != nil {
		t.Error("what a living kernel uses is gone")
	}
	env := w.environment()
	for _, want := range []string{
		"GOFLAGS=-mod=mod '-ldflags=-s -w'", "GOMLX_NO_AUTO_INSTALL=1", "FSNET_SOCKET=/run/cells", "TMPDIR=" + w.temp(),
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, e := range env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok && !strings.HasPrefix(path, w.bin()+":") {
			t.Errorf("the PATH is %s", path)
		}
	}
	if prelude := w.Prelude(); !strings.Contains(prelude, `import "fsnetlab/fsnet/session"`) || strings.Contains(prelude, "widgets") {
		t.Errorf("without widgets the prelude is %q", prelude)
	}
	write(t, filepath.Join(w.Source, "widgets", "widgets.go"), "package widgets\n")
	if prelude := w.Prelude(); !strings.Contains(prelude, `import "fsnetlab/widgets"`) {
		t.Errorf("the prelude is %q", prelude)
	}
	write(t, filepath.Join(w.temp(), "gonb_1a", "main.go"), "")
	write(t, filepath.Join(o.Sockets, socketName+"-1"), "")
	w.tidy()
	if list, err := os.ReadDir(w.temp()); err != nil || len(list) > 0 {
		t.Errorf("tidied, there are %v, %v", list, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.Directory()); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
}

// The go script is run as GoNB runs it, before a go that writes down what it is asked.
func TestGoScript(t *testing.T) {
	_, o := stage(t)
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	module := filepath.Join(w.temp(), "gonb_1a2b")
	if err := os.Mkdir(module, 0o700); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	// It knows example.test/a once it was told to get it.
	behind := program(t, t.TempDir(), "go", `
echo "$*" >>`+log+`
case $1 in
build) [ -f known ] || { echo 'main.go:3:8: no required module provides package example.test/a; to add it:' >&2; exit 1; }; echo built ;;
get) touch known ;;
vet) echo 'some output'; exit 7 ;;
esac`)
	run := func(dir string, args ...string) (string, string, error) {
		os.Remove(log)
		cmd := exec.Command(filepath.Join(w.bin(), "go"), args...)
		cmd.Dir = dir
		cmd.Env = append(w.environment(), "FSNET_REAL_GO="+behind, "PWD="+dir)
		out, err := cmd.CombinedOutput()
		asked, _ := os.ReadFile(log)
		return string(out), string(asked), err
	}
	if out, asked, err := run(module, "mod", "init", "gonb_1a2b"); err != nil || asked != "" {
		t.Errorf("mod init: %q asked %q, %v", out, asked, err)
	}
	text, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if want := "module gonb_1a2b\n\ngo 1.26.5\n\nrequire fsnetlab v0.0.0\n\nreplace fsnetlab => \"" + w.Source + "\"\n"; err != nil || string(text) != want {
		t.Errorf("go.mod is %q, want %q", text, want)
	}
	for _, args := range [][]string{{"get"}, {"get", "-t"}} {
		if out, asked, err := run(module, args...); err != nil || asked != "" {
			t.Errorf("%v: %q asked %q, %v", args, out, asked, err)
		}
	}
	if out, asked, err := run(module, "build", "-o", "x"); err != nil || asked != "build -o x\nget\nbuild -o x\n" || !strings.Contains(out, "built") {
		t.Errorf("a build that misses a package: %q asked %q, %v", out, asked, err)
	}
	if out, asked, err := run(module, "build"); err != nil || asked != "build\n" || out != "built\n" {
		t.Errorf("a build: %q asked %q, %v", out, asked, err)
	}
	if out, asked, err := run(module, "vet"); err == nil || asked != "vet\n" || out != "some output\n" {
		t.Errorf("another verb: %q asked %q, %v", out, asked, err)
	}
	if _, asked, err := run(module, "get", "example.test/a@v1"); err != nil || asked != "get example.test/a@v1\n" {
		t.Errorf("get of a module asked %q, %v", asked, err)
	}
	elsewhere := t.TempDir()
	if _, asked, err := run(elsewhere, "get"); err != nil || asked != "get\n" {
		t.Errorf("elsewhere get asked %q, %v", asked, err)
	}
	if _, asked, err := run(elsewhere, "mod", "init", "mine"); err != nil || asked != "mod init mine\n" {
		t.Errorf("elsewhere mod init asked %q, %v", asked, err)
	}
}

// What is learnt after a build can be cut short, as by an interrupt of the cell: then the next build learns it, and those after it are
// quick. What cannot be learnt is not tried again.
func TestGoScriptLearnsAgain(t *testing.T) {
	_, o := stage(t)
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	module := filepath.Join(w.temp(), "gonb_1a2b")
	write(t, filepath.Join(module, "go.mod"), "module gonb_1a2b\n")
	state := t.TempDir()
	log, hangs, foreign := filepath.Join(state, "log"), filepath.Join(state, "hangs"), filepath.Join(state, "foreign")
	tools := filepath.Join(state, "tools")
	program(t, tools, "compile", "echo compile >>"+log)
	program(t, tools, "link", "echo link >>"+log)
	behind := program(t, t.TempDir(), "go", `
echo "$1" >>`+log+`
case $1 in
build) echo built ;;
list)
	[ ! -f `+hangs+` ] || { echo $PPID $$ >`+hangs+`; exec sleep 600; }
	case $2 in
	-export) echo packagefile fmt=/x; [ ! -f `+foreign+` ] || echo other files ;;
	*) echo "1.26 " ;;
	esac ;;
env) [ "$2" != GOTOOLDIR ] || echo `+tools+` ;;
esac`)
	build := func(imports string) {
		t.Helper()
		write(t, filepath.Join(module, "main.go"), "package main\n\nimport (\n\t\""+imports+"\"\n)\n\nfunc main() {}\n")
		cmd := exec.Command(filepath.Join(w.bin(), "go"), "build", "-o", "x")
		cmd.Dir, cmd.Env = module, append(w.environment(), "FSNET_REAL_GO="+behind, "PWD="+module, "TMPDIR="+w.temp())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	// asked is what the script has started, once that is n programs.
	asked := func(n int) string {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			text, _ := os.ReadFile(log)
			if list := strings.Fields(string(text)); len(list) >= n {
				os.Remove(log)
				return strings.Join(list, " ")
			}
			if time.Now().After(end) {
				t.Fatalf("%d programs were to be started, these were: %q", n, text)
			}
		}
	}
	sets := func(n int) {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			found, err := filepath.Glob(filepath.Join(w.Directory(), "sets", "*"))
			if err == nil && len(found) == n {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d sets are learnt, want %d", len(found), n)
			}
		}
	}

	write(t, hangs, "")
	build("fmt")
	asked(2)              // build and list
	var learning []string // the script and the program that it waits for
	for end := time.Now().Add(time.Minute); len(learning) < 2; time.Sleep(5 * time.Millisecond) {
		text, _ := os.ReadFile(hangs)
		learning = strings.Fields(string(text))
		if time.Now().After(end) {
			t.Fatal("nothing is learnt")
		}
	}
	for _, id := range learning {
		if pid, err := strconv.Atoi(id); err != nil || syscall.Kill(pid, syscall.SIGTERM) != nil {
			t.Fatalf("process %s cannot be ended: %v", id, err)
		}
	}
	if err := os.Remove(hangs); err != nil {
		t.Fatal(err)
	}
	build("fmt")
	sets(1)
	if got := asked(5); got != "build list list env env" {
		t.Errorf("after the interrupt it asks %q", got)
	}
	build("fmt")
	if got := asked(2); got != "compile link" {
		t.Errorf("learnt, it asks %q", got)
	}

	write(t, foreign, "")
	build("os")
	sets(2)
	asked(4)
	for range 2 {
		build("os")
		if got := asked(1); got != "build" {
			t.Errorf("of what cannot be learnt it asks %q", got)
		}
	}
}

func TestQuoteIsTheLastFatalLine(t *testing.T) {
	c := &Child{log: new(process.Tail)}
	for range 1000 {
		fmt.Fprintln(c.log, "I1121 all is well, Fine even")
	}
	if c.quote() != "" {
		t.Errorf("of no error: %q", c.quote())
	}
	fmt.Fprint(c.log, "F1121 12:00 main.go:3] \x1b[7mfailed\x1b[0m\nI1121 more\n")
	if got := c.quote(); got != ": F1121 12:00 main.go:3] failed" {
		t.Errorf("of an error: %q", got)
	}
}
