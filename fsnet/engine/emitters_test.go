package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/device"
)

// emittersChild names the file for the numbers where this test is the process that trains.
const emittersChild = "FSNET_TEST_EMITTERS"

// The device has XLA's CPU compiler use its older emitters, which compile faster, unless the user's own flags say otherwise. What steps and
// looks come to differs by rounding alone.
func TestOlderEmittersChangeRoundingAlone(t *testing.T) {
	if file := os.Getenv(emittersChild); file != "" {
		writeLooks(t, file)
		return
	}
	if device.FindPlugin("xla:cpu") == "" {
		t.Skip("no PJRT plugin for the processor (./install.sh installs one)")
	}
	before := os.Getenv("XLA_FLAGS")
	older, modulesOfOlder := looksWith(t, before)
	newer, modulesOfNewer := looksWith(t, before+" --xla_backend_extra_options=xla_none=1")
	if modulesOfOlder > 0 || modulesOfNewer == 0 {
		t.Errorf("%d and %d modules of a fusion each; only the newer emitters make some", modulesOfOlder, modulesOfNewer)
	}
	if len(older) != len(newer) || len(older) < 100 {
		t.Fatalf("%d and %d numbers", len(older), len(newer))
	}
	for i, v := range older {
		if w := newer[i]; math.Abs(float64(v-w)) > 1e-5*(1+math.Abs(float64(w))) {
			t.Errorf("number %d is %v with the older emitters and %v with the newer ones", i, v, w)
		}
	}
}

// looksWith is what a process of its own with these flags comes to, and how many modules XLA made there for one fusion alone.
func looksWith(t *testing.T, flags string) (looks []float32, modules int) {
	t.Helper()
	dump := t.TempDir()
	file := filepath.Join(dump, "looks")
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), emittersChild+"="+file, "XLA_FLAGS="+flags+" --xla_dump_to="+dump)
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	list, err := filepath.Glob(filepath.Join(dump, "*fusion*_kernel_module*.o"))
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	looks = make([]float32, len(written)/4)
	if err := binary.Read(bytes.NewReader(written), binary.LittleEndian, looks); err != nil {
		t.Fatal(err)
	}
	return looks, len(list)
}

// writeLooks trains, looks, and writes what that comes to. The environment is afterwards what it was.
func writeLooks(t *testing.T, path string) {
	before := os.Getenv("XLA_FLAGS")
	d, err := device.Open(context.Background(), "xla:cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if after := os.Getenv("XLA_FLAGS"); after != before {
		t.Errorf("XLA_FLAGS became %q", after)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := binary.Write(file, binary.LittleEndian, newToy(t, config.Config{}).looksOf(t, d)); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
