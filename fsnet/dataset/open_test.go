package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"gonum.org/v1/gonum/mat"

	"fsnetlab/fsnet/config"
	"fsnetlab/fsnet/errs"
)

// A built-in name is found in any case, and a path from the working directory
// or the home.
func TestOpen_FindsData(t *testing.T) {
	dir := t.TempDir()
	table := []byte("g,label\n1,u\n2,v\n")
	for _, name := range []string{"leukemia.csv", "ALLAML.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), table, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	for data, name := range map[string]string{
		"ALLAML": "ALLAML", "allaml": "ALLAML", " Allaml ": "ALLAML",
		"leukemia.csv": "leukemia", "./ALLAML.csv": "ALLAML", "~/leukemia.csv": "leukemia", filepath.Join(dir, "leukemia.csv"): "leukemia",
	} {
		s := settings(t)
		s.Data = data
		d, err := Open(context.Background(), s, dir)
		if err != nil {
			t.Errorf("%s: %v", data, err)
		} else if d.Name != name {
			t.Errorf("%s opened %s", data, d.Name)
		}
	}
	for _, test := range []struct {
		data string
		kind errs.Kind
		says []string
	}{
		{"", errs.Request, []string{"no data set is named", "data=ALLAML", ".mat .csv .tsv .txt"}},
		{"ALAML", errs.NotFound, []string{`"ALAML"`, filepath.Join(dir, "ALAML"), "did you mean ALLAML?"}},
		{"./ALLAML", errs.NotFound, []string{"there is no file " + filepath.Join(dir, "ALLAML")}},
		{"leukaemia.csv", errs.NotFound, []string{filepath.Join(dir, "leukaemia.csv"), "did you mean leukemia.csv?"}},
		{"nowhere/a.csv", errs.NotFound, []string{filepath.Join(dir, "nowhere/a.csv"), "nor its directory"}},
		{"leukemia.csv/a.csv", errs.NotFound, []string{"leukemia.csv/a.csv"}},
		{"zzzzzzzz.csv", errs.NotFound, []string{"zzzzzzzz.csv", "only these are built in: ALLAML"}},
		{"folder.csv", errs.Request, []string{"folder.csv is a directory"}},
		{os.DevNull, errs.Request, []string{os.DevNull + " is not a regular file"}},
	} {
		s := settings(t)
		s.Data = test.data
		_, err := Open(context.Background(), s, dir)
		isFault(t, err, test.says...)
		if !errs.Is(err, test.kind) {
			t.Errorf("%v is not of kind %s", err, test.kind)
		}
	}
}

// A built-in data set rejects a key that names a column.
func TestOpen_BuiltinWithoutColumns(t *testing.T) {
	s := settings(t, "label=diagnosis")
	s.Data = "ALLAML"
	_, err := Open(context.Background(), s, "")
	isFault(t, err, "ALLAML is built in")
}

// A canceled context ends the reading.
func TestOpen_Canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, data := range []string{"testdata/plain.mat", write(t, "a.csv", []byte("g,label\n1,u\n2,v\n"))} {
		s := settings(t)
		s.Data = data
		if _, err := Open(ctx, s, ""); !errs.Is(err, errs.Interrupted) {
			t.Errorf("%s: %v", data, err)
		}
	}
}

// The hash depends on values, features, classes and labels, and not on names of
// samples or on how numbers are spelled.
func TestHash_Content(t *testing.T) {
	base := "id,g,h,label\np,1,2,u\nq,3,4,v\n"
	of := func(content string) string {
		d := must(openText(t, "a.csv", content))(t)
		return d.Hash
	}
	if of(base) != of("id,g,h,label\nP,1.0,2,u\nQ,3,4e0,v\n") {
		t.Error("names of samples or spelling of numbers change the hash")
	}
	for name, other := range map[string]string{
		"a value": "id,g,h,label\np,1,2,u\nq,3,5,v\n", "a feature": "id,g,i,label\np,1,2,u\nq,3,4,v\n",
		"a class": "id,g,h,label\np,1,2,u\nq,3,4,w\n", "the labels": "id,g,h,label\np,1,2,v\nq,3,4,u\n", "where a name ends": "id,gh,h,label\np,1,2,u\nq,3,4,v\n",
	} {
		if of(base) == of(other) {
			t.Errorf("%s does not change the hash", name)
		}
	}
}

// New makes a data set of values in memory, and rejects inconsistent sizes.
func TestNew_FromValues(t *testing.T) {
	d := must(New("toy", []float32{1, 2, 3, 4}, nil, []string{"u", "v"}))(t)
	isWhole(t, d)
	if d.Name != "toy" || d.At(1, 0) != 3 || d.Features[1] != "feature_1" {
		t.Errorf("%+v", d)
	}
	_, err := New("toy", []float32{1, 2, 3}, []string{"g", "h"}, []string{"u", "v"})
	isFault(t, err, "3 values for 2 rows and 2 features")
	_, err = New("toy", nil, nil, nil)
	isFault(t, err, "toy")
}

// Columns are found by name among unrequested text and gaps. The label is
// compared as a class is.
func TestOpenColumns_ReadsOnlyRequested(t *testing.T) {
	dir := t.TempDir()
	open := func(text string, names ...string) (*Columns, error) {
		s := settings(t)
		s.Data = "a.csv"
		if err := os.WriteFile(filepath.Join(dir, s.Data), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return OpenColumns(context.Background(), names, s, dir)
	}
	c := must(open("id,b,words,hole,a,class\nx,1,north,,2,1.0\ny,NA,south,3,4,\nz,5,east,,6,2\n", "a", "b"))(t)
	if !slices.Equal(c.Samples, []string{"x", "y", "z"}) || !slices.Equal(c.Labels, []string{"1", "", "2"}) || c.Name != "a" ||
		!slices.Equal(c.Rows[0], []float64{2, 1}) || c.Rows[1][0] != 4 || !math.IsNaN(c.Rows[1][1]) || !slices.Equal(c.Rows[2], []float64{6, 5}) {
		t.Errorf("%+v", c)
	}
	if c, err := open("g,g\n1,2\n", "g.1", "g"); err != nil || !slices.Equal(c.Rows[0], []float64{2, 1}) || c.Samples != nil || c.Labels != nil {
		t.Errorf("the second g is g.1, as everywhere: %v, %+v", err, c)
	}
	_, err := open("a,class,label\n1,2,3\n", "a")
	isFault(t, err, "could all be the label")
	_, err = open("a,b\n1,2\n", "a", "c", "d")
	isFault(t, err, "has 1 of 3 features", `"c", "d"`)

	s := settings(t)
	s.Data = "ALLAML"
	whole := must(Open(context.Background(), s, ""))(t)
	names := []string{whole.Features[7000], whole.Features[3]}
	c = must(OpenColumns(context.Background(), names, s, ""))(t)
	for i, row := range c.Rows {
		if row[0] != float64(whole.At(i, 7000)) || row[1] != float64(whole.At(i, 3)) || c.Labels[i] != whole.Classes[whole.Y[i]] {
			t.Fatalf("row %d: %v", i, row)
		}
	}
}

// For every file that can be trained on, the columns for a model are those of
// the training, whatever its settings name, even without a label.
func TestOpenColumns_MatchTraining(t *testing.T) {
	files := must(filepath.Glob("testdata/*/*"))(t)
	kinds := map[string]bool{}
	for _, file := range append(files, "testdata/tables/arrays/X.npy", write(t, "twice.csv", []byte("gene,s1,s2,s3\nclass,a,b,a\nTP53,1,2,3\nMYC,4,5,6\nTP53,7,8,9\n")),
		write(t, "bars.txt", []byte("TP53|MYC|TP53|class\n1,5|2|3|a\n4|5,5|6|b\n"))) {
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
			at := []int{whole.D - 1, 0, whole.D / 2}
			names := []string{whole.Features[at[0]], whole.Features[at[1]], whole.Features[at[2]]}
			labels := must(OpenColumns(t.Context(), names, s, ""))(t).Labels
			s.Samples, s.Annotations, s.Label = "none", "", "none"
			c, err := OpenColumns(t.Context(), names, s, "")
			if err != nil || len(c.Rows) < whole.N || c.Labels != nil || c.Name != whole.Name {
				t.Fatalf("%s %s: %v, %+v", file, words, err, c)
			}
			want := must(whole.gather(t.Context(), []int{whole.N - 1, 0}, at))(t)
			first, last := 0, len(labels)-1 // rows without a class are left out
			for ; labels[first] == ""; first++ {
			}
			for ; labels[last] == ""; last-- {
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

// A model trained on cells may be given a table, and one trained on a table may
// be given cells without descriptions.
func TestOpenColumns_AnotherKind(t *testing.T) {
	s := settings(t, "data=a.csv", "layer=counts", "x=counts", "samples=none", "label=none", "covariates=sex")
	dir := filepath.Dir(write(t, "a.csv", []byte("sex,TP53,words\nf,1,x\nm,2,y\n,3,z\n")))
	c, err := OpenColumns(t.Context(), []string{"sex=m", "TP53"}, s, dir)
	if err != nil || !slices.Equal(c.Rows[0], []float64{0, 1}) || !slices.Equal(c.Rows[1], []float64{1, 2}) || !math.IsNaN(c.Rows[2][0]) {
		t.Errorf("%v: %+v", err, c)
	}
	s.Data = "testdata/cells/mtx-v3"
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

// If a key names a column of the rows, it fits only data that were opened with
// it.
func TestFits_Columns(t *testing.T) {
	const text = "a,b,g,label\n1,1,1,t\n1,2,2,n\n2,1,3,t\n2,2,5,n\n"
	set := map[string]func(s *config.Settings, column string){
		"groups":      func(s *config.Settings, column string) { s.Groups = column },
		"paired":      func(s *config.Settings, column string) { s.Pairs = column },
		"nuisance":    func(s *config.Settings, column string) { s.Nuisance = column },
		"row_weights": func(s *config.Settings, column string) { s.RowWeights = column },
	}
	without := must(openText(t, "a.csv", text))(t)
	for _, key := range slices.Sorted(maps.Keys(set)) {
		d := must(openText(t, "a.csv", text, key+"=a", "covariates=b"))(t)
		if column := map[bool]string{true: "a"}[key == "paired"]; d.PairedBy() != column {
			t.Errorf("%s: paired by %q", key, d.PairedBy())
		}
		s := settings(t)
		if err := d.Fits(s); err != nil {
			t.Errorf("%s: what the data have holds: %v", key, err)
		}
		set[key](&s, "a")
		if err := d.Fits(s); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		isFault(t, without.Fits(s), key+" = a, but", "a.csv was opened without", "open the data with it, or leave it out")
		for other := range set {
			if s := settings(t); other != key {
				set[other](&s, "a")
				isFault(t, d.Fits(s), other+" = a, but", "was opened without")
			}
		}
		other := settings(t)
		set[key](&other, "b")
		isFault(t, d.Fits(other), key+" = b, but", "a.csv was opened with "+key+" = a", "leave "+key+" out")
	}
}

// Equal weights count as no weights, and the data still fit row_weights.
func TestFits_EqualWeights(t *testing.T) {
	d := must(openText(t, "a.csv", "w,g,label\n2,1,t\n2,2,n\n2,3,t\n2,5,n\n", "row_weights=w"))(t)
	s := settings(t, "row_weights=w")
	if d.Weights != nil {
		t.Error("equal weights are some")
	}
	if err := d.Fits(s); err != nil {
		t.Error(err)
	}
	if err := d.pick([]int{0, 1}).Fits(s); err != nil {
		t.Error(err)
	}
}

// Groups and a nuisance that a program gave may have any name. Pairs stay
// together as they are.
func TestFits_WithoutColumns(t *testing.T) {
	d := must(New("x", []float32{1, 2, 3, 4}, nil, []string{"a", "b", "a", "b"}))(t)
	d = must(d.WithGroups([]string{"p", "p", "q", "q"}))(t)
	d = must(d.WithNuisance([]string{"s", "t", "s", "t"}))(t)
	s := settings(t)
	s.Groups, s.Nuisance = "donor", "site"
	if err := d.Fits(s); err != nil {
		t.Error(err)
	}
	paired := must(openText(t, "a.csv", "a,g,label\n1,1,t\n1,2,n\n2,3,t\n2,5,n\n", "paired=a"))(t)
	_, err := paired.WithGroups([]string{"p", "p", "q", "q"})
	isFault(t, err, "groups for the pairs of", "leave the groups out")
}

// A matrix makes the same data set as its rows, even if it is a view of another
// one.
func TestFromMatrix_Views(t *testing.T) {
	labels := []string{"a", "b", "a"}
	want := must(New("m", []float32{2, 3, 5, 6, 8, float32(math.NaN())}, nil, labels))(t)
	all := mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, math.NaN()})
	for name, x := range map[string]mat.Matrix{"view": all.Slice(0, 3, 1, 3), "transposed": mat.DenseCopyOf(all.Slice(0, 3, 1, 3).T()).T()} {
		if got, err := FromMatrix("m", x, nil, labels); err != nil || got.Hash != want.Hash {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	_, err := FromMatrix("m", all, nil, labels[:2])
	isFault(t, err, "2 labels for a matrix of 3 rows")
	_, err = FromMatrix("m", mat.NewDense(3, 1, []float64{1, 2, 1e300}), nil, labels)
	isFault(t, err, "row 3")
}

// A reader gives what the file gives, in each format.
func TestRead_MatchesOpen(t *testing.T) {
	for name, content := range map[string][]byte{
		"x.csv": []byte("g1,g2,class\n1,2,a\n3,4,b\n,6,a\n"),
		"x.TSV": []byte("class\ta\tb\na\t1\t2\nb\t3\t4\n"),
		"x.mat": matFileOf(binary.LittleEndian, matElement{"X", 6, []int32{2, 1}, doubles(1, 2), 0}, matElement{"Y", 6, []int32{2, 1}, doubles(1, 2), 0}),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		s := settings(t, "data="+path, "missing=drop")
		want := must(Open(context.Background(), s, ""))(t)
		s.Data = "x"
		got, err := Read(context.Background(), iotest.OneByteReader(strings.NewReader(string(content))), filepath.Ext(name), s)
		if err != nil || got.Hash != want.Hash || got.Name != "x" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// An unknown extension, bad content and a reader that breaks are errors with a
// remedy.
func TestRead_Rejects(t *testing.T) {
	broken := errors.New("line cut")
	for want, c := range map[string]struct {
		reader    *strings.Reader
		extension string
		broken    error
	}{
		`"docx" is not known - files that can be read end in .mat`: {strings.NewReader("x\x00"), "docx", nil},
		"cohort.csv is empty":                 {strings.NewReader(""), ".csv", nil},
		"cohort.csv: line 2":                  {strings.NewReader("g,class\nx,a\n1,b\n"), ".csv", nil},
		"cohort.csv cannot be read: line cut": {strings.NewReader("g,class\n"), ".csv", broken},
	} {
		var err error
		if c.broken != nil {
			_, err = Read(context.Background(), iotest.ErrReader(c.broken), c.extension, config.Settings{Data: "cohort"})
		} else {
			_, err = Read(context.Background(), c.reader, c.extension, config.Settings{Data: "cohort"})
		}
		if errs.Of(err).Remedy == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The caller's split is used as it is, whatever the seed. Missing or repeated
// rows are rejected.
func TestWithSplit_TakesParts(t *testing.T) {
	data := must(New("toy", []float32{1, 2, 3, 4, 5, 6}, nil, []string{"a", "b", "a", "b", "a", "b"}))(t)
	own := Parts{Train: []int{5, 0, 1}, Validation: []int{4}, Test: []int{3, 2}}
	split := must(data.WithSplit(own))(t)
	want := Parts{Train: []int{0, 1, 5}, Validation: []int{4}, Test: []int{2, 3}}
	for seed := range int64(3) {
		p, err := Prepare(split, settings(t, "data=toy", "k=1", "seed="+strconv.FormatInt(seed, 10)))
		if err != nil || !reflect.DeepEqual(p.Parts, want) {
			t.Errorf("seed %d: %v, %v", seed, p, err)
		}
	}
	if split.Hash == data.Hash || !slices.Equal(own.Train, []int{5, 0, 1}) {
		t.Error("the hash is that of another split, or the caller's rows were sorted")
	}
	for want, p := range map[string]Parts{
		"row 6, which is not one of the 6 rows":      {Train: []int{0, 1, 2, 3}, Test: []int{4, 6}},
		"row 0, which is not one of the 6 rows":      {Train: []int{0, 1, 2, 3}, Test: []int{4, 0}},
		"no part of the split has row 5":             {Train: []int{0, 1, 2, 3}, Test: []int{4}},
		"has no test rows":                           {Train: []int{0, 1, 2, 3, 4, 5}},
		`has no training row of class "b"`:           {Train: []int{0, 2, 4}, Test: []int{1, 3, 5}},
		"row -1, which is not one of the 6 rows, or": {Train: []int{0, 1, 2, 3, 4, 5}, Test: []int{-1}},
	} {
		_, err := data.WithSplit(p)
		isFault(t, err, want)
	}
}

// Rows that missing=drop leaves out leave their parts, and the others stay in
// theirs.
func TestWithSplit_MissingRows(t *testing.T) {
	data, err := New("toy", []float32{1, 2, float32(math.NaN()), 4, 5, 6, 7, 8}, nil, []string{"a", "b", "a", "b", "a", "b", "a", "b"})
	if err == nil {
		data, err = data.WithSplit(Parts{Train: []int{0, 1, 2, 3}, Test: []int{4, 5, 6, 7}})
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(data, settings(t, "data=toy", "k=1", "missing=drop"))
	if err != nil || !reflect.DeepEqual(p.Parts, Parts{Train: []int{0, 1, 2}, Test: []int{3, 4, 5, 6}}) {
		t.Fatalf("%v, %v", p, err)
	}
	if last := p.X[p.Parts.Test[3]]; last != 8 {
		t.Errorf("the last test row is %g", last)
	}
}
