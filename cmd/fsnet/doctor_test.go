package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/gonb/toolchain"
)

// The doctor names a GoNB that the kernel does not know the ways of.
func TestDoctorNamesAnotherGoNB(t *testing.T) {
	elsewhere := t.TempDir()
	path := filepath.Join(elsewhere, "bin", "gonb")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FSNET_HOME", elsewhere)
	list := examineTools()
	at := slices.IndexFunc(list, func(f finding) bool { return f.Subject == "gonb" })
	want := path + " is gonb of an unknown version, not the patched " + toolchain.Version
	if f := list[at]; f.State != "problem" || !strings.HasPrefix(f.Text, want) || !strings.Contains(f.Remedy, "./install.sh") {
		t.Errorf("%+v, want %q", f, want)
	}
}
