package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	isFault(t, err, "several columns could be the label")
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

// No text makes it panic, and every row has all columns that were asked for.
func FuzzOpenColumns(f *testing.F) {
	f.Add("a,b,class\n1,2,x\n", "")
	f.Add("name,s,t\na,1,2\nb,3,4\n", "b")
	f.Add("sex,a\nf,1\n", "class")
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
