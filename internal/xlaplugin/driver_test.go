package xlaplugin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The driver's version is read from the text of each kind of kernel module.
func TestModuleVersion_Texts(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  Tue Sep  1 07:00:00 UTC 2026\nGCC version:  gcc 13.3.0\n": "580.159.03",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57  Release Build  (dvs-builder)  Sat May 3\n":           "575.57",
		"something else\nNVRM version: 580.1\n": "",
		"":                                      "",
	} {
		if got := moduleVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Each line of nvidia-smi is a GPU, and other output is an error.
func TestParseGPUs_Lines(t *testing.T) {
	list, err := parseGPUs("NVIDIA H200, 9.0, 580.159.03, 143771, 143000\nTesla T4, 7.5, 580.159.03, [N/A], 15000\n")
	want := []GPU{{"NVIDIA H200", "9.0", "580.159.03", 143771 << 20, 143000 << 20}, {"Tesla T4", "7.5", "580.159.03", 0, 15000 << 20}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range []string{"", "\n", "No devices were found\n"} {
		if list, err := parseGPUs(text); err == nil {
			t.Errorf("%q was read as %+v", text, list)
		}
	}
}

// The GPUs are those in CUDA_VISIBLE_DEVICES.
func TestGPUs_VisibleToCUDA(t *testing.T) {
	dir, script := t.TempDir(), `case "$*" in *--id=2) echo "B, 9.0, 580.1, 2, 1" ;; *--id=*) exit 6 ;; *) echo "A, 9.0, 580.1, 2, 1" ;; esac`
	check(t, os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for visible, want := range map[string]string{"": "A", "2,3": "B"} {
		t.Setenv("CUDA_VISIBLE_DEVICES", visible)
		if list, err := GPUs(t.Context()); err != nil || len(list) != 1 || list[0].Name != want {
			t.Errorf("CUDA_VISIBLE_DEVICES=%q: %+v, %v", visible, list, err)
		}
	}
	t.Setenv("CUDA_VISIBLE_DEVICES", "9")
	if list, err := GPUs(t.Context()); err == nil {
		t.Errorf("a GPU that is not there: %+v", list)
	}
}
