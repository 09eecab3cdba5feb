package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/kernel/gonb"
)

// The doctor names a GoNB of a version that the kernel doesn't know.
func TestDoctor_NamesAnotherGoNB(t *testing.T) {
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
	want := path + " is gonb of an unknown version, not the patched " + gonb.Version
	if f := list[at]; f.State != "problem" || !strings.HasPrefix(f.Text, want) || !strings.Contains(f.Remedy, "./install.sh") {
		t.Errorf("%+v, want %q", f, want)
	}
}

// The doctor checks everything that CUDA needs. A missing part is a note with a
// remedy, and not a problem, since the processor can train.
func TestDoctor_CUDA(t *testing.T) {
	dir := t.TempDir()
	plugins := filepath.Join(dir, "plugin")
	if err := os.MkdirAll(filepath.Join(dir, "nvidia", "cu13", "lib"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PJRT_PLUGIN_LIBRARY_PATH", plugins)
	t.Setenv("XLA_FLAGS", "--xla_gpu_deterministic_ops=false")
	t.Setenv("LD_LIBRARY_PATH", "")

	if err := os.WriteFile(filepath.Join(plugins, "pjrt_c_api_cuda_v1_plugin.so"), []byte("\x00xla_gpu_deterministic_ops\x00"),
		0o600); err != nil {
		t.Fatal(err)
	}
	said := map[string]finding{}
	for _, f := range examineCUDA(t.Context()) {
		said[f.Subject] = f
		if f.State != "ok" && f.Remedy == "" {
			t.Errorf("%s has no remedy: %s", f.Subject, f.Text)
		}
		if f.State == "problem" {
			t.Errorf("%s is a problem, though the processor is there to train on: %s", f.Subject, f.Text)
		}
	}
	for subject, words := range map[string][]string{
		"plugin xla:cuda":   {"pjrt_c_api_cuda_v1_plugin.so", "origin not recorded"},
		"CUDA libraries":    {"of 12 for CUDA 13 in " + filepath.Join(dir, "nvidia")},
		"XLA_FLAGS on CUDA": {"--xla_gpu_deterministic_ops=false"},
		"NVIDIA driver":     {""},
	} {
		f, ok := said[subject]
		if !ok {
			t.Errorf("nothing on %s", subject)
		}
		for _, word := range words {
			if !strings.Contains(f.Text, word) {
				t.Errorf("%s: %q does not say %q", subject, f.Text, word)
			}
		}
	}
	if f := said["XLA_FLAGS on CUDA"]; f.State != "note" || !strings.Contains(f.Remedy, "other bits") {
		t.Errorf("a flag against reproducibility is not mentioned: %+v", f)
	}
}
