package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// random is a file with any number of tensors of any type and shape, their
// numbers any bits that are not NaN (which equal nothing).
func random(r *rand.Rand) *File {
	f := &File{Metadata: map[string]string{}, Tensors: map[string]Tensor{}}
	for i := range r.IntN(5) {
		f.Metadata[fmt.Sprint("key", i)] = string([]rune{rune(r.IntN(0xd000)), '"', '\\', rune(r.IntN(0x80))})
	}
	for i := range r.IntN(12) {
		shape, count := []int{}, 1
		for range r.IntN(4) {
			shape = append(shape, r.IntN(5))
			count *= shape[len(shape)-1]
		}
		raw := make([]byte, 0, 8*count)
		kind := []dtype{f32, f64, i64, u32}[r.IntN(4)]
		for range count {
			raw = binary.LittleEndian.AppendUint64(raw, r.Uint64()&^(1<<62|1<<30)) // an exponent that is not all ones
		}
		f.Tensors[fmt.Sprintf("%c/%d", 'a'+r.IntN(26), i)] = Tensor{shape, kind.decode(raw[:count*kind.size()])}
	}
	return f
}

// A written file is read with equal contents, and equal contents are equal
// bytes.
func TestWrite_RoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	path := filepath.Join(t.TempDir(), "a.safetensors")
	for i := range 300 {
		f := random(r)
		if err := Write(path, f); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		got, err := Read(path)
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if got.Path != path || !got.Checked || !reflect.DeepEqual(got.Tensors, f.Tensors) || !reflect.DeepEqual(got.Metadata, f.Metadata) {
			t.Fatalf("%d: wrote %v, read %v", i, f, got)
		}
		a, _ := Encode(f)
		b, _ := Encode(got)
		if !bytes.Equal(a, b) {
			t.Fatalf("%d: equal contents, other bytes", i)
		}
	}
}

// Any turned bit of a file is noticed, and so is a missing end.
func TestDecode_NoticesEveryTurnedBit(t *testing.T) {
	f := sample()
	good := must(Encode(f))(t)
	for i := range good {
		if _, err := decode(good[:i]); err == nil {
			t.Errorf("cut to %d bytes it is read", i)
		}
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[i] ^= 1 << bit
			got, err := decode(bad)
			if err != nil {
				continue
			}
			same := got.Checked // else the key of a checksum has turned: who wants checked files refuses it
			for name, tensor := range f.Tensors {
				read, ok := got.Tensors[name]
				same = same && ok && slices.Equal(read.Shape, tensor.Shape) // else who asks for it is told
			}
			if encoded, _ := Encode(got); same && !bytes.Equal(encoded, good) {
				t.Errorf("bit %d of byte %d (%q): not noticed", bit, i, good[i])
			}
		}
	}
}

// A file with unsupported data, a wrong shape or a reserved name is rejected,
// and nothing is written.
func TestWrite_Rejects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	for want, f := range map[string]*File{
		"[]int is not one of":    {Tensors: map[string]Tensor{"w": {Data: []int{1}}}},
		"<nil> is not one of":    {Tensors: map[string]Tensor{"w": {}}},
		"shape [2] does not fit": {Tensors: map[string]Tensor{"w": Of([]float32{1, 2, 3}, 2)}},
		"shape [-1 -1] does not": {Tensors: map[string]Tensor{"w": Of([]float32{1}, -1, -1)}},
		"shape [] does not fit":  {Tensors: map[string]Tensor{"w": Of([]float32{1, 2})}},
		`"__metadata__" cannot`:  {Tensors: map[string]Tensor{"__metadata__": Of([]float32{1})}},
		`"\xff" cannot`:          {Tensors: map[string]Tensor{"\xff": Of([]float32{1})}},
		"is not UTF-8":           {Metadata: map[string]string{"a": "\xff"}},
		"sha256 is reserved for": {Metadata: map[string]string{"sha256": "x"}},
		"a header of":            {Metadata: map[string]string{"a": strings.Repeat("x", maxHeader)}},
	} {
		err := Write(path, f)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("something was written")
	}
}

// A file is replaced as a whole or not at all, keeps its permissions unless it
// is to be private, and leaves nothing next to it.
func TestWrite_Replaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.safetensors")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, &File{Metadata: map[string]string{"a": "\xff"}}); err == nil {
		t.Fatal("no error")
	}
	if old, _ := os.ReadFile(path); string(old) != "old" {
		t.Errorf("a write that failed left %q", old)
	}
	for _, c := range []struct {
		write func(string, *File) error
		mode  fs.FileMode
	}{{Write, 0o640}, {WritePrivate, 0o600}} {
		if err := c.write(path, sample()); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != c.mode {
			t.Error(info.Mode(), c.mode, err)
		}
	}
	for _, bad := range []string{filepath.Join(dir, "no", "a.safetensors"), filepath.Join(path, "a.safetensors")} {
		if err := Write(bad, sample()); err == nil || !strings.HasPrefix(err.Error(), bad+" cannot be written: ") ||
			strings.Contains(err.Error(), ".fsnet-") {
			t.Error(err)
		}
	}
	if err := Write(dir, sample()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("%v were left", list)
	}
}
