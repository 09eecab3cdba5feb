package gonb

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
	"fsnetlab/kernel/internal/process"
	"fsnetlab/kernel/jupyter"
)

// writeScript writes a script that can be found as a tool.
func writeScript(t *testing.T, dir, name, script string) string {
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
		writeScript(t, filepath.Join(home, "bin"), tool, "exit 0")
	}
	write(t, filepath.Join(home, "src", "go.mod"), "module fsnetlab\n\ngo 1.26.5\n")
	write(t, filepath.Join(home, "src", "fsnet", "session", "session.go"), "package session\n")
	t.Setenv("FSNET_SOURCE", "")
	temporary := filepath.Join(t.TempDir(), "[a]*") // a name is no pattern
	if err := os.MkdirAll(temporary, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temporary)
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

// A missing tool is named, and tools on the PATH are found.
func TestFindTools_NamesWhatIsMissing(t *testing.T) {
	home, _ := stage(t)
	tools, err := FindTools(home)
	if err != nil || tools.GoNB != filepath.Join(home, "bin", "gonb") {
		t.Errorf("%+v, %v", tools, err)
	}
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("GOBIN", "/nonexistent")
	if err := os.Chmod(filepath.Join(home, "bin", "gonb"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := FindTools(home); !errs.Is(err, errs.Unavailable) || !errors.Is(err, exec.ErrNotFound) ||
		!strings.Contains(err.Error(), "gonb") || !strings.Contains(err.Error(), "install.sh") {
		t.Errorf("without gonb: %v", err)
	}
	bin := t.TempDir()
	writeScript(t, bin, "gonb", "")
	t.Setenv("PATH", bin)
	if tools, err := FindTools(home); err != nil || tools.GoNB != filepath.Join(bin, "gonb") {
		t.Errorf("on the PATH: %+v, %v", tools, err)
	}
}

// The home is $FSNET_HOME, or else fsnet in the user's data directory.
func TestHome_Environment(t *testing.T) {
	t.Setenv("FSNET_HOME", "")
	t.Setenv("XDG_DATA_HOME", "/data")
	if got := system.Home(); got != "/data/fsnet" {
		t.Error(got)
	}
	t.Setenv("FSNET_HOME", "/elsewhere")
	if got := system.Home(); got != "/elsewhere" {
		t.Error(got)
	}
}

// The source is found where it is installed, where $FSNET_SOURCE says, or
// around the working directory.
func TestFindSource_Places(t *testing.T) {
	home, _ := stage(t)
	if got := FindSource(home); got != filepath.Join(home, "src") {
		t.Errorf("installed: %q", got)
	}
	checkout := t.TempDir()
	write(t, filepath.Join(checkout, "go.mod"), "// comment\nmodule \"fsnetlab\"\ngo 1.30\n")
	t.Setenv("FSNET_SOURCE", checkout)
	if got := FindSource(home); got != checkout {
		t.Errorf("told: %q", got)
	}
	write(t, filepath.Join(checkout, "go.mod"), "module other\n")
	if got := FindSource(home); got != filepath.Join(home, "src") {
		t.Errorf("told another module: %q", got)
	}
	deep := filepath.Join(t.TempDir(), "a", "b")
	write(t, filepath.Join(deep, "x"), "")
	write(t, filepath.Join(filepath.Dir(filepath.Dir(deep)), "go.mod"), "module fsnetlab\n")
	t.Setenv("FSNET_SOURCE", "")
	t.Chdir(deep)
	if got := FindSource("/nonexistent"); got != filepath.Dir(filepath.Dir(deep)) {
		t.Errorf("around the working directory: %q", got)
	}
	t.Chdir("/")
	if got := FindSource("/nonexistent"); got != "" {
		t.Errorf("none: %q", got)
	}
}

// A workspace has all that a cell needs, and a new one removes those that dead
// kernels left.
func TestNewWorkspace_Content(t *testing.T) {
	_, o := stage(t)
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
		"GOMLX_NO_AUTO_INSTALL=1", "FSNET_SOCKET=/run/cells", "TMPDIR=" + w.temp(),
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s", want)
		}
	}
	installer, err := os.ReadFile(filepath.Join("..", "..", "install", "lib.sh"))
	if err != nil || !strings.Contains(string(installer), "GOFLAGS=\"-mod=mod "+cellFlags+"\"") {
		t.Errorf("the installer compiles the packages of cells with other flags than %s, so that the first cell does it again: %v",
			cellFlags, err)
	}
	for _, e := range env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok && !strings.HasPrefix(path, w.bin()+":") {
			t.Errorf("the PATH is %s", path)
		}
	}
	if prelude := w.prelude(); !strings.Contains(prelude, `import "fsnetlab/fsnet/session"`) || strings.Contains(prelude, "widgets") {
		t.Errorf("without widgets the prelude is %q", prelude)
	}
	write(t, filepath.Join(w.Source, "widgets", "widgets.go"), "package widgets\n")
	if prelude := w.prelude(); !strings.Contains(prelude, `import "fsnetlab/widgets"`) {
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
	if _, err := os.Stat(w.directory.Path); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
}

// What other programs delete from the workspace is restored, in whole or in
// part, with the directory in which GoNB compiles.
func TestWorkspace_Restore(t *testing.T) {
	_, o := stage(t)
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	module := filepath.Join(w.temp(), "gonb_1a2b", "go.mod")
	write(t, module, "module cells\n")
	if err := w.Restore(); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{os.TempDir(), w.Directory(), w.bin(), w.temp(), w.watchScript(), filepath.Dir(module), filepath.Join(w.Directory(), "lock")} {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
		if err := w.Restore(); err != nil {
			t.Errorf("without %s: %v", gone, err)
		}
		for name := range w.files() {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("without %s: %v", gone, err)
			}
		}
		if text, err := os.ReadFile(module); !strings.HasPrefix(string(text), "module cells\n") {
			t.Errorf("without %s there is no module: %v", gone, err)
		}
	}
	// Another kernel leaves it alone, and removes it where this one has gone.
	other, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	other.Close()
	if _, err := os.Stat(module); err != nil {
		t.Errorf("another kernel has removed it: %v", err)
	}
}

// If the temporary directory is full, or can't hold programs that run, the
// error names it and says what to do.
func TestNewWorkspace_BadTemporaryDirectory(t *testing.T) {
	_, o := stage(t)
	for options, want := range map[string]string{"noexec,size=1m": "mounted noexec", "size=8k": "free some space"} {
		dir := t.TempDir()
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED: mount: %v: %s", err, out)
		}
		t.Setenv("TMPDIR", dir)
		w, err := NewWorkspace(o)
		if err == nil {
			w.Close()
		}
		if !errs.Is(err, errs.Failed) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want the directory and %q", options, err, want)
		}
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	}
}

// Go works without a home, and with one that isn't writable. It uses what is
// there.
func TestWorkspace_WithoutHome(t *testing.T) {
	_, o := stage(t)
	home := t.TempDir()
	write(t, filepath.Join(home, "file"), "")
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	for at, own := range map[string]bool{"": true, filepath.Join(home, "file"): true, home: false} {
		t.Setenv("HOME", at)
		if err := os.Remove(filepath.Join(o.Home, "bin", "go")); err != nil {
			t.Fatal(err)
		}
		real, err := exec.LookPath("go")
		if err == nil {
			err = os.Symlink(real, filepath.Join(o.Home, "bin", "go"))
		}
		if err != nil {
			t.Fatal(err)
		}
		w, err := NewWorkspace(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, environment := range [][]string{w.environment(), w.ExplainEnvironment()} {
			cmd := exec.Command(real, "list", "fmt")
			cmd.Dir, cmd.Env = t.TempDir(), environment
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("with the home %q: %v: %s", at, err, out)
			}
			if in := slices.ContainsFunc(environment, func(e string) bool { return strings.HasPrefix(e, "GOCACHE="+w.Directory()) }); in != own {
				t.Errorf("with the home %q the cache is the kernel's own: %v, want %v", at, in, own)
			}
		}
		if w.KeepsOwnCache() != own {
			t.Errorf("with the home %q it is said that the cache is the kernel's own: %v", at, !own)
		}
		w.Close()
	}
}

// Whatever a user has set for other Go programs, cells are built for this
// machine with our flags. The note tells what is ignored, and it stays in force
// outside GoNB's directory.
func TestWorkspace_UserSettings(t *testing.T) {
	real, err := exec.LookPath("go")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	file := filepath.Join(t.TempDir(), "env")
	write(t, file, "GOFLAGS=-mod=vendor\nGOOS=plan9\nGOPROXY=https://proxy.test\n")
	_, o := stage(t)
	writeScript(t, filepath.Join(o.Home, "bin"), "go", "exec "+real+` "$@"`)
	for name, c := range map[string]struct{ set, ignored []string }{
		"nothing":         {nil, nil},
		"flags":           {[]string{"GOFLAGS=-mod=vendor"}, []string{"GOFLAGS=-mod=vendor"}},
		"bad flags":       {[]string{"GOFLAGS=nonsense"}, []string{"GOFLAGS=nonsense"}},
		"no modules":      {[]string{"GO111MODULE=off"}, []string{"GO111MODULE=off"}},
		"another system":  {[]string{"GOOS=windows", "GOARCH=arm64"}, []string{"GOOS=windows", "GOARCH=arm64"}},
		"another go":      {[]string{"GOTOOLCHAIN=go1.20.1", "GOROOT=/bad"}, []string{"GOTOOLCHAIN=go1.20.1", "GOROOT=/bad"}},
		"a machine":       {[]string{"GOAMD64=v9", "GOEXPERIMENT=none such"}, []string{"GOEXPERIMENT=none such", "GOAMD64=v9"}},
		"no directory":    {[]string{"GOTMPDIR=/nonexistent", "GOWORK=/nonexistent"}, []string{"GOWORK=/nonexistent", "GOTMPDIR=/nonexistent"}},
		"relative paths":  {[]string{"GOPATH=here", "GOCACHE=there"}, []string{"GOPATH=here", "GOCACHE=there"}},
		"no cache":        {[]string{"GOCACHE=off"}, nil},
		"a file":          {[]string{"GOENV=" + file}, nil},
		"the same system": {[]string{"GOOS=" + runtime.GOOS, "GO111MODULE=auto", "GOTOOLCHAIN=local"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			elsewhere := t.TempDir()
			for _, e := range c.set {
				key, value, _ := strings.Cut(e, "=")
				t.Setenv(key, value)
			}
			w, err := NewWorkspace(o)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if got := w.IgnoredSettings(); !slices.Equal(got, c.ignored) {
				t.Errorf("left out is %q, want %q", got, c.ignored)
			}
			module := filepath.Join(w.temp(), "gonb_1a2b")
			write(t, filepath.Join(module, "go.mod"), "module cells\n\ngo 1.21\n")
			write(t, filepath.Join(module, "main.go"), "package main\n\nfunc main() { println(3) }\n")
			run := func(dir string, environment []string, words ...string) string {
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Dir, cmd.Env = dir, append(environment, "PWD="+dir)
				out, _ := cmd.CombinedOutput()
				return string(out)
			}
			script := filepath.Join(w.bin(), "go")
			want := "cells " + runtime.GOOS + " " + runtime.GOARCH + "\n"
			const what = "{{.ImportPath}} {{context.GOOS}} {{context.GOARCH}}"
			if said := run(module, w.environment(), script, "list", "-f", what, "."); said != want {
				t.Errorf("go says %s, want %s", said, want)
			}
			if said := run(module, w.ExplainEnvironment(), real, "list", "-f", what, "."); said != want {
				t.Errorf("as gopls asks it, go says %s, want %s", said, want)
			}
			if said := run(module, w.environment(), script, "env", "GOFLAGS", "GOAMD64"); !strings.HasPrefix(said, cellFlags) || strings.Contains(said, "v9") {
				t.Errorf("the flags are %s", said)
			}
			if said := run(module, w.environment(), script, "env", "GOPROXY"); name == "a file" && said != "https://proxy.test\n" {
				t.Errorf("the proxy is %q", said)
			}
			cell := append(w.environment(), "TMPDIR=/nonexistent", "GOCACHE=off", "GOPATH=rel", "GOMODCACHE=rel") // by %env
			if said := run(module, cell, script, "list", "-f", what, "."); said != want {
				t.Errorf("after %%env go says %s", said)
			}
			if said := run(elsewhere, w.environment(), script, "env", "GOFLAGS"); name == "flags" && said != "-mod=vendor\n" {
				t.Errorf("elsewhere the flags are %q", said)
			}
		})
	}
	if _, err := os.Stat("off"); err == nil {
		t.Error("a cache that is off is a directory")
	}
}

// The go script runs as GoNB runs it. The go behind it records what it is
// asked.
func TestWorkspace_GoScript(t *testing.T) {
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
	behind := writeScript(t, t.TempDir(), "go", `
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

// A module in one of the user's directories is found without the network and
// its name isn't sent there, even if something else must be fetched.
func TestWorkspace_LocalModules(t *testing.T) {
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

// GoNB opens a cell's pipes even when the cell is over, and would wait for ever
// if the other end stayed closed.
func TestChild_PipesOfAnEndedCell(t *testing.T) {
	_, o := stage(t)
	w, err := NewWorkspace(o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	opened := make(chan struct{})
	const each = 4
	for _, way := range []int{os.O_RDONLY, os.O_WRONLY} {
		for i := range each {
			path := filepath.Join(w.temp(), pipePrefix+strconv.Itoa(way)+strconv.Itoa(i))
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			begins := make(chan struct{})
			go func() {
				close(begins)
				if end, err := os.OpenFile(path, way, 0); err == nil {
					end.Close()
				} else if !os.IsNotExist(err) {
					t.Error(err)
				}
				opened <- struct{}{}
			}()
			<-begins
		}
	}
	write(t, filepath.Join(w.temp(), "gonb_1a", "main.go"), "")
	process.FreePipes(w.temp(), pipePrefix)
	for range 2 * each {
		<-opened
	}
	if list, err := os.ReadDir(w.temp()); err != nil || len(list) != 1 || list[0].Name() != "gonb_1a" {
		t.Errorf("there are %v, %v; want GoNB's module alone", list, err)
	}
}

// If GoNB dies, all that it has sent is passed on before the cell is told,
// however far behind the kernel is.
func TestChild_PassesOnLastWords(t *testing.T) {
	connection := jupyter.NewLocalConnection(filepath.Join(t.TempDir(), socketName))
	server, err := jupyter.Listen(connection, jupyter.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client, err := jupyter.DialStarting(t.Context(), connection)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	p, err := process.Start(exec.CommandContext(t.Context(), "sleep", "3600"))
	if err != nil {
		t.Fatal(err)
	}
	c := &Child{memory: newMemory(), process: p, client: client, heartbeat: process.NewHeartbeat(time.Hour, client.Ping), cellLock: process.NewLock(),
		pending: map[string]*pending{}, over: make(chan struct{})}
	c.readAll()
	go c.awaitEnd()

	var text, want strings.Builder
	behind := make(chan struct{})
	failed := make(chan error)
	request := client.Request("execute_request", nil)
	go func() {
		_, err := c.Execute(t.Context(), Cell{Request: request, Publish: func(m jupyter.Message) {
			<-behind
			var s jupyter.Stream
			if m.Decode(&s) == nil {
				text.WriteString(s.Text)
			}
		}})
		failed <- err
	}()
	for asked := ""; asked != request.Header.ID; { // the cell's number comes before it
		asked = (<-server.Shell.Messages()).Header.ID
	}
	say := func(stream, line string) {
		want.WriteString(line)
		server.IOPub.Publish(request.Answer("gonb", "stream", jupyter.Stream{Name: stream, Text: line}))
	}
	for i := range 500 {
		say("stdout", fmt.Sprintln("line", i))
	}
	say("stderr", "the last\n") // which is held back: it may be the error
	server.Close()
	p.Signal(syscall.SIGKILL)
	<-p.Done()
	close(behind)
	if err := <-failed; !errs.Is(err, errs.Unavailable) || !strings.Contains(err.Error(), "signal: killed") {
		t.Error(err)
	}
	if text.String() != want.String() {
		t.Errorf("%d of %d bytes were passed on", text.Len(), want.Len())
	}
}
