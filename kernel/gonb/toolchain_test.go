package gonb

import (
	"debug/buildinfo"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
	"fsnetlab/internal/system"
)

// Only the patched gonb of the version that the installer builds is accepted.
func TestCheckVersion_PatchedOnly(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "install", "gonb", "go.mod"))
	if err != nil || !strings.Contains(string(text), "github.com/janpfeifer/gonb "+Version+"\n") {
		t.Errorf("the installer builds another version than %s: %v", Version, err)
	}
	script := filepath.Join(t.TempDir(), "gonb")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{script, os.Args[0], filepath.Join(t.TempDir(), "none")} {
		err := CheckVersion(path)
		if want := path + " is gonb of an unknown version, not the patched " + Version; !errs.Is(err, errs.Unavailable) ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ours := &debug.Module{Path: patched}
	for want, main := range map[string]debug.Module{
		"v0.11.3, unpatched":    {Path: "github.com/janpfeifer/gonb", Version: "v0.11.3"},
		"v0.11.3":               {Path: "github.com/janpfeifer/gonb", Version: "v0.11.3", Replace: ours},
		Version + ", unpatched": {Path: "github.com/janpfeifer/gonb", Version: Version},
		Version:                 {Path: "github.com/janpfeifer/gonb", Version: Version, Replace: ours},
		Version + ", altered":   {Path: "github.com/janpfeifer/gonb", Version: Version, Replace: &debug.Module{Path: "/elsewhere"}},
		"an unknown version":    {Path: "example.test/other", Version: Version},
	} {
		if got := versionOf(&buildinfo.BuildInfo{Main: main}); got != want {
			t.Errorf("%+v is %q, want %q", main, got, want)
		}
	}
	tools, err := FindTools(system.Home())
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	if err := CheckVersion(tools.GoNB); err != nil {
		t.Errorf("the one that is installed: %v", err)
	}
}
