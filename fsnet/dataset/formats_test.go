package dataset

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
)

// reference is testdata/tables/reference.tsv, read without any reader of this package: testdata/make_tables.py wrote it and its foreign
// twins.
type reference struct {
	features, samples, labels []string
	x                         []float32
}

func readReference(t testing.TB) reference {
	t.Helper()
	content, err := os.ReadFile("testdata/tables/reference.tsv")
	if err != nil {
		t.Fatal(err)
	}
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

// isReference checks that a data set is the reference, whatever may differ between formats.
func (want reference) isReference(t *testing.T, d *Dataset) {
	t.Helper()
	isWhole(t, d)
	if !slices.EqualFunc(d.X, want.x, func(a, b float32) bool { return a == b || a != a && b != b }) {
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

// The same table in every format, written by the format's own libraries, is the same data set.
func TestFormats(t *testing.T) {
	want := readReference(t)
	for _, test := range []struct {
		file   string
		words  []string
		source string
	}{
		{file: "comma.csv.gz"}, {file: "comma.csv.zst"}, {file: "two-members.csv.gz"}, {file: "marked.csv"},
		{file: "decimal.csv", source: "with decimal commas"}, {file: "bars.txt", source: "with decimal commas"},
		{file: "utf16-little.txt"}, {file: "utf16-big.csv"}, {file: "utf16.csv.gz", source: "with decimal commas"},
		{file: "pandas.xlsx"}, {file: "xlsxwriter.xlsx"}, {file: "openpyxl.xlsx", source: `of its sheets the first, "Expression & co", is read`},
	} {
		t.Run(test.file, func(t *testing.T) {
			d, err := openFixture(t, test.file, test.words...)
			if err != nil {
				t.Fatal(err)
			}
			want.isReference(t, d)
			if !strings.Contains(d.Source, test.source) {
				t.Errorf("source %q does not say %q", d.Source, test.source)
			}
			name, _, _ := strings.Cut(test.file, ".")
			if d.Name != name {
				t.Errorf("it is called %q", d.Name)
			}
		})
	}
}

// What is found by content is found without a name as well.
func TestFormatsWithoutAnExtension(t *testing.T) {
	files, err := filepath.Glob("testdata/tables/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "bad-") || slices.Contains([]string{".tsv", ".txt", ".cls", ".gct"}, filepath.Ext(name)) || !slices.Contains(Extensions(), filepath.Ext(name)) {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := config.Settings{Missing: "mean", Data: file}
		for path, other := range map[string]string{file: "", write(t, "x", content): "without a name"} {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			found, err := formatOf(path, filepath.Ext(path), f)
			if err != nil {
				t.Errorf("%s %s: %v", name, other, err)
			} else if want, err := formatOf(file, filepath.Ext(file), f); err != nil || found.name != want.name {
				t.Errorf("%s %s is taken for a %s, %v, %v", name, other, found.name, err, s)
			}
		}
	}
}

func TestBadFormats(t *testing.T) {
	for _, test := range []struct {
		file  string
		words []string
		says  []string
	}{
		{"bad-bomb.csv.zst", nil, []string{"bad-bomb.csv.zst unpacks to more than 1032 times its size", "unpack it first"}},
		{"bad-tar.tar.gz", nil, []string{"is packed with gzip and holds no text", "unpack it"}},
		{"bad-error.xlsx", nil, []string{`cell A2 of sheet "Sheet" holds the error #DIV/0!`, "correct it in Excel"}},
		{"bad-empty.xlsx", nil, []string{"holds no line"}},
		{"bad-date.xlsx", []string{"label=2024-09-02"}, []string{`column "label": "u" is not a number`}},
	} {
		t.Run(test.file, func(t *testing.T) {
			d, err := openFixture(t, test.file, test.words...)
			if err == nil {
				t.Fatalf("was read: %+v", d)
			}
			isFault(t, err, append(test.says, test.file)...)
		})
	}
}
