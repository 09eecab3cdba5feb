//go:build cgo

package device

import (
	"bytes"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/gomlx/core/graph"

	"fsnetlab/internal/xlaplugin"
)

// onPlugin is a device on the plugin of this machine, which go-xla finds under the test's name, with a table of its own.
func onPlugin(t *testing.T, store *xlaplugin.Store) *Device {
	t.Helper()
	plugin := FindPlugin("xla:cpu")
	if plugin == "" {
		t.Skip("no PJRT plugin for the processor (./install.sh installs one)")
	}
	d := &Device{Name: "xla:cpu", programs: new(programCache), Plugin: "/" + t.Name() + "/cpu/" + t.TempDir()}
	table := must(xlaplugin.Wrap(plugin, false, store))
	check(t, pjrt.RegisterPreloadedPlugin(d.Plugin, table))
	d.backend = must(xla.NewWithOptions(d.Plugin, d.clientOptions()))
	t.Cleanup(d.Close)
	return d
}

// sums are numbers whose last digits depend on how XLA compiles: sums of exponentials and sines over rows.
func sums(t *testing.T, d *Device) []uint32 {
	t.Helper()
	s := ScopeOn(d)
	defer s.Close()
	rows := make([][]float32, 37)
	for i := range rows {
		rows[i] = make([]float32, 1001)
		for j := range rows[i] {
			rows[i][j] = float32(math.Sin(float64(i*1001 + j)))
		}
	}
	out, err := Numbers[float32](s, "sums", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{graph.ReduceSum(graph.Softmax(graph.Mul(in[0], graph.Sin(in[0])), -1), 0)}
	}, rows)
	if err != nil {
		t.Fatal(err)
	}
	var bits []uint32
	for _, v := range out {
		bits = append(bits, math.Float32bits(v))
	}
	return bits
}

// only is the one file of a directory.
func only(t *testing.T, directory string) os.FileInfo {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d files, %v; want one program", len(entries), err)
	}
	info := must(entries[0].Info())
	return info
}

func storeIn(t *testing.T) (*xlaplugin.Store, string) {
	t.Helper()
	store := must(xlaplugin.OpenStore(filepath.Join(t.TempDir(), "programs")))
	return store, store.Path()
}

// A loaded program has the same bits as a compiled one. A damaged one is
// compiled again and replaced.
func TestStore_Programs(t *testing.T) {
	store, directory := storeIn(t)
	want := sums(t, onPlugin(t, store))
	first := only(t, directory)
	if got := sums(t, onPlugin(t, store)); !slices.Equal(got, want) {
		t.Error("a program that was loaded comes to other bits than the one that was compiled")
	}
	if !os.SameFile(first, only(t, directory)) {
		t.Error("a program that was there has been compiled again")
	}
	path := filepath.Join(directory, first.Name())
	whole := must(os.ReadFile(path))
	for name, damaged := range map[string][]byte{"cut short": whole[:len(whole)/2], "empty": {}, "of other bytes": append([]byte("x"), whole[1:]...)} {
		check(t, os.WriteFile(path, damaged, 0o600))
		if got := sums(t, onPlugin(t, store)); !slices.Equal(got, want) {
			t.Errorf("with a file that is %s it comes to other bits", name)
		}
		if mended, err := os.ReadFile(path); err != nil || len(mended) < 1000 || bytes.Equal(mended, damaged) {
			t.Errorf("a file that was %s is not replaced: %d bytes, %v", name, len(mended), err)
		}
	}
}

// If the plugin rejects a stored program with the right checksum, it is
// compiled.
func TestStore_RejectedByPlugin(t *testing.T) {
	store, directory := storeIn(t)
	want := sums(t, onPlugin(t, store))
	var key xlaplugin.Key
	must(hex.Decode(key[:], []byte(only(t, directory).Name())))
	check(t, store.Write(key, []byte("no program")))
	if got := sums(t, onPlugin(t, store)); !slices.Equal(got, want) {
		t.Error("it comes to other bits")
	}
	if only(t, directory).Size() < 1000 {
		t.Error("it is not replaced")
	}
}

// If nothing can be stored any more, programs are compiled as before.
func TestStore_WithoutDirectory(t *testing.T) {
	store, directory := storeIn(t)
	d := onPlugin(t, store)
	check(t, os.RemoveAll(directory))
	want := sums(t, d)
	if _, err := os.Stat(directory); !os.IsNotExist(err) {
		t.Errorf("the directory is there again: %v", err)
	}
	kept, _ := storeIn(t)
	if got := sums(t, onPlugin(t, kept)); !slices.Equal(got, want) {
		t.Error("without a directory it comes to other bits")
	}
}

// Programs of another plugin, or made with other flags, aren't used.
func TestStore_OtherFlags(t *testing.T) {
	store, directory := storeIn(t)
	sums(t, onPlugin(t, store))
	t.Setenv("XLA_FLAGS", "--xla_backend_extra_options=xla_another=1")
	sums(t, onPlugin(t, store))
	if entries, err := os.ReadDir(directory); err != nil || len(entries) != 2 {
		t.Errorf("%d programs, %v; want one for each", len(entries), err)
	}
}

// Programs are in the user's cache, or in the absolute path that the variable
// names, or nowhere.
func TestStore_Directory(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	for value, want := range map[string]string{"": filepath.Join(cache, "fsnet", "programs"), filepath.Join(cache, "mine"): filepath.Join(cache, "mine"),
		"off": "", "here": ""} {
		t.Setenv(ProgramsVariable, value)
		store, err := ProgramStore()
		if (err != nil) != (want == "") || err == nil && store.Path() != want {
			t.Errorf("%s=%s: %v, %v; want %q", ProgramsVariable, value, store, err, want)
		}
	}
}
