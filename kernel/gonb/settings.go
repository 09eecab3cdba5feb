package gonb

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// goSettings are the settings of the go command where it builds cells: for this
// machine, with our flags. The user's settings apply only to other programs,
// which the user builds with !go build.
type goSettings struct {
	set   []string // NAME=value
	unset []string // names
	// Network holds NAME=value for the user's proxies and caches. They apply
	// unless a cell has set the name.
	network []string
	own     []string // caches that belong to this kernel, as NAME=value
	ignored []string // the user's settings that have no effect on cells, as NAME=value
}

// buildVariables are the variables that decide what the go command builds, and
// how.
func buildVariables() []string {
	return strings.Fields(`GOFLAGS GO111MODULE GOWORK GOTOOLCHAIN GOROOT GOOS GOARCH GOEXPERIMENT GOFIPS140 GOTMPDIR GOCACHEPROG
		GOPACKAGESDRIVER GO_EXTLINK_ENABLED GO386 GOAMD64 GOARM GOARM64 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM`)
}

// networkVariables are the variables that decide where modules come from and
// where they are kept. Directories of the kernel may replace the last two.
func networkVariables() []string {
	return strings.Fields(`GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB GOINSECURE GOVCS GOAUTH GOPATH GOMODCACHE GOCACHE`)
}

// cellFlags are the flags for building cells. Without symbol tables a cell
// links in half the time. Without what the compiler writes for debuggers into
// every package, it takes three quarters of that. The installer compiles the
// packages with the same flags (install/lib.sh).
const cellFlags = "'-ldflags=-s -w' -gcflags=all=-dwarf=false"

// newGoSettings reads the user's settings from the environment and from what go
// env -w has written. If Go can't keep a cache in its usual place, for example
// because the home is missing or read-only, the cache goes into directory.
func newGoSettings(ctx context.Context, program, directory string) (s goSettings) {
	s.unset = buildVariables()
	toolchain := "auto"
	if os.Getenv("GOTOOLCHAIN") == "local" {
		toolchain = "local"
	}

	s.set = []string{
		"TMPDIR=" + filepath.Join(directory, "tmp"), "GOENV=off", "GO111MODULE=on", "GOWORK=off", "GOTOOLCHAIN=" + toolchain,
		"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH,
	}
	env := without(os.Environ(), s.unset...)

	values, err := goEnv(ctx, program, directory, env)
	if err != nil { // for example a path that isn't absolute
		relative := relativePaths("GOPATH", "GOMODCACHE", "GOCACHE")
		env = without(os.Environ(), append(relative, s.unset...)...)
		if values, err = goEnv(ctx, program, directory, env); err == nil {
			s.ignored = setOf(relative...)
			s.unset = append(s.unset, relative...)
		}
	}

	for _, e := range setOf(buildVariables()...) {
		name, value, _ := strings.Cut(e, "=")
		if !slices.Contains(s.set, e) && e != "GO111MODULE=auto" && (name != "GOROOT" || value != values[name]) {
			s.ignored = append(s.ignored, e)
		}
	}

	flags := cellFlags
	for _, name := range networkVariables() {
		value := values[name]
		switch {
		case err != nil: // a build reports it
		case name == "GOCACHE" && !writable(value), name == "GOMODCACHE" && !usable(value):
			s.own = append(s.own, name+"="+filepath.Join(directory, name))
			if name == "GOMODCACHE" {
				flags += " -modcacherw" // it is removed with the workspace
			}
		case value != "":
			s.network = append(s.network, name+"="+value)
		}
	}

	s.set = append(s.set, "GOFLAGS="+flags)
	return s
}

// relativePaths returns those of the variables that hold a relative path.
func relativePaths(names ...string) (list []string) {
	relative := func(path string) bool { return path != "" && !filepath.IsAbs(path) }
	for _, name := range names {
		if slices.ContainsFunc(filepath.SplitList(os.Getenv(name)), relative) {
			list = append(list, name)
		}
	}
	return list
}

// setOf returns the variables that the environment sets, as NAME=value.
func setOf(names ...string) (list []string) {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// goEnv asks the go command for GOROOT and the networkVariables, and returns
// the values by name.
func goEnv(ctx context.Context, program, directory string, environment []string) (values map[string]string, err error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"env", "-json", "GOROOT"}, networkVariables()...)...)
	cmd.Dir, cmd.Env = directory, append(environment, "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GO111MODULE=on", "GOWORK=off")
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}

// usable makes a directory if it is missing, and reports whether it exists
// then. A module cache helps even a user who can't write to it.
func usable(directory string) bool {
	return filepath.IsAbs(directory) && os.MkdirAll(directory, 0o777) == nil
}

// writable makes a directory if it is missing, and reports whether you can
// create files in it.
func writable(directory string) bool {
	if !usable(directory) {
		return false
	}
	probe, err := os.CreateTemp(directory, "fsnet-")
	return err == nil && errors.Join(probe.Close(), os.Remove(probe.Name())) == nil
}

// script returns shell commands that apply the settings. If a cell has set a
// network variable, its value stays.
func (s goSettings) script() string {
	var text strings.Builder
	text.WriteString("cells_for=$GOOS/$GOARCH\nunset " + strings.Join(s.unset, " ") + "\n")

	for _, e := range slices.Concat(s.set, s.own) {
		text.WriteString("export " + quote(e) + "\n")
	}

	for _, e := range s.network {
		name, value, _ := strings.Cut(e, "=")
		fits := "?*"
		if filepath.IsAbs(value) { // a directory
			fits = "/*"
		}
		text.WriteString("case $" + name + " in " + fits + ") ;; *) export " + name + "=" + quote(value) + " ;; esac\n")
	}

	text.WriteString("[ \"$cells_for\" != js/wasm ] || export GOOS=js GOARCH=wasm\n") // %wasm
	return text.String()
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// environment returns a copy of env with the settings. They take precedence.
func (s goSettings) environment(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(s.unset, name)
	})
	return slices.Concat(env, s.network, s.set, s.own)
}
