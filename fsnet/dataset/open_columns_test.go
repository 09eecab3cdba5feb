package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Columns are found by name, beside words and holes that nobody asked for; the label is compared as a class is.
func TestOpenColumnsReadsOnlyWhatIsAskedFor(t *testing.T) {
	dir := t.TempDir()
	open := func(text string, names ...string) (*Columns, error) {
		s := settings(t)
		s.Data = "a.csv"
		if err := os.WriteFile(filepath.Join(dir, s.Data), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return OpenColumns(context.Background(), names, s, dir)
	}
	c, err := open("id,b,words,hole,a,class\nx,1,north,,2,1.0\ny,NA,south,3,4,\nz,5,east,,6,2\n", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Samples, []string{"x", "y", "z"}) || !slices.Equal(c.Labels, []string{"1", "", "2"}) || c.Name != "a" ||
		!slices.Equal(c.Rows[0], []float64{2, 1}) || c.Rows[1][0] != 4 || !math.IsNaN(c.Rows[1][1]) || !slices.Equal(c.Rows[2], []float64{6, 5}) {
		t.Errorf("%+v", c)
	}
	if c, err = open("g,g\n1,2\n", "g.1", "g"); err != nil || !slices.Equal(c.Rows[0], []float64{2, 1}) || c.Samples != nil || c.Labels != nil {
		t.Errorf("the second g is g.1, as everywhere: %v, %+v", err, c)
	}
	_, err = open("a,class,label\n1,2,3\n", "a")
	isFault(t, err, "could all be the label")
	_, err = open("a,b\n1,2\n", "a", "c", "d")
	isFault(t, err, "has 1 of 3 features", `"c", "d"`)

	s := settings(t)
	s.Data = "ALLAML"
	whole, err := Open(context.Background(), s, "")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{whole.Features[7000], whole.Features[3]}
	if c, err = OpenColumns(context.Background(), names, s, ""); err != nil {
		t.Fatal(err)
	}
	for i, row := range c.Rows {
		if row[0] != float64(whole.At(i, 7000)) || row[1] != float64(whole.At(i, 3)) || c.Labels[i] != whole.Classes[whole.Y[i]] {
			t.Fatalf("row %d: %v", i, row)
		}
	}
}

// Of every file that can be trained on, the columns that a model takes are those of the training, whatever its settings name; also where
// there is no label.
func TestColumnsAreThoseOfTheTraining(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, file := range append(files, "testdata/tables/arrays/X.npy", writeDataset(t, "twice.csv", []byte("gene,s1,s2,s3\nclass,a,b,a\nTP53,1,2,3\nMYC,4,5,6\nTP53,7,8,9\n")),
		writeDataset(t, "bars.txt", []byte("TP53|MYC|TP53|class\n1,5|2|3|a\n4|5,5|6|b\n"))) {
		for _, words := range [][]string{{""}, {"label=cell_type"}, {"label=disease state"}, {"label=cluster", "missing=drop", "annotations=testdata/cells/described.tsv"}} {
			if len(words) > 1 != slices.Contains([]string{"cellranger.h5", "mtx-v2", "mtx-v3"}, filepath.Base(file)) {
				continue
			}
			s := settings(t, append([]string{"missing=mean"}, slices.DeleteFunc(words, func(w string) bool { return w == "" })...)...)
			s.Data = file
			whole, err := Open(t.Context(), s, "")
			if err != nil {
				continue
			}
			kinds[strings.Split(strings.SplitN(whole.Source, " (", 2)[1], ")")[0]] = true
			s.Samples, s.Annotations, s.Label = "none", "", "none"
			at := []int{whole.D - 1, 0, whole.D / 2}
			names := []string{whole.Features[at[0]], whole.Features[at[1]], whole.Features[at[2]]}
			c, err := OpenColumns(t.Context(), names, s, "")
			if err != nil || len(c.Rows) < whole.N || c.Labels != nil || c.Name != whole.Name {
				t.Fatalf("%s %s: %v, %+v", file, words, err, c)
			}
			want, err := whole.gather(t.Context(), []int{whole.N - 1, 0}, at)
			if err != nil {
				t.Fatal(err)
			}
			first, last := 0, whole.N-1
			if len(words) > 1 { // a cell that nothing describes is left out
				first, last = slices.Index(c.Samples, whole.Samples[first]), slices.Index(c.Samples, whole.Samples[last])
			}
			for k, x := range slices.Concat(c.Rows[last], c.Rows[first]) {
				if x != float64(want[k]) && (x == x || want[k] == want[k]) {
					t.Errorf("%s: %v, in the training %v", file, c.Rows, want)
				}
			}
		}
	}
	if len(kinds) < 11 {
		t.Errorf("only %v", kinds)
	}
}

// A model that was trained on cells is given a table, one that was trained on a table cells that nothing describes.
func TestColumnsOfAnotherKind(t *testing.T) {
	s := settings(t, "data=a.csv", "layer=counts", "annotations=gone.csv", "x=counts", "samples=none", "label=none", "covariates=sex")
	dir := filepath.Dir(writeDataset(t, "a.csv", []byte("sex,TP53,words\nf,1,x\nm,2,y\n,3,z\n")))
	c, err := OpenColumns(t.Context(), []string{"sex=m", "TP53"}, s, dir)
	if err != nil || !slices.Equal(c.Rows[0], []float64{0, 1}) || !slices.Equal(c.Rows[1], []float64{1, 2}) || !math.IsNaN(c.Rows[2][0]) {
		t.Errorf("%v: %+v", err, c)
	}
	s.Annotations, s.Data = "", "testdata/cells/mtx-v3"
	if c, err = OpenColumns(t.Context(), []string{"TP53"}, s, ""); err != nil || c.Labels != nil || len(c.Rows) < 2 {
		t.Errorf("%v: %+v", err, c)
	}
	s.Nuisance = "site"
	_, err = OpenColumns(t.Context(), []string{"TP53"}, s, "")
	isFault(t, err, "annotations=FILE")
}

// No text makes it panic, and every row has all columns that were asked for.
func FuzzOpenColumns(f *testing.F) {
	f.Add("a,b,class\n1,2,x\n", "")
	f.Add("name,s,t\na,1,2\nb,3,4\n", "b")
	f.Add("sex,a\nf,1\n", "class")
	f.Add("gene,s,t\nclass,x,y\na,1,2\nb,3,4\na,5,6\n", "")
	f.Add("a;sex=f;words\n1,5;0;x\n", "")
	f.Fuzz(func(t *testing.T, text, label string) {
		s := settings(t)
		s.Data, s.Label, s.Covariates = "a.csv", label, []string{"sex"}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, s.Data), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := OpenColumns(context.Background(), []string{"a", "sex=f"}, s, dir)
		if err != nil {
			isFault(t, err)
			return
		}
		for _, row := range c.Rows {
			if len(row) != 2 {
				t.Fatalf("%q: %v", text, c.Rows)
			}
		}
		if c.Labels != nil && len(c.Labels) != len(c.Rows) || c.Samples != nil && len(c.Samples) != len(c.Rows) {
			t.Fatalf("%q: %+v", text, c)
		}
	})
}
