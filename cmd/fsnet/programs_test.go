package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/device"
)

// A training with programs from the disk comes to the same bits as one that compiles: the model's file is the same.
func TestFitFromKeptProgramsIsTheSame(t *testing.T) {
	if device.FindPlugin("xla:cpu") == "" {
		t.Skip("no PJRT plugin for the processor (./install.sh installs one)")
	}
	programs := filepath.Join(t.TempDir(), "programs")
	fit := func(place string) []byte {
		t.Helper()
		model := filepath.Join(t.TempDir(), "model")
		c, err := programCommand(t.Context(), "fit", "ALLAML", "--k=5", "--epochs=30", "--seed=3", "--backend=xla:cpu", "--save="+model)
		if err != nil {
			t.Fatal(err)
		}
		c.Env = append(c.Env, device.ProgramsVariable+"="+place)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		saved, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		return saved
	}
	want := fit("off")
	if !bytes.Equal(fit(programs), want) {
		t.Error("a training that keeps its programs comes to other bits")
	}
	kept := names(t, programs)
	if len(kept) < 3 {
		t.Errorf("only %d programs are kept", len(kept))
	}
	if !bytes.Equal(fit(programs), want) {
		t.Error("a training with kept programs comes to other bits")
	}
	if after := names(t, programs); !slices.Equal(after, kept) {
		t.Errorf("the second training needs other programs:\n%s\n%s", strings.Join(kept, "\n"), strings.Join(after, "\n"))
	}
}

// names are those of the files in a directory.
func names(t *testing.T, directory string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
