package gonb

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
	"fsnetlab/internal/installation"
	"fsnetlab/kernel/gonb/toolchain"
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
	tools, err := toolchain.Find(home)
	if err != nil || tools.GoNB != filepath.Join(home, "bin", "gonb") {
		t.Errorf("%+v, %v", tools, err)
	}
	t.Setenv("PATH", "/nonexistent")
	t.Setenv("GOBIN", "/nonexistent")
	if err := os.Chmod(filepath.Join(home, "bin", "gonb"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := toolchain.Find(home); !fault.Is(err, fault.Unavailable) || !errors.Is(err, exec.ErrNotFound) ||
		!strings.Contains(err.Error(), "gonb") || !strings.Contains(err.Error(), "install.sh") {
		t.Errorf("without gonb: %v", err)
	}
	bin := t.TempDir()
	program(t, bin, "gonb", "")
	t.Setenv("PATH", bin)
	if tools, err := toolchain.Find(home); err != nil || tools.GoNB != filepath.Join(bin, "gonb") {
		t.Errorf("on the PATH: %+v, %v", tools, err)
	}
}

func TestHome(t *testing.T) {
	t.Setenv("FSNET_HOME", "")
	t.Setenv("XDG_DATA_HOME", "/data")
	if got := installation.Home(); got != "/data/fsnet" {
		t.Error(got)
	}
	t.Setenv("FSNET_HOME", "/elsewhere")
	if got := installation.Home(); got != "/elsewhere" {
		t.Error(got)
	}
}

func TestSource(t *testing.T) {
	home, _ := stage(t)
	if got := toolchain.Source(home); got != filepath.Join(home, "src") {
		t.Errorf("installed: %q", got)
	}
	checkout := t.TempDir()
	write(t, filepath.Join(checkout, "go.mod"), "// comment\nmodule \"fsnetlab\"\ngo 1.30\n")
	t.Setenv("FSNET_SOURCE", checkout)
	if got := toolchain.Source(home); got != checkout {
		t.Errorf("told: %q", got)
	}
	write(t, filepath.Join(checkout, "go.mod"), "module other\n")
	if got := toolchain.Source(home); got != filepath.Join(home, "src") {
		t.Errorf("told another module: %q", got)
	}
	deep := filepath.Join(t.TempDir(), "a", "b")
	write(t, filepath.Join(deep, "x"), "")
	write(t, filepath.Join(filepath.Dir(filepath.Dir(deep)), "go.mod"), "module fsnetlab\n")
	t.Setenv("FSNET_SOURCE", "")
	t.Chdir(deep)
	if got := toolchain.Source("/nonexistent"); got != filepath.Dir(filepath.Dir(deep)) {
		t.Errorf("around the working directory: %q", got)
	}
	t.Chdir("/")
	if got := toolchain.Source("/nonexistent"); got != "" {
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
		"GOFLAGS='-ldflags=-s -w' -gcflags=all=-dwarf=false -mod=mod", "GOMLX_NO_AUTO_INSTALL=1", "FSNET_SOCKET=/run/cells", "TMPDIR=" + w.temp(),
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s", want)
		}
	}
	installer, err := os.ReadFile(filepath.Join("..", "..", "install", "cells.sh"))
	if err != nil || !strings.Contains(string(installer), "GOFLAGS=\"-mod=mod "+strings.TrimSuffix((&Workspace{}).goFlags(), " -mod=mod")+"\"") {
		t.Errorf("the installer compiles the packages of cells with other flags than %s, so that the first cell does it again: %v",
			(&Workspace{}).goFlags(), err)
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

// Go works without a home, and in one that cannot be written to; what is there is used.
func TestGoWithoutAHome(t *testing.T) {
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
