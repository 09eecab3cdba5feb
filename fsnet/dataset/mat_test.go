package dataset

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The files are written by SciPy: testdata/make_fixtures.py.
func TestOpen_MAT(t *testing.T) {
	const plain = "|[0.5 -1.25 0.001 2 0 NaN 3.5 4 -7 1 1 2]"
	for file, want := range map[string]string{
		"plain": "feature_0 feature_1 feature_2||[1 0 1 0] of 1 2" + plain, "uncompressed": "feature_0 feature_1 feature_2||[1 0 1 0] of 1 2" + plain,
		"named":    "TP53 β-actin x|s1 s22 s333 s4|[1 0 1 0] of normal tumour" + plain,
		"integers": "feature_0 feature_1||[1 0 1 0] of 0 1|[1 -2 300 4 5 6 7 8]",
	} {
		t.Run(file, func(t *testing.T) {
			d := must(Open(t.Context(), settings(t, "missing=mean", "data="+file+".mat"), "testdata"))(t)
			isWhole(t, d)
			if got := summary(d); got != want {
				t.Errorf("it is %s, not %s", got, want)
			}
		})
	}
}

// A MAT file that can't be read is rejected with the reason.
func TestOpen_RejectsMAT(t *testing.T) {
	plain := must(os.ReadFile("testdata/plain.mat"))(t)
	small := matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, 2), 0}, matElement{"Y", 6, []int32{2, 1}, doubles(1, 2), 0})
	damage := func(at int, bytes ...byte) []byte {
		out := slices.Clone(small)
		copy(out[at:], bytes)
		return out
	}
	for _, test := range []struct {
		name    string
		content []byte
		words   []string
		says    []string
	}{
		{"empty", nil, nil, []string{"a.mat is empty"}},
		{"random", []byte(strings.Repeat("random text ", 50)), nil, []string{"a.mat (600 bytes) is not a MAT v5 file"}},
		{"short", []byte("MATLAB 5.0"), nil, []string{"a.mat (10 bytes) is not a MAT v5 file"}},
		{"7.3", []byte("MATLAB 7.3 MAT-file, Platform: GLNXA64" + strings.Repeat(" ", 600)), nil, []string{"MATLAB 7.3", "truncated or damaged"}},
		{"HDF5", []byte("\x89HDF\r\n\x1a\n" + strings.Repeat(" ", 600)), nil, []string{"HDF5", "-v7"}},
		{"a header only", plain[:128], nil, []string{"a.mat holds no variable"}},
		{"truncated in X", plain[:180], nil, []string{"a.mat is truncated", "44 are there"}},
		{"truncated in Y", plain[:len(plain)-4], nil, []string{"a.mat is truncated"}},
		{"samples", plain, []string{"samples=who"}, []string{"has no variable who"}},
		{"label", plain, []string{"label=classes"}, []string{"no variable classes; it has X (4×3 double), Y (4×1 uint8)"}},
		{"a false size", damage(128+4, 0xff, 0xff, 0xff, 0x7f), nil, []string{"truncated", "promises 2147483647"}},
		{"false dimensions", damage(128+8+16+12, 0xff, 0xff, 0xff, 0x7f), nil, []string{"a.mat: variable X", "but it holds 2"}},
		{"other dimensions", damage(128+8+16+12, 2), nil, []string{"a.mat: variable X is damaged", "need 4 numbers, but it holds 2"}},
		{"a false size of numbers", damage(128+8+16+16+8+4, 0xff, 0xff, 0xff, 0x7f), nil, []string{"a.mat: variable X is damaged", "promises 2147483647 bytes of numbers"}},
		{"flags of another size", damage(128+8+4, 7), nil, []string{"a.mat is damaged", "array flags"}},
		{"a long name", damage(128+8+16+16, 1, 0, 0, 0, 0, 9), nil, []string{"a.mat is damaged", "element of 2304 bytes"}},
		{"an infinite value", matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, math.Inf(1)), 0}, matElement{"Y", 6, []int32{2, 1}, doubles(1, 2), 0}), nil, []string{`row 2, column "feature_0"`, "infinite"}},
		{"a missing class", matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, 3), 0}, matElement{"Y", 6, []int32{2, 1}, doubles(1, math.NaN()), 0}), nil, []string{"row 2, variable Y: the class is missing"}},
		{"a matrix Y", matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, 3), 0}, matElement{"Y", 6, []int32{2, 2}, doubles(1, 2, 3, 4), 0}), nil, []string{"variable Y is 2×2, not a vector"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settings(t, test.words...)
			s.Data = write(t, "a.mat", test.content)
			_, err := Open(context.Background(), s, "")
			isFault(t, err, test.says...)
		})
	}
	for file, says := range map[string][]string{
		"complex":       {"variable X is complex"},
		"sparse":        {"variable X is sparse", "full(X)"},
		"text":          {"variable X is of class char"},
		"cells":         {"variable X is of class cell"},
		"struct":        {"variable X is of class struct"},
		"cube":          {"variable X has 3 dimensions"},
		"empty":         {"variable X is empty (0×3)"},
		"rows":          {"X has 4 rows, Y has 2 classes"},
		"transposed":    {"X has 3 rows, Y has 4 classes", "transposed"},
		"names-few":     {"variable features holds 2 names for 3"},
		"names-empty":   {"name 2 in variable genes is empty"},
		"names-numbers": {"cell 1 of variable names is of class double, not text"},
		"names-rows":    {"cell 2 of variable names holds 2 rows of text"},
		"label-missing": {"row 2, variable Y: the class is missing"},
	} {
		t.Run(file, func(t *testing.T) {
			s := settings(t)
			s.Data = file + ".mat"
			_, err := Open(context.Background(), s, "testdata")
			isFault(t, err, append(says, file+".mat")...)
		})
	}
}

// Every prefix of a file, and every file with one changed byte, is read or
// rejected in one line.
func TestOpen_DamagedMAT(t *testing.T) {
	s := settings(t)
	for _, name := range []string{"plain", "uncompressed", "named"} {
		content := must(os.ReadFile("testdata/" + name + ".mat"))(t)
		whole := must(parsed("a.mat", ".mat", content, s))(t)
		for cut := range content {
			r, err := parsed("a.mat", ".mat", content[:cut], s)
			if err != nil {
				isFault(t, err, "a.mat")
			} else if len(r.X) != len(whole.X) || !slices.Equal(r.Labels, whole.Labels) { // the end may be names, or padding
				t.Errorf("%s cut to %d bytes was read, but not whole", name, cut)
			}
		}
		for at := 124; at < len(content); at++ {
			for _, bit := range []byte{1, 0x80, 0xff} {
				damaged := slices.Clone(content)
				damaged[at] ^= bit
				if _, err := parsed("a.mat", ".mat", damaged, s); err != nil {
					isFault(t, err, "a.mat")
				}
			}
		}
	}
}

// A big-endian MAT file is read.
func TestOpen_BigEndianMAT(t *testing.T) {
	s := settings(t)
	content := matFileOf(binary.BigEndian,
		matElement{"X", 6, []int32{2, 3}, doubles(1, 2, 3, 4, 5, 6), 0},
		matElement{"Y", 6, []int32{1, 2}, doubles(7, 8), 0})
	r := must(parsed("a.mat", ".mat", content, s))(t)
	if !slices.Equal(r.X, []float32{1, 3, 5, 2, 4, 6}) { // columns are stored one after another
		t.Errorf("X is %v", r.X)
	}
	if !slices.Equal(r.Labels, []string{"7", "8"}) {
		t.Errorf("labels are %q", r.Labels)
	}
}

// MATLAB stores numbers in the smallest type that holds them, whatever their
// class.
func TestOpen_StorageOfNumbers(t *testing.T) {
	s := settings(t)
	integers := func(size int, values ...uint64) func(binary.ByteOrder) []byte {
		return func(order binary.ByteOrder) []byte {
			var data []byte
			for _, v := range values {
				whole := make([]byte, 8)
				order.PutUint64(whole, v)
				if order == binary.BigEndian {
					data = append(data, whole[8-size:]...)
				} else {
					data = append(data, whole[:size]...)
				}
			}
			return data
		}
	}
	minus := func(v uint64) uint64 { return -v }
	for _, test := range []struct {
		storage int
		data    func(binary.ByteOrder) []byte
		want    []float32
	}{
		{1, integers(1, 100, minus(3)), []float32{100, -3}},
		{2, integers(1, 200, 3), []float32{200, 3}},
		{3, integers(2, 30000, minus(3)), []float32{30000, -3}},
		{4, integers(2, 60000, 3), []float32{60000, 3}},
		{5, integers(4, 1<<30, minus(3)), []float32{1 << 30, -3}},
		{6, integers(4, 1<<31, 3), []float32{1 << 31, 3}},
		{7, integers(4, uint64(math.Float32bits(0.1)), uint64(math.Float32bits(-2))), []float32{0.1, -2}},
		{9, doubles(0.1, -2), []float32{0.1, -2}},
		{12, integers(8, 1<<40, minus(3)), []float32{1 << 40, -3}},
		{13, integers(8, 1<<63, 3), []float32{1 << 63, 3}},
	} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			content := matFileOf(order, matElement{"X", 6, []int32{2, 1}, test.data, test.storage}, matElement{"Y", 6, []int32{2, 1}, doubles(1, 2), 0})
			r, err := parsed("a.mat", ".mat", content, s)
			if err != nil {
				t.Errorf("type %d, %v: %v", test.storage, order, err)
			} else if !slices.Equal(r.X, test.want) {
				t.Errorf("type %d, %v: %v, want %v", test.storage, order, r.X, test.want)
			}
		}
	}
	content := matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, 2), 10}, matElement{"Y", 6, []int32{2, 1}, doubles(1, 2), 0})
	_, err := parsed("a.mat", ".mat", content, s)
	isFault(t, err, "a.mat: variable X is damaged")
}

// A file of names next to a MAT file names its features, or is rejected if it
// doesn't fit.
func TestOpen_NamesFile(t *testing.T) {
	plain := must(os.ReadFile("testdata/plain.mat"))(t)
	for _, test := range []struct{ name, content, says string }{
		{name: "three", content: "a\r\nb \r\nc\r\n"},
		{"two", "a\nb\n", "a.features.txt has 2 lines, a.mat has 3 features"},
		{"an empty one", "a\n\nc\n", "a.features.txt: line 2 is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := settings(t, "missing=mean")
			s.Data = write(t, "a.mat", plain)
			if err := os.WriteFile(filepath.Join(filepath.Dir(s.Data), "a.features.txt"), []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := Open(context.Background(), s, "")
			if test.says != "" {
				isFault(t, err, test.says)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(d.Features, []string{"a", "b", "c"}) || !strings.Contains(d.Source, "names from a.features.txt") {
				t.Errorf("features %q, source %q", d.Features, d.Source)
			}
		})
	}
}

// matElement is a variable for matFileOf.
type matElement struct {
	name  string
	class byte
	dims  []int32
	data  func(binary.ByteOrder) []byte

	storage int // type of the element of numbers; 0 is double
}

func doubles(values ...float64) func(binary.ByteOrder) []byte {
	return func(order binary.ByteOrder) []byte {
		data := make([]byte, 8*len(values))
		for i, v := range values {
			order.PutUint64(data[8*i:], math.Float64bits(v))
		}
		return data
	}
}

// matFileOf writes an uncompressed MAT v5 file. At byte 128 stands the tag of
// the first variable, then its flags (16 bytes with their tag), its dimensions
// (16), its name (8) and its numbers.
func matFileOf(order binary.ByteOrder, variables ...matElement) []byte {
	file := make([]byte, 128)
	copy(file, "MATLAB 5.0 MAT-file, written by a test")
	order.PutUint16(file[124:], 0x0100)
	order.PutUint16(file[126:], 0x4d49)
	element := func(kind int, data []byte) []byte {
		out := make([]byte, 8, 8+len(data)+8)
		order.PutUint32(out, uint32(kind))
		order.PutUint32(out[4:], uint32(len(data)))
		out = append(out, data...)
		return append(out, make([]byte, -len(data)&7)...)
	}
	for _, v := range variables {
		flags := make([]byte, 8)
		order.PutUint32(flags, uint32(v.class))
		dims := make([]byte, 4*len(v.dims))
		for i, d := range v.dims {
			order.PutUint32(dims[4*i:], uint32(d))
		}
		name := make([]byte, 8)
		order.PutUint32(name, uint32(len(v.name))<<16|1)
		copy(name[4:], v.name)
		file = append(file, element(14, slices.Concat(element(6, flags), element(5, dims), name, element(cmp.Or(v.storage, 9), v.data(order))))...)
	}
	return file
}

// If the variables of a MAT file have other names, it is read with the keys
// that the error offers.
func TestOpen_OtherVariables(t *testing.T) {
	s := settings(t, "missing=mean")
	s.Data = "testdata/other.mat"
	_, err := Open(t.Context(), s, "")
	isFault(t, err, "other.mat", "no variable X; it has data (4×3 double), labels (4×1 uint8)", "x=data label=labels")
	s.X, s.Label = "data", "labels"
	d, err := Open(t.Context(), s, "")
	if err != nil || d.N != 4 || d.D != 3 {
		t.Fatalf("%+v, %v", d, err)
	}
	isWhole(t, d)
}
