package safetensors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/written.safetensors; then run make_fixture.py")

// sample has every type, a scalar, an empty tensor, and numbers whose bits
// matter.
func sample() *File {
	return &File{
		Metadata: map[string]string{"format": "sample", "note": "two\nlines, <tag>, β \u2028", "empty": ""},
		Tensors: map[string]Tensor{
			"a": Of([]float32{1.5, float32(math.Copysign(0, -1)), float32(math.Inf(1)), math.SmallestNonzeroFloat32, math.MaxFloat32,
				float32(math.NaN())}, 2, 3),
			"b":         Of([]float64{0.1, -1e-300, math.SmallestNonzeroFloat64}, 3, 1),
			"c/0":       Of([]int64{math.MinInt64, -1, math.MaxInt64}, 3),
			"d":         Of([]uint32{0, math.MaxUint32, 7}, 3),
			"scalar":    Of([]float64{7.25}),
			"none":      Of([]float32{}, 0, 3),
			"β \"odd\"": Of([]uint32{3}, 1, 1, 1),
		},
	}
}

// The bytes that are written are those that the Python package has read, number
// for number.
func TestWrite_ReadableByPython(t *testing.T) {
	path := filepath.Join("testdata", "written.safetensors")
	if *update {
		if err := Write(path, sample()); err != nil {
			t.Fatal(err)
		}
	}
	want := must(os.ReadFile(path))(t)
	got, err := Encode(sample())
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("other bytes than those that Python has read: %v", err)
	}
	text := must(os.ReadFile(filepath.Join("testdata", "written.json")))(t)
	var python struct {
		Metadata map[string]string
		Tensors  map[string]struct {
			Dtype string
			Shape []int
			Bytes string
		}
	}
	if err := json.Unmarshal(text, &python); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(python.Metadata, func(key, _ string) bool { return isChecksum(key) })
	if f := sample(); !maps.Equal(python.Metadata, f.Metadata) || len(python.Tensors) != len(f.Tensors) {
		t.Errorf("metadata %q, %d tensors", python.Metadata, len(python.Tensors))
	}
	for name, tensor := range sample().Tensors {
		p := python.Tensors[name]
		dtype, _, _ := tensor.kind()
		numpy := map[string]string{"F32": "<f4", "F64": "<f8", "I64": "<i8", "U32": "<u4"}[string(dtype)]
		if p.Dtype != numpy || !slices.Equal(p.Shape, tensor.Shape) || p.Bytes != hex.EncodeToString(encode(nil, tensor.Data)) {
			t.Errorf("%s: Python has read %+v", name, p)
		}
	}
}

// A file that the Python package has written is read with its metadata and
// every value.
func TestRead_WrittenByPython(t *testing.T) {
	f := must(Read(filepath.Join("testdata", "python.safetensors")))(t)
	if f.Checked || f.Metadata["note"] != "two\nlines, <tag>, β" || len(f.Metadata) != 2 || len(f.Tensors) != 7 {
		t.Errorf("%+v", f)
	}
	equal(t, f, "weights", []float32{1.5, float32(math.Copysign(0, -1)), float32(math.Inf(1)), 1e-45, 3.4028235e38, -2.25}, 2, 3)
	equal(t, f, "mean", []float64{0.1, -1e-300, 5e-324}, 3)
	equal(t, f, "index", []int64{-1, 0, 1<<62 + 1}, 3)
	equal(t, f, "seed", []uint32{0, math.MaxUint32}, 2)
	equal(t, f, "scalar", []float64{7.25})
	equal(t, f, "none", []float32{}, 0, 3)
	equal(t, f, `odd β "name"`, []uint32{3}, 1)
}

func equal[T Number](t *testing.T, f *File, name string, want []T, shape ...int) {
	t.Helper()
	got, err := Values[T](f, name, shape...)
	if err != nil || !bytes.Equal(encode(nil, got), encode(nil, want)) {
		t.Errorf("%s is %v: %v", name, got, err)
	}
}

// A tensor of an unsupported type is rejected by its name.
func TestRead_RejectsOtherTypes(t *testing.T) {
	_, err := Read(filepath.Join("testdata", "float16.safetensors"))
	if err == nil || !strings.Contains(err.Error(), `float16.safetensors: tensor "half": dtype "F16" is not supported`) {
		t.Error(err)
	}
}
