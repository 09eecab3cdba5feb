package gonb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
