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

// goSettings are the settings of the go command where it builds cells: for this machine, with our
// flags. The user's settings hold for programs of their own alone (!go build).
type goSettings struct {
	set     []string // NAME=value
	unset   []string // names
	network []string // NAME=value, used where a cell has not set the name: the user's proxies and caches
	own     []string // caches that are this kernel's own, as NAME=value
	ignored []string // NAME=value of the user that has no effect on cells
}

// buildVariables decide what the go command builds, and how.
func buildVariables() []string {
	return strings.Fields(`GOFLAGS GO111MODULE GOWORK GOTOOLCHAIN GOROOT GOOS GOARCH GOEXPERIMENT GOFIPS140 GOTMPDIR GOCACHEPROG
		GOPACKAGESDRIVER GO_EXTLINK_ENABLED GO386 GOAMD64 GOARM GOARM64 GOMIPS GOMIPS64 GOPPC64 GORISCV64 GOWASM`)
}

// networkVariables decide from where modules come and where they are kept. The last two may be
// replaced by directories of the kernel's.
func networkVariables() []string {
	return strings.Fields(`GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB GOINSECURE GOVCS GOAUTH GOPATH GOMODCACHE GOCACHE`)
}

// cellFlags are the flags of cells: without symbol tables a cell links in half the time, and
// without what the compiler writes for debuggers into every package, in three quarters of that. The
// installer compiles the packages with the same flags (install/lib.sh).
const cellFlags = "'-ldflags=-s -w' -gcflags=all=-dwarf=false"

// newGoSettings reads the user's settings: the environment, and what go env -w has written. Caches
// that Go cannot keep in their usual place, such as a home that is missing or read-only, go into
// directory.
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
	env := environmentWithout(s.unset...)
	values, err := goEnv(ctx, program, directory, env)
	if err != nil { // a path that is not absolute, for example
		relative := relativePaths("GOPATH", "GOMODCACHE", "GOCACHE")
		env = environmentWithout(append(relative, s.unset...)...)
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

// relativePaths returns the variables that name a path which is not absolute.
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

// goEnv asks the go command for its GOROOT and networkVariables, by name.
func goEnv(ctx context.Context, program, directory string, environment []string) (values map[string]string, err error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"env", "-json", "GOROOT"}, networkVariables()...)...)
	cmd.Dir, cmd.Env = directory, append(environment, "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GO111MODULE=on", "GOWORK=off")
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}

// usable makes a directory if it is missing, and reports whether it exists then. A module cache is
// also of use to a user who cannot write to it.
func usable(directory string) bool {
	return filepath.IsAbs(directory) && os.MkdirAll(directory, 0o777) == nil
}

// writable makes a directory if it is missing, and reports whether files can be made in it.
func writable(directory string) bool {
	if !usable(directory) {
		return false
	}
	probe, err := os.CreateTemp(directory, "fsnet-")
	return err == nil && errors.Join(probe.Close(), os.Remove(probe.Name())) == nil
}

// script returns shell commands that make the settings. A cell's own value of a network variable
// stays.
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

// environment returns a copy of an environment with the settings, which take precedence.
func (s goSettings) environment(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(s.unset, name)
	})
	return slices.Concat(env, s.network, s.set, s.own)
}
