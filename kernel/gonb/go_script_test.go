package gonb

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fsnetlab/kernel/internal/process"
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
	if want := "module cells\n\ngo 1.26.5\n\nrequire fsnetlab v0.0.0\n\nreplace fsnetlab => \"" + w.Source + "\"\n"; err != nil ||
		string(text) != want {
		t.Errorf("go.mod is %q, want %q", text, want)
	}
	if out, asked, err := run(module, "build", "-o", "x"); err != nil ||
		asked != "build -o x\nget\nbuild -o x\n" || !strings.Contains(out, "built") {
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

// A directory of the user's own is found without the network, which does not hear its name, also where something else must be asked for.
func TestOwnDirectoriesAreNotAskedFor(t *testing.T) {
	_, o := stage(t)
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var asked strings.Builder
	proxy := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		asked.WriteString(r.URL.Path + "\n")
		http.NotFound(answer, r)
	}))
	defer proxy.Close()
	module, mine := filepath.Join(w.temp(), "gonb_1a2b"), t.TempDir()
	write(t, filepath.Join(mine, "go.mod"), "module secret.test/my/own\n\ngo 1.26\n")
	write(t, filepath.Join(mine, "in", "in.go"), "package in\n\nfunc F() {}\n")
	write(t, filepath.Join(module, "go.mod"), "module cells\n\ngo 1.26\n\nreplace secret.test/my/own => "+mine+"\n")
	build := func(more string) string {
		t.Helper()
		write(t, filepath.Join(module, "main.go"), "package main\n\nimport \"secret.test/my/own/in\"\n"+more+"\nfunc main() { in.F() }\n")
		cmd := exec.Command(filepath.Join(w.bin(), "go"), "build", "-o", "x")
		cmd.Dir = module
		cmd.Env = append(w.environment(), "FSNET_REAL_GO=go", "PWD="+module, "GOPROXY="+proxy.URL, "GOSUMDB=off", "PATH="+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		return fmt.Sprint(string(out), err)
	}
	if said := build("import _ \"public.test/other\""); !strings.Contains(said, "public.test/other") || strings.Contains(asked.String(), "secret") {
		t.Errorf("%q, asked\n%s", said, asked.String())
	}
	asked.Reset()
	if said := build(""); said != "<nil>" || asked.Len() > 0 {
		t.Errorf("%q, asked\n%s", said, asked.String())
	}
}

// What a cell imports is looked up after it, and those after it are built by the compiler and the linker alone: until its imports, its
// module or a source of a directory are others. What is not for them is left to the go command.
func TestQuickBuildsWithWhatWasLookedUp(t *testing.T) {
	_, o := stage(t)
	o.Mark = "this kernel"
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	module := filepath.Join(w.temp(), "gonb_1a2b")
	write(t, filepath.Join(module, "go.mod"), "module cells\n")
	state := t.TempDir()
	log, settings, tools := filepath.Join(state, "log"), filepath.Join(state, "settings"), filepath.Join(state, "tools")
	near := filepath.Join(state, "near's by")
	write(t, filepath.Join(near, "by.go"), "package by\n")
	write(t, settings, "")
	program(t, tools, "compile", "echo compile >>"+log)
	program(t, tools, "link", "echo link >>"+log+"; : >\"$7\"; sleep 0.05") // of -o
	replaced := `"Module":{"GoMod":"` + near + `/by.go","Replace":{}}`
	w.Tools.Go = program(t, t.TempDir(), "go", `
echo "$1" >>`+log+`
case $1,$2 in
build,*) echo built ;;
list,-deps)
	cat <<'END'
`+near+`
`+near+`/by.go

END
	;;
list,-export)
	[ -z "$`+process.Mark+`" ] || exit 1 # an interrupt ends what bears it
	cat <<'END'
{"ImportPath":"runtime/cgo","Export":"/c"}
{"ImportPath":"fmt","Export":"/fmt"}
{"ImportPath":"os/user","Export":"/u","Deps":["runtime/cgo"]}
{"ImportPath":"near.test/by","Dir":"`+near+`","Export":"/by",`+replaced+`}
{"ImportPath":"near.test/by/c","Dir":"`+near+`","Export":"/byc","CFiles":["x.c"],`+replaced+`}
{"ImportPath":"cells","Export":"/main","Module":{"Main":true,"GoVersion":"1.26.5"}}
END
	;;
env,-changed) cat `+settings+` ;;
env,*) echo `+tools+` ;;
esac`)
	cell := func(imports ...string) {
		t.Helper()
		write(t, filepath.Join(module, "main.go"),
			"package main\n\nimport (\n\t\"flag\"\n\t\""+strings.Join(imports, "\"\n\t\"")+"\"\n)\n\nfunc main() {}\n")
	}
	lookUp := func() {
		t.Helper()
		w.LookUp()
		for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			w.lookups.mu.Lock()
			running := w.lookups.running
			w.lookups.mu.Unlock()
			if !running {
				return
			}
			if time.Now().After(end) {
				t.Fatal("it is still being looked up")
			}
		}
	}
	asked := func(want string) {
		t.Helper()
		text, _ := os.ReadFile(log)
		os.Remove(log)
		if got := strings.Join(strings.Fields(string(text)), " "); got != want {
			t.Errorf("asked is %q, not %q", got, want)
		}
	}
	build := func(want string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(w.bin(), "go"), "build", "-o", "x")
		cmd.Dir, cmd.Env = module, append(w.environment(), "PWD="+module)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		asked(want)
	}
	const looking = "env env list list"

	cell("fmt")
	build("build")
	lookUp()
	asked(looking)
	build("compile link")
	lookUp()
	asked("")
	// A cell that is run again is not linked again, unless something else lies in its place.
	again := func(want bool) {
		t.Helper()
		cmd := exec.Command(filepath.Join(w.bin(), "go"), "build", "-o", "x")
		cmd.Dir, cmd.Env = module, append(w.environment(), "PWD="+module)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, _ := os.ReadFile(log)
		os.Remove(log)
		if got := !strings.Contains(string(text), "link"); got != want || strings.Contains(string(text), "build") {
			t.Errorf("the program is taken for built: %v, want %v: %q", got, want, text)
		}
	}
	again(true)
	write(t, filepath.Join(module, "x"), "a test's program")
	again(false)
	again(true)
	if err := os.Remove(filepath.Join(module, "x")); err != nil {
		t.Fatal(err)
	}
	again(false)
	cell("fmt\"\n\t_ \"errors")
	again(false)
	program(t, tools, "link", "exit 1")
	cell("fmt")
	build("compile build")
	build("compile build") // the program there is not that of the cell
	program(t, tools, "link", "echo link >>"+log+"; : >\"$7\"; sleep 0.05")

	cell("fmt", "os/user", "near.test/by", "near.test/by/c")
	lookUp()
	asked(looking)
	found, err := filepath.Glob(filepath.Join(w.Directory(), "lookup-*", "imports"))
	if err != nil || len(found) != 2 {
		t.Fatalf("%v, %v", found, err)
	}
	direct := ""
	for _, path := range found {
		text, _ := os.ReadFile(path)
		direct = max(direct, string(text)) // of more packages
	}
	if direct != "packagefile fmt=/fmt\npackagefile near.test/by=/by\n" {
		t.Errorf("cells may import %q", direct)
	}
	build("compile link")

	write(t, filepath.Join(near, "more.go"), "package by\n")
	build("compile build")
	lookUp()
	asked(looking)
	build("compile link")
	// One that says that it is older than what was looked up, as of cp -p.
	write(t, filepath.Join(near, "more.go"), "package yb\n")
	if err := os.Chtimes(filepath.Join(near, "more.go"), time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	build("compile build")
	lookUp()
	asked(looking)
	build("compile link")
	left := func() []string {
		t.Helper()
		directories, err := filepath.Glob(filepath.Join(w.Directory(), "lookup-*"))
		if err != nil {
			t.Fatal(err)
		}
		return directories
	}
	if n := len(left()); n != 2 { // of three answers the first is gone
		t.Errorf("%d answers lie there", n)
	}

	// What was asked in vain is asked again after the next cell, though the answer before it stands.
	cell("fmt", "archive/tar")
	write(t, settings, "GOARCH='riscv64'\n")
	lookUp()
	asked("env")
	write(t, settings, "")
	lookUp()
	asked(looking)

	write(t, filepath.Join(module, "go.mod"), "module cells\n\ngo 1.26\n")
	build("compile build")
	write(t, settings, "GOARCH='riscv64'\n")
	lookUp()
	asked("env")
	build("compile build")
	if n := len(left()); n != 2 { // nothing is left of the question without an answer
		t.Errorf("%d answers lie there", n)
	}
}
