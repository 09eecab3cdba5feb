package read

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/tests/kit/fixtures"
)

// FuzzNumPy reads or refuses any bytes in one line, and makes no more values
// than they can hold.
func FuzzNumPy(f *testing.F) {
	for _, content := range fixtures.All(f, "../testdata/tables/*.npz") {
		f.Add(content)
	}
	for _, content := range fixtures.All(f, "../testdata/tables/*arrays/*.npy") {
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) { whole(t, content) })
}

// whole reads all arrays of an archive.
func whole(t *testing.T, content []byte) {
	t.Helper()
	arrays, err := openNumPy("x.npz", bytes.NewReader(content), int64(len(content)))
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is more than one line", err)
	}
	alone, err := openNumPyArray("x", "x.npy", uint64(len(content)), 1, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
	if err == nil {
		arrays = append(arrays, alone)
	}
	for _, a := range arrays {
		texts, err := a.Texts()
		n := len(texts)
		if !a.IsText() && err == nil {
			_, _, err = a.Matrix()
		}
		if n > 1032*(len(content)+1) {
			t.Errorf("%d bytes made %d values", len(content), n)
		}
		if err == nil && n != a.count() || strings.Contains(a.String(), "\n") && !strings.Contains(a.name, "\n") {
			t.Errorf("%s has %d values", a, n)
		}
	}
}

// A covariate joins a matrix that stays sparse, even one whose features have no
// names.
func TestNumPy_CovariateOfSparseMatrix(t *testing.T) {
	var content bytes.Buffer
	w := zip.NewWriter(&content)
	for name, values := range map[string]any{"indptr": []int32{0, 1, 1, 2}, "indices": []int32{1, 0}, "data": []float64{5, 6}, "shape": []int64{3, 2}, "y": []int32{1, 2, 1}, "age": []int32{40, 41, 42}} {
		v := reflect.ValueOf(values)
		kind := map[reflect.Kind]string{reflect.Int32: "i4", reflect.Int64: "i8", reflect.Float64: "f8"}[v.Type().Elem().Kind()]
		header := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': (%d,)}", kind, v.Len())
		f := must(w.Create(name + ".npy"))(t)
		must(fmt.Fprintf(f, "\x93NUMPY\x01\x00%c\x00%s", len(header), header))(t)
		must(0, binary.Write(f, binary.LittleEndian, values))(t)
	}
	must(0, w.Close())(t)
	file := bytes.NewReader(content.Bytes())
	f := must(Detect("a.npz", ".npz", file))(t)
	r := must(f.Read(t.Context(), config.Settings{Label: "y", Covariates: []string{"age"}}, Options{Alone: true, Dense: 1}))(t)
	if _, width := r.Source.Shape(); width != 3 || !slices.Equal(r.Features, []string{"feature_0", "feature_1", "age"}) {
		t.Errorf("%d columns, called %q", width, r.Features)
	}
}

// With any byte changed or cut off, an archive is read or rejected.
func TestNumPy_Damaged(t *testing.T) {
	for _, name := range []string{"codes.npz", "half.npz", "shapes.npz", "arrays/X.npy", "arrays/y.npy"} {
		content := must(os.ReadFile("../testdata/tables/" + name))(t)
		for i := range content {
			whole(t, content[:i])
			damaged := bytes.Clone(content)
			damaged[i] ^= 1 << (i % 8)
			whole(t, damaged)
			damaged[i] = 0xff
			whole(t, damaged)
		}
	}
}

// A false compressed size must not allocate the values that so many bytes could
// hold.
func TestNumPy_FalsePackedSize(t *testing.T) {
	var content bytes.Buffer
	array := "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000,)}"
	for _, size := range []uint64{uint64(len(array)), 1 << 40} {
		content.Reset()
		w := zip.NewWriter(&content)
		f, err := w.CreateRaw(&zip.FileHeader{Name: "y.npy", Method: zip.Store, CompressedSize64: size, UncompressedSize64: size})
		if err == nil {
			_, err = f.Write([]byte(array))
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = openNumPy("x.npz", bytes.NewReader(content.Bytes()), int64(content.Len()))
		if says := err != nil && strings.Contains(err.Error(), "are more than the"); says != (size > 1<<30) {
			t.Errorf("%d packed bytes: %v", size, err)
		}
	}
}
