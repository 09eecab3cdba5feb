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
