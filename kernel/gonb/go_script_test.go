package gonb

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

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
