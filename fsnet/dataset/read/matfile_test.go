package read

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/fault"
)

// read parses one of the files that SciPy wrote: testdata/make_fixtures.py of package dataset.
func readVariablesMAT(t *testing.T, name string) (matFile, []byte) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", name+".mat"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := parseMAT(name+".mat", content)
	if err != nil {
		t.Fatal(err)
	}
	return file, content
}

func TestNumbers(t *testing.T) {
	nan := math.NaN()
	for name, want := range map[string]struct {
		x, y   string // as people read them
		matrix []float64
		vector []string
	}{
		"plain":        {"X (4×3 double)", "Y (4×1 uint8)", []float64{0.5, -1.25, 1e-3, 2, 0, nan, 3.5, 4, -7, 1, 1, 2}, []string{"2", "1", "2", "1"}},
		"uncompressed": {"X (4×3 double)", "Y (4×1 uint8)", []float64{0.5, -1.25, 1e-3, 2, 0, nan, 3.5, 4, -7, 1, 1, 2}, []string{"2", "1", "2", "1"}},
		"integers":     {"X (4×2 int16)", "Y (4×1 uint8)", []float64{1, -2, 300, 4, 5, 6, 7, 8}, []string{"1", "0", "1", "0"}},
	} {
		file, _ := readVariablesMAT(t, name)
		x, y := file.Lookup("x"), file.Lookup("Y") // in any case
		if len(file.Variables) != 2 || x == nil || y == nil || x.String() != want.x || y.String() != want.y || x.IsText() || file.Lookup("Z") != nil {
			t.Fatalf("%s holds %v", name, file.Variables)
		}
		matrix, _, err := x.Matrix()
		if err != nil || x.CheckMatrix() != nil || !slices.EqualFunc(matrix, want.matrix, func(a float32, b float64) bool { return a == float32(b) || a != a && b != b }) {
			t.Errorf("%s: X is %v, %v", name, matrix, err)
		}
		if vector, err := y.Texts(); err != nil || !slices.Equal(vector, want.vector) {
			t.Errorf("%s: Y is %q, %v", name, vector, err)
		}
	}
}

func TestTexts(t *testing.T) {
	for name, want := range map[string]map[string][]string{
		"named": {"y": {"tumour", "normal", "tumour", "normal"}, "feature_names": {"TP53", "β-actin", "x"}, "samples": {"s1  ", "s22 ", "s333", "s4  "}},
		"text":  {"X": {"abc", "def"}},
	} {
		file, _ := readVariablesMAT(t, name)
		for variable, texts := range want {
			v := file.Lookup(variable)
			if got, err := v.Texts(); err != nil || !v.IsText() || !slices.Equal(got, texts) {
				t.Errorf("%s of %s is %q, %v", variable, name, got, err)
			}
		}
	}
}

// What is no matrix, vector or text is refused by its name, with what to do.
func TestRefusals(t *testing.T) {
	matrix := func(v *matVariable) error { return v.CheckMatrix() }
	texts := func(v *matVariable) error { _, err := v.Texts(); return err }
	for _, c := range []struct {
		file, variable string
		ask            func(*matVariable) error
		words          []string
	}{
		{"complex", "X", matrix, []string{"complex.mat: variable X is complex", "real part"}},
		{"sparse", "X", matrix, []string{"X is sparse", "full(X)"}},
		{"struct", "X", matrix, []string{"class struct"}},
		{"text", "X", matrix, []string{"class char"}},
		{"cube", "X", matrix, []string{"3 dimensions"}},
		{"plain", "X", texts, []string{"4×3, not a vector", "save a vector"}},
		{"names-numbers", "names", texts, []string{"cell 1 of variable names is of class double"}},
		{"names-rows", "names", texts, []string{"cell 2 of variable names holds 2 rows"}},
	} {
		file, _ := readVariablesMAT(t, c.file)
		err := c.ask(file.Lookup(c.variable))
		for _, word := range c.words {
			if !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v, want %q", c.file, err, word)
			}
		}
	}
	for content, word := range map[string]string{"": "not a MAT v5", strings.Repeat("x", 200): "not a MAT v5", "MATLAB 7.3 MAT-file": "HDF5"} {
		if _, err := parseMAT("x.mat", []byte(content)); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), word) {
			t.Errorf("%.20q: %v, want %q", content, err, word)
		}
	}
}

// all asks a file for everything in it; what is wrong with it is a refusal that names the file.
func allMAT(t *testing.T, what string, content []byte) {
	t.Helper()
	file, err := parseMAT("x.mat", content)
	check := func(err error) {
		if err != nil && (!fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "x.mat")) {
			t.Errorf("%s: %v", what, err)
		}
	}
	check(err)
	for i := range file.Variables {
		v := &file.Variables[i]
		_, err := v.Texts()
		check(err)
		if v.CheckMatrix() == nil {
			_, _, err := v.Matrix()
			check(err)
		}
	}
}

// A size that a file claims is refused before anything of that size is made.
func TestFalseSizes(t *testing.T) {
	file, content := readVariablesMAT(t, "uncompressed")
	x := file.Lookup("X")
	claimed := slices.Clone(content)
	x.order.PutUint32(claimed[bytes.Index(content, x.data)+x.body+4:], 1<<31)
	file, err := parseMAT("x.mat", claimed)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := file.Lookup("X").Matrix(); !fault.Is(err, fault.Request) || !strings.Contains(err.Error(), "it promises 2147483648 bytes") {
		t.Errorf("%v", err)
	}
}

// A file that was cut short or changed is refused, or read as far as it is whole: it stops nothing.
func TestDamageMAT(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"plain", "uncompressed", "named"} {
		_, content := readVariablesMAT(t, name)
		for cut := 0; cut < len(content); cut += 3 {
			allMAT(t, name+", cut short", content[:cut])
		}
		for range 100 {
			changed := slices.Clone(content)
			for range 1 + r.IntN(3) {
				changed[128+r.IntN(len(changed)-128)] = byte(r.Uint32())
			}
			allMAT(t, name+", changed", changed)
		}
	}
}

// Lookup finds a variable: exactly, else in any case. It is nil where there is none.
func (f matFile) Lookup(name string) *matVariable {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if i := slices.IndexFunc(f.Variables, func(v matVariable) bool { return same(v.Name, name) }); i >= 0 {
			return &f.Variables[i]
		}
	}
	return nil
}
