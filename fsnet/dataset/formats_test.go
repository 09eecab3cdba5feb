package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/dataset/read"
)

// reference is testdata/tables/reference.tsv, read without any reader of this
// package: testdata/make_tables.py wrote it and its foreign twins.
type reference struct {
	features, samples, labels []string
	x                         []float32
}

func readReference(t testing.TB) reference {
	t.Helper()
	content := must(os.ReadFile("testdata/tables/reference.tsv"))(t)
	var r reference
	for i, line := range strings.Split(strings.TrimSpace(string(content)), "\n") {
		cells := strings.Split(line, "\t")
		last := len(cells) - 1
		if i == 0 {
			r.features = cells[1:last]
			continue
		}
		r.samples, r.labels = append(r.samples, cells[0]), append(r.labels, cells[last])
		for _, cell := range cells[1:last] {
			x, err := strconv.ParseFloat(cell, 64)
			if cell == "" {
				x, err = math.NaN(), nil
			}
			if err != nil {
				t.Fatal(err)
			}
			r.x = append(r.x, float32(x))
		}
	}
	return r
}

func openFixture(t testing.TB, file string, words ...string) (*Dataset, error) {
	t.Helper()
	s := settings(t, append([]string{"missing=mean"}, words...)...)
	s.Data = filepath.Join("testdata", "tables", file)
	return Open(t.Context(), s, "")
}

// isReference checks that a data set is the reference, whatever may differ
// between formats.
func (want reference) isReference(t *testing.T, d *Dataset) {
	t.Helper()
	isWhole(t, d)
	if !slices.EqualFunc(d.X, want.x, equalOrNaN) {
		t.Errorf("X is %v,\nwant %v", d.X, want.x)
	}
	labels := make([]string, d.N)
	for i, y := range d.Y {
		labels[i] = d.Classes[y]
	}
	if !slices.Equal(d.Features, want.features) || !slices.Equal(d.Samples, want.samples) || !slices.Equal(labels, want.labels) {
		t.Errorf("features %q, samples %q, labels %q", d.Features, d.Samples, labels)
	}
}

// The same table in every format, written by the format's own libraries, is the
// same data set.
func TestOpen_Formats(t *testing.T) {
	want := readReference(t)
	for _, test := range []struct {
		file   string
		words  []string
		source string
	}{
		{file: "comma.csv.gz"}, {file: "comma.csv.zst"}, {file: "two-members.csv.gz"}, {file: "marked.csv"},
		{file: "decimal.csv", source: "with decimal commas"}, {file: "bars.txt", source: "with decimal commas"},
		{file: "utf16-little.txt"}, {file: "utf16-big.csv"}, {file: "utf16.csv.gz", source: "with decimal commas"},
		{file: "named.npz"}, {file: "shapes.npz", words: []string{"x=data", "label=kind"}, source: "without samples"},
		{file: "bytes.npz", words: []string{"x=measured"}},
		{file: "arrays/X.npy"}, {file: "arrays/X.npy", words: []string{"label=y.npy", "groups=donor"}},
		{file: "arrays/X.npy", words: []string{"label=../fortran/kinds"}}, {file: "fortran/expression.npy", words: []string{"label=kinds"}},
		{file: "pandas.xlsx"}, {file: "xlsxwriter.xlsx"}, {file: "openpyxl.xlsx", source: `only its first sheet, "Expression & co", is read`},
		{file: "with.gct"}, {file: "cmap.gct", words: []string{"label=diagnosis"}}, {file: "cmap.gct"},
		{file: "pandas.parquet"}, {file: "category.parquet"}, {file: "groups.parquet"}, {file: "encodings.parquet", words: []string{"samples=sample"}},
		{file: "lz4.parquet", words: []string{"samples=sample"}}, {file: "brotli.parquet", words: []string{"samples=sample"}},
		{file: "category.feather"}, {file: "zstd.feather", words: []string{"samples=sample"}}, {file: "file.arrow", words: []string{"samples=sample"}}, {file: "stream.arrows", words: []string{"samples=sample"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			d := must(openFixture(t, test.file, test.words...))(t)
			want := want
			if test.source == "without samples" {
				want.samples, test.source = nil, ""
			}
			want.isReference(t, d)
			if !strings.Contains(d.Source, test.source) {
				t.Errorf("source %q does not say %q", d.Source, test.source)
			}
			name, _, _ := strings.Cut(filepath.Base(test.file), ".")
			if d.Name != name {
				t.Errorf("it is called %q", d.Name)
			}
		})
	}
}

// Numbers of every type, a code that is a feature, and a label of whole numbers
// with one missing are read.
func TestOpen_KindsOfColumns(t *testing.T) {
	half := readReference(t).x[1:]
	for file, decimals := range map[string]bool{"kinds.parquet": true, "kinds.feather": false} {
		d := must(openFixture(t, file, "missing=drop"))(t)
		features := []string{"bool", "half", "i8", "u64", "cents", "group"}
		if !decimals {
			features = slices.Delete(features, 4, 5)
		}
		if d.N != 11 || !slices.Equal(d.Features, features) || !slices.Equal(d.Classes, []string{"0", "1"}) {
			t.Fatalf("%s: %+v", file, d)
		}
		for row := range d.N {
			i := row
			if i >= 2 {
				i++ // the row without a class
			}
			want := []float32{float32(1 - i%2), 0, 0, float32(1<<40 + i), float32(i) / 4, float32(i % 3)}
			if !decimals {
				want = slices.Delete(want, 4, 5)
			}
			got := slices.Clone(d.X[row*d.D : (row+1)*d.D])
			if single := half[4*i]; math.Abs(float64(got[1]-single)) > 1e-3*(1+math.Abs(float64(single))) {
				t.Errorf("%s: half of row %d is %v, want about %v", file, i, got[1], single)
			}
			got[1], got[2] = 0, 0
			if !slices.Equal(got, want) {
				t.Errorf("%s: row %d is %v, want %v", file, i, got, want)
			}
		}
	}
}

// A series matrix of GEO is read with the descriptions of its samples as labels
// and covariates.
func TestOpen_SeriesMatrix(t *testing.T) {
	want := readReference(t)
	for i := range want.samples {
		want.samples[i] = "GSM" + strconv.Itoa(1000+i)
	}
	d := must(openFixture(t, "GSE1_series_matrix.txt.gz", "label=disease state"))(t)
	want.isReference(t, d)
	// A sample without a tissue has its age a line further up.
	d = must(openFixture(t, "GSE1_series_matrix.txt.gz", "label=tissue", "covariates=age", "missing=drop"))(t)
	ages := make([]float32, d.N)
	for i := range d.N {
		ages[i] = d.At(i, d.D-1)
	}
	if d.N != 10 || d.dropped != 2 || !slices.Equal(d.Classes, []string{"colon", "ileum"}) || d.Features[d.D-1] != "age" || !slices.Equal(ages, []float32{40, 41, 42, 45, 46, 47, 48, 49, 50, 51}) {
		t.Errorf("%+v, ages %v", d, ages)
	}
	names, err := Header(t.Context(), "testdata/tables/GSE1_series_matrix.txt.gz", "")
	if err != nil || !slices.Equal(names.Words, []string{"title", "geo_accession", "source_name_ch1", "disease state", "tissue", "age", "data_row_count"}) {
		t.Errorf("to choose from are %q, %v", names, err)
	}
}

// Text that isn't UTF-8 is read as Windows-1252, whatever its format, and the
// data set says so.
func TestOpen_ExpressionNotUTF8(t *testing.T) {
	head := "!Sample_characteristics_ch1\t\"kind: Z\xfcrich\"\t\"kind: Bern\"\n!series_matrix_table_begin\n\"ID_REF\"\t\"s1\"\t\"s2\"\n"
	for name, content := range map[string]string{
		"a.gct":               "#1.3\n1\t2\t0\t1\nid\ts1\ts2\nkind\tZ\xfcrich\tBern\ng1\t1\t2\n",
		"a_series_matrix.txt": "!Series_title\t\"x\"\n" + head + "\"g1\"\t1\t2\n!series_matrix_table_end\n",
	} {
		d := must(openText(t, name, content, "label=kind"))(t)
		if !slices.Contains(d.Classes, "Zürich") || !strings.Contains(d.Source, "read as Windows-1252") {
			t.Errorf("%s: %q, %s", name, d.Classes, d.Source)
		}
	}
}

// Classes may be codes in one byte or truth values, and numbers may have 16
// bits.
func TestOpen_NumPy(t *testing.T) {
	want := readReference(t)
	d := must(openFixture(t, "codes.npz"))(t)
	if same := slices.EqualFunc(d.X, want.x, equalOrNaN); !same || !slices.Equal(d.Classes, []string{"0", "1", "2"}) || !slices.Equal(d.Y[:4], []int{0, 1, 2, 0}) {
		t.Errorf("%+v", d)
	}
	d = must(openFixture(t, "half.npz"))(t)
	nan := float32(math.NaN())
	if want := []float32{0.5, -2, 65504, nan, 5.9604645e-08, 1}; !slices.EqualFunc(d.X, want, equalOrNaN) || !slices.Equal(d.Y, []int{1, 0, 1}) {
		t.Errorf("%+v", d)
	}
	names, err := Header(t.Context(), "testdata/tables/arrays/X.npy", "")
	if err != nil || !slices.Equal(names.Words, []string{"donor", "feature_names", "samples", "y"}) {
		t.Errorf("beside the array are %q, %v", names, err)
	}
	if d, err = openFixture(t, "arrays/X.npy", "groups=donor"); err != nil || len(d.Groups.Names) != 6 || d.Groups.Of[11] != 5 {
		t.Errorf("groups are %+v, %v", d, err)
	}
	array := must(os.ReadFile("testdata/tables/arrays/X.npy"))(t)
	_, err = Read(t.Context(), bytes.NewReader(array), ".npy", settings(t, "data=testdata/tables/arrays/X"))
	isFault(t, err, "a NumPy array, which holds no classes", "numpy.savez") // what lies about is not its
	names, err = Header(t.Context(), "testdata/tables/named.npz", "")
	if err != nil || !slices.Equal(names.Words, []string{"X", "y", "feature_names", "samples"}) {
		t.Errorf("to choose from are %q, %v", names, err)
	}
}

// array is a vector in NumPy's format.
func array(t *testing.T, descr string, values any) []byte {
	t.Helper()
	n := reflect.ValueOf(values).Len()
	if text, is := values.(string); is {
		n = map[bool]int{true: 1, false: len(text)}[descr[:2] == "|S" && descr != "|S1"]
		values = []byte(text)
	}
	shape := fmt.Sprintf("(%d,)", n)
	if descr == "|S3" {
		shape = "()"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape)
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	out = must(binary.Append(append(out, header...), binary.LittleEndian, values))(t)
	return out
}

// A sparse matrix of SciPy has the measurements in any of its layouts, and the
// classes are next to it.
func TestOpen_SparseMatricesOfSciPy(t *testing.T) {
	_, err := openFixture(t, "scipy.npz")
	isFault(t, err, "has no variable Y", "X (36×12 sparse)")
	want := must(New("x", []float32{0, 5, 0, 0, 1, 0, 2, 0, 3}, nil, []string{"u", "v", "u"}))(t)
	for format, arrays := range map[string]map[string][]byte{
		"csr": {"indptr": array(t, "<i4", []int32{0, 1, 2, 5}), "indices": array(t, "<i4", []int32{1, 1, 2, 0, 2}), "data": array(t, "<f8", []float64{5, 1, 1, 2, 2})},
		"csc": {"indptr": array(t, "<i8", []int64{0, 1, 3, 4}), "indices": array(t, "<i4", []int32{2, 0, 1, 2}), "data": array(t, "<f4", []float32{2, 5, 1, 3})},
		"coo": {"row": array(t, "<i4", []int32{2, 0, 1, 2}), "col": array(t, "<i4", []int32{0, 1, 1, 2}), "data": array(t, "<i8", []int64{2, 5, 1, 3})},
	} {
		arrays["format"], arrays["shape"] = array(t, "|S3", format), array(t, "<i8", []int64{3, 3})
		path := write(t, "counts.npz", zipOf(t, arrays))
		s := settings(t, "data="+path)
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "y.npy"), array(t, "|S1", "uvu"), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(t.Context(), s, "")
		if err != nil || d.Hash != want.Hash {
			t.Fatalf("%s: %v, %v", format, d, err)
		}
		file := must(os.Open(path))(t)
		defer file.Close()
		f := must(read.Detect(path, ".npz", file))(t)
		thin, _, err := readFile(t.Context(), f, path, s, read.Options{Dense: 1})
		if err != nil || !thin.Sparse() {
			t.Fatal(err)
		}
		if whole, err := thin.Dense(t.Context(), "a test"); err != nil || whole.Hash != want.Hash {
			t.Errorf("%s: it is another one where it stays sparse: %v", format, err)
		}
	}
	for says, change := range map[string]map[string][]byte{
		"does not lead from 0 to 1": {"indptr": array(t, "<i4", []int32{0, 2, 1, 1})}, "a place 7 of 3": {"indices": array(t, "<i4", []int32{7})},
		`of the format ["dia"]`: {"format": array(t, "|S3", "dia")}, "2 numbers in 1 places": {"data": array(t, "<f8", []float64{1, 2})},
		"its shape is [3]": {"shape": array(t, "<i8", []int64{3})}, "GB": {"shape": array(t, "<i8", []int64{3, 2147483646})},
	} {
		arrays := map[string][]byte{"indptr": array(t, "<i4", []int32{0, 1, 1, 1}), "indices": array(t, "<i4", []int32{1}), "data": array(t, "<f8", []float64{1}),
			"format": array(t, "|S3", "csr"), "shape": array(t, "<i8", []int64{3, 3}), "y": array(t, "|S1", "uvu")}
		maps.Copy(arrays, change)
		_, err := Open(t.Context(), settings(t, "data="+write(t, "bad.npz", zipOf(t, arrays))), "")
		isFault(t, err, says)
	}
}

func zipOf(t *testing.T, arrays map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		f, err := w.Create(name + ".npy")
		if err == nil {
			_, err = f.Write(arrays[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A format that content identifies is found without the file's extension as
// well.
func TestOpen_WithoutExtension(t *testing.T) {
	files, err := filepath.Glob("testdata/tables/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range append(files, "testdata/plain.mat", "testdata/cells/v73.mat", "testdata/cells/anndata-0.8-csr.h5ad", "testdata/cells/cellranger.h5") {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "bad-") || slices.Contains([]string{".tsv", ".txt", ".cls", ".gct"}, filepath.Ext(name)) || !slices.Contains(Extensions(), filepath.Ext(name)) {
			continue
		}
		content := must(os.ReadFile(file))(t)
		s := config.Settings{Missing: "mean", Data: file}
		for path, other := range map[string]string{file: "", write(t, "x", content): "without a name"} {
			f := must(os.Open(path))(t)
			defer f.Close()
			found, err := read.Detect(path, filepath.Ext(path), f)
			if err != nil {
				t.Errorf("%s %s: %v", name, other, err)
			} else if want, err := read.Detect(file, filepath.Ext(file), f); err != nil || found.Name != want.Name {
				t.Errorf("%s %s is taken for a %s, %v, %v", name, other, found.Name, err, s)
			}
		}
	}
}

// A file that can't be read is rejected with the reason and what to do.
func TestOpen_RejectsFormats(t *testing.T) {
	for _, test := range []struct {
		file  string
		words []string
		says  []string
	}{
		{"bad-tar.tar.gz", nil, []string{"is packed with gzip and holds no text", "unpack it"}},
		{"GSE1_series_matrix.txt.gz", nil, []string{"no column that describes its rows is called label", `label=; it could be "source_name_ch1", "disease state", "tissue"`}},
		{"GSE1_series_matrix.txt.gz", []string{"label=tisue"}, []string{`no column "tisue" (label) that describes its rows`, "did you mean tissue?"}},
		{"GSE1_series_matrix.txt.gz", []string{"label=zzz"}, []string{`no column "zzz" (label)`, `it has "title", "geo_accession", "source_name_ch1"`}},
		{"GSE1_series_matrix.txt.gz", []string{"label=tissue", "samples=title"}, []string{"a column for each sample", "leave samples= out"}},
		{"bad-cut_series_matrix.txt", []string{"label=tissue"}, []string{"is incomplete", "!series_matrix_table_end"}},
		{"bad-no-values_series_matrix.txt", []string{"label=tissue"}, []string{"has no numbers", "supplementary files"}},
		{"bad-ragged_series_matrix.txt", []string{"label=tissue"}, []string{"line 16 has 2 values for 12 samples"}},
		{"bad-no-classes.gct", nil, []string{"holds no classes", "bad-no-classes.cls"}},
		{"bad-counts.gct", []string{"label=x"}, []string{"holds no classes"}},
		{"shapes.npz", nil, []string{"has no variable X; it has data (12×4 f8), kind (12 texts), columns (4 texts)", "x=data label=kind"}},
		{"shapes.npz", []string{"x=dat"}, []string{"has no variable dat", "did you mean data?"}},
		{"shapes.npz", []string{"x=kind", "label=kind"}, []string{"kind (12 texts) holds no numbers"}},
		{"named.npz", []string{"covariates=sex"}, []string{"has no variable sex"}},
		{"bad-two.npz", nil, []string{"has no variable X", "x=a label=y"}},
		{"bad-no-classes.npz", nil, []string{"has no variable Y"}},
		{"bad-objects.npz", nil, []string{`"y" holds Python objects`, "numpy.savez"}},
		{"bad-complex.npz", nil, []string{"X (12×4 complex numbers) holds no numbers"}},
		{"bad-arrays/alone.npy", nil, []string{"has no variable Y", "name its variables, as in label=objects"}},
		{"bad-arrays/alone.npy", []string{"label=objects"}, []string{"holds Python objects", "numpy.savez"}},
		{"bad-arrays/alone.npy", []string{"label=structured"}, []string{"holds records"}},
		{"bad-arrays/alone.npy", []string{"label=nowhere.npy"}, []string{"has no variable nowhere.npy"}},
		{"bad-arrays/alone.npy", []string{"label=../fortran/few.npy"}, []string{"alone has 12 rows, ../fortran/few.npy has 5 classes"}},
		{"bad-arrays/alone.npy", []string{"label=../arrays/y.npy", "groups=../fortran/few"}, []string{"../fortran/few has 5 values for 12 rows"}},
		{"bad-arrays/alone.npy", []string{"x=alone"}, []string{"x names a variable of a .mat or .npz file"}},
		{"bad-arrays/alone.npy", []string{"label=../arrays"}, []string{"has no variable ../arrays"}},
		{"bad-arrays/structured.npy", []string{"label=../arrays/y"}, []string{"holds no numbers"}},
		{"bad-arrays/vector.npy", []string{"label=../arrays/y"}, []string{"1 dimension -", "save a matrix"}},
		{"bad-arrays/transposed.npy", []string{"label=../arrays/y"}, []string{"transposed has 4 rows, ../arrays/y has 12 classes"}},
		{"bad-arrays/cut.npy", []string{"label=../arrays/y"}, []string{"300", "48 values"}},
		{"pandas.parquet", []string{"x=X"}, []string{"x names a variable of a .mat or .npz file"}},
		{"bad-date.parquet", nil, []string{`column "day" holds dates or times`, "take the column out"}},
		{"bad-list.parquet", nil, []string{"holds lists"}}, {"bad-struct.parquet", nil, []string{`column "nested.a" holds records`}}, {"bad-list.feather", nil, []string{"holds lists"}},
		{"bad-version-1.feather", nil, []string{"a Feather file of version 1", "to_parquet"}},
		{"groups.parquet", []string{"label=kind"}, []string{`no column or row "kind"`, `it could be "diagnosis"`}},
		{"bad-error.xlsx", nil, []string{`cell A2 of sheet "Sheet" holds the error #DIV/0!`, "correct it in Excel"}},
		{"bad-empty.xlsx", nil, []string{"holds no line"}},
		{"bad-date.xlsx", []string{"label=2024-09-02"}, []string{`column "label": "u" is not a number`}},
	} {
		t.Run(test.file, func(t *testing.T) {
			d, err := openFixture(t, test.file, test.words...)
			if err == nil {
				t.Fatalf("was read: %+v", d)
			}
			where := test.file
			if dir := filepath.Dir(where); dir != "." { // which of the arrays there is wrong says the message
				where = dir
			}
			isFault(t, err, append(test.says, where)...)
		})
	}
}

// Text, and whole numbers above 2⁵³, are told apart as the file spells them, in
// every format that has types.
func TestOpen_KeepsSpellingsApart(t *testing.T) {
	big := []string{"9007199254740992", "9007199254740993", "9007199254740994", "9007199254740995"}
	for _, file := range []string{"spelt.parquet", "spelt.feather", "spelt.xlsx", "spelt.npz", "spelt.mat", "spelt.h5ad"} {
		for column, want := range map[string][]string{
			"donor": {"1e3", "001017", "1017", "1017.0"},
			"big":   big,
			"real":  {"1", "2", "2.5", "1000000"},
		} {
			if column == "big" && filepath.Ext(file) == ".xlsx" { // Excel has 15 digits
				continue
			}
			words := []string{"groups=" + column}
			if covariates := "covariates=donor"; filepath.Ext(file) != ".npz" && filepath.Ext(file) != ".mat" && column != "donor" {
				words = append(words, covariates, "row_weights=real", "nuisance=big")
				if filepath.Ext(file) == ".xlsx" {
					words[3] = "nuisance=real"
				}
			}
			if filepath.Ext(file) == ".parquet" {
				words = append(words, "nuisance=exact", "row_weights=big")
			}
			d, err := openFixture(t, file, append(words, "missing=mean")...)
			if err != nil {
				t.Errorf("%s, %s: %v", file, column, err)
				continue
			}
			if !slices.Equal(d.Classes, []string{"01", "1", "345.1", "345.10"}) || !slices.Equal(d.Y[:4], []int{3, 2, 0, 1}) {
				t.Errorf("%s: classes %q, %v", file, d.Classes, d.Y)
			}
			if !slices.Equal(d.Groups.Names, want) {
				t.Errorf("%s: groups by %s are %q, want %q", file, column, d.Groups.Names, want)
			}
			if len(words) > 1 && column != "donor" && (d.D < 7 || !slices.Contains(d.Features, "donor=1017.0") || slices.Contains(d.Features, "donor")) {
				t.Errorf("%s: features %q", file, d.Features)
			}
			if filepath.Ext(file) == ".parquet" && !slices.Equal(d.Nuisance.Names, []string{"9007199254740993", "9007199254740994"}) {
				t.Errorf("%s: decimals are %q", file, d.Nuisance.Names)
			}
		}
	}
}

// The numbers of an HDF5 enumeration mean its names. NA, or a number without a
// name, is missing, as in R's logicals and factors.
func TestOpen_Enumerations(t *testing.T) {
	for column, want := range map[string][]string{"logical": {"False", "True"}, "factor": {"case", "ctl", "other"}, "wide": {"high", "low"}} {
		_, err := openFixture(t, "spelt.h5ad", "label="+column, "missing=error")
		isFault(t, err, `column "`+column+`": the class is missing`)
		d, err := openFixture(t, "spelt.h5ad", "label="+column, "missing=drop")
		if err != nil || d.N != 6 || !slices.Equal(d.Classes, want) {
			t.Errorf("%s: %v, %v", column, d, err)
		}
	}
	d, err := openFixture(t, "spelt.h5ad", "covariates=factor", "missing=mean")
	if err != nil || !slices.Equal(d.Features[3:], []string{"factor=case", "factor=ctl", "factor=other"}) || d.At(0, 4) != 1 || d.At(3, 4) == d.At(3, 4) {
		t.Errorf("%v, %v", d, err)
	}
}

// A table without types tells 01 from 1, and reads 1.0 as 1 and says so. You
// may name a value in either spelling.
func TestOpen_SpellingsOfText(t *testing.T) {
	const text = "g,h,fold,donor,label\n1,2,1,7,u\n2,1,1.0,007,v\n3,5,01,7.0,u\n4,4,2,007,v\n5,3,01,8,u\n6,9,2,8,v\n"
	if _, err := openText(t, "a.csv", text, "split=column:fold=1.0", "groups=donor", "nuisance=fold"); err == nil {
		t.Error("donor 7 is on both sides")
	}
	d := must(openText(t, "a.csv", text, "split=column:fold=1.0", "nuisance=donor"))(t)
	p, err := Split(d, settings(t, "split=column:fold=1.0"))
	if err != nil || !slices.Equal(p.Test, []int{0, 1}) || !slices.Equal(d.Nuisance.Names, []string{"007", "7", "8"}) {
		t.Errorf("%v, %q, %v", p, d.Nuisance.Names, err)
	}
	for _, note := range []string{`column "fold": 1 and 1.0 are taken for one`, `column "donor": 7 and 7.0 are taken for one`} {
		if !strings.Contains(d.Source, note) {
			t.Errorf("%q does not say %q", d.Source, note)
		}
	}
}

// If a feature varies, but not in 32 bits, the error names it and what to
// subtract, whatever the file. Constant columns are accepted.
func TestOpen_LostIn32Bits(t *testing.T) {
	const note = "differ in the file, but hardly in the 32 bits that are computed with: subtract 16777216 from them"
	has := func(what, feature string, d *Dataset, err error) {
		t.Helper()
		if err != nil || strings.Count(d.Source, note) != 1 || !strings.Contains(d.Source, fmt.Sprintf("the values of %q %s", feature, note)) {
			t.Errorf("%s: %+v, %v", what, d, err)
		}
	}
	for _, file := range []string{"spelt.parquet", "spelt.feather", "spelt.xlsx", "spelt.npz", "spelt.mat", "spelt.h5ad"} {
		d, err := openFixture(t, file, "groups=donor", "missing=mean")
		name := "pos"
		if d != nil && !slices.Contains(d.Features, "pos") { // an archive without names
			name = "feature_2"
		}
		has(file, name, d, err)
	}
	for file, text := range map[string]string{
		"a.csv": "g,epoch,pos,label\n1,1700000000,16777216,u\n2,1700000000,16777217,v\n",
		"b.csv": "name,p,q\ng,1,2\nepoch,1700000000,1700000000\npos,16777217,16777216\nlabel,u,v\n",
		"c.gct": "#1.3\n3\t2\t0\t1\nid\tp\tq\nlabel\tu\tv\ng\t1\t2\nepoch\t1700000000\t1700000000\npos\t16777217\t16777216\n",
	} {
		d, err := openText(t, file, text)
		has(file, "pos", d, err)
	}
	d, err := openText(t, "a.csv", "g,pos,label\n1,16777216,u\n2,16777217,v\n", "covariates=pos")
	has("a covariate", "pos", d, err)
	d, err = FromMatrix("toy", mat.NewDense(2, 2, []float64{16777216, 1, 16777217, 1}), []string{"pos", "one"}, []string{"u", "v"})
	has("in memory", "pos", d, err)
}

// Features without any value are named, also those of the null type of Parquet
// and Arrow. They aren't taken for dates.
func TestOpen_FeaturesWithoutValues(t *testing.T) {
	const note = "1 feature without any value set aside: "
	for _, file := range []string{"spelt.parquet", "spelt.feather"} {
		d, err := openFixture(t, file, "groups=donor", "missing=mean")
		if err != nil || !strings.Contains(d.Source, note+`"nothing"`) {
			t.Errorf("%s: %+v, %v", file, d, err)
		}
		_, err = openFixture(t, file, "groups=donor", "missing=error")
		isFault(t, err, `column "nothing": the value is missing`)
		d, err = openFixture(t, file, "groups=donor", "missing=mean", "covariates=nothing")
		if err != nil || !strings.Contains(d.Source, note+`"nothing"`) {
			t.Errorf("%s as a covariate: %+v, %v", file, d, err)
		}
	}
	for file, text := range map[string]string{"a.csv": "g,hole,label\n1,,u\n,NA,v\n", "b.csv": "name,p,q\ng,1,\nhole,,NA\nlabel,u,v\n"} {
		d, err := openText(t, file, text, "missing=mean")
		if err != nil || !strings.Contains(d.Source, note+`"hole"`) {
			t.Errorf("%s: %+v, %v", file, d, err)
		}
	}
}
