package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/internal/num"
)

// donors is a data set of some classes and donors, every class of two donors at least.
func donors(t testing.TB, seed int64) *Dataset {
	t.Helper()
	r := num.RNG(seed, "donors of a test")
	classes, n := 2+r.IntN(3), 4+r.IntN(12)
	var y []int
	var names []string
	for g := range n {
		for range 1 + r.IntN(9) {
			y, names = append(y, r.IntN(classes)), append(names, fmt.Sprint("donor ", g))
		}
	}
	for c := range classes {
		for g := range 3 {
			y, names = append(y, c), append(names, fmt.Sprint("donor ", g))
		}
	}
	d, err := labelled(t, y...).WithGroups(names)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// apart checks that no group has rows on two sides.
func apart(t testing.TB, g *Groups, sides ...[]int) {
	t.Helper()
	side := map[int]int{}
	for s, rows := range sides {
		for _, row := range rows {
			if other, seen := side[g.Of[row]]; seen && other != s {
				t.Fatalf("%s is on the sides %d and %d of %v", g.called(g.Of[row]), other, s, sides)
			}
			side[g.Of[row]] = s
		}
	}
}

// For many shapes no group is on two sides of a split, every class can be trained on, the parts have about the sizes that were asked for,
// and another seed mostly divides otherwise.
func TestGroupsAreOnOneSide(t *testing.T) {
	r := num.RNG(2, "test")
	other := 0
	for round := range 300 {
		d := donors(t, int64(round))
		s := settings(t)
		s.Seed, s.TestFraction = int64(round), 0.2+0.4*r.Float64()
		if r.IntN(2) == 0 {
			s.ValidationFraction = 0.2
		}
		if r.IntN(3) == 0 {
			s.Split = "random"
		}
		p, err := Split(d, s)
		if err != nil {
			if s.ValidationFraction > 0 && strings.Contains(err.Error(), "validation_fraction") {
				continue // few donors are left
			}
			t.Fatal(err)
		}
		apart(t, d.Groups, p.Train, p.Validation, p.Test)
		rows := slices.Sorted(slices.Values(slices.Concat(p.Train, p.Validation, p.Test)))
		largest := 0
		for _, rows := range d.Groups.rows() {
			largest = max(largest, len(rows))
		}
		if len(rows) != d.N || len(slices.Compact(rows)) != d.N || math.Abs(float64(len(p.Test))-s.TestFraction*float64(d.N)) > float64(largest) {
			t.Errorf("round %d: %d of %d rows are for testing, of which a share of %.2f was asked for, with groups of %d rows at the most", round, len(p.Test), d.N, s.TestFraction, largest)
		}
		for c := range d.Classes {
			if !slices.ContainsFunc(p.Train, func(i int) bool { return d.Y[i] == c }) {
				t.Errorf("round %d: class %d has no training row", round, c)
			}
		}
		again, err := Split(d, s)
		if err != nil || !reflect.DeepEqual(p, again) {
			t.Errorf("round %d: the same seed divides in two ways, %v", round, err)
		}
		s.Seed++
		if next, err := Split(d, s); err == nil && !reflect.DeepEqual(p, next) {
			other++
		}
	}
	if other < 150 {
		t.Errorf("another seed divided otherwise %d times", other)
	}
}

// The folds of cross-validation, and those inside the training rows, hold out whole groups, each once.
func TestFoldsHoldOutGroups(t *testing.T) {
	for round := range int64(100) {
		d := donors(t, round)
		training, err := TrainingRows(d, settings(t, fmt.Sprint("seed=", round)))
		if err != nil {
			t.Fatal(err)
		}
		for _, whole := range []*Dataset{d, training} {
			folds, err := Folds(whole, 3, 2, round)
			if err != nil {
				isFault(t, err, "group")
				continue // of the training rows there may be too few groups
			}
			for repeat := range 2 {
				held := make([]int, whole.N)
				for _, fold := range folds[3*repeat : 3*repeat+3] {
					apart(t, whole.Groups, fold.parts.Train, fold.parts.Test)
					for _, row := range fold.parts.Test {
						held[row]++
					}
				}
				if slices.Min(held) != 1 || slices.Max(held) != 1 {
					t.Errorf("round %d: rows are held out %v times", round, held)
				}
			}
		}
	}
}

// What is written beside a column's values is compared with them as they are: as a number among numbers alone. A file may be called like a
// column.
func TestOwnSplitByOtherNames(t *testing.T) {
	table := "id,g1,donor,code,label\ns1,1,1,01,u\ns2,2,1,01,v\ns3,3,2,1,u\ns4,4,2,1,v\ns5,5,3,x,u\ns6,6,3,x,v\n"
	t.Chdir(filepath.Dir(write(t, "donor", []byte("s5\ns6\n"))))
	for words, test := range map[string][]int{
		"split=column:code=01 groups=donor": {0, 1},
		"split=column:code=1":               {2, 3},
		"split=column:donor=2.0":            {2, 3},
		"split=file:donor groups=donor":     {4, 5},
	} {
		d, err := openText(t, "table.csv", table, append(strings.Fields(words), "samples=id", "covariates=code")...)
		if err != nil {
			t.Errorf("%s: %v", words, err)
			continue
		}
		p, err := Split(d, settings(t, strings.Fields(words)...))
		if err != nil || !slices.Equal(p.Test, test) || d.TestRows(0.5) != 2 {
			t.Errorf("%s: %v, %d test rows, %v", words, p, d.TestRows(0.5), err)
		}
	}
}

// cohort is a table of donors with a split, folds and sites of its own.
const cohort = `id,g1,g2,donor,part,fold,site,label
s1,1,5,1,train,0,Rome,u
s2,2,4,1.0,train,0,Rome,v
s3,3,3,2,Training,0,Rome,u
s4,4,2,2,train,1,Oslo,v
s5,5,1,3,val,1,Oslo,u
s6,6,0,3,validation,1,Oslo,v
s7,7,9,4,test,2,Bonn,u
s8,8,8,4,test,2,Bonn,v
`

func TestOwnSplit(t *testing.T) {
	const others = "covariates=part,site" // words, which are features otherwise
	names := write(t, "held.txt", []byte("s7\ns8\n"))
	words := write(t, "parts.csv", []byte("sample,part\ns8,test\ns7,test\ns6,val\ns5,val\ns1,train\ns2,train\ns3,train\n\"s4\",\"train\"\n"))
	for _, test := range []struct {
		words []string
		want  Parts
	}{
		{[]string{"split=column:part"}, Parts{Train: []int{0, 1, 2, 3}, Validation: []int{4, 5}, Test: []int{6, 7}}},
		{[]string{"split=column:part", "groups=donor"}, Parts{Train: []int{0, 1, 2, 3}, Validation: []int{4, 5}, Test: []int{6, 7}}},
		{[]string{"split=column:fold=1"}, Parts{Train: []int{0, 1, 2, 6, 7}, Test: []int{3, 4, 5}}},
		{[]string{"split=column:site=Bonn"}, Parts{Train: []int{0, 1, 2, 3, 4, 5}, Test: []int{6, 7}}},
		{[]string{"split=file:" + names}, Parts{Train: []int{0, 1, 2, 3, 4, 5}, Test: []int{6, 7}}},
		{[]string{"split=file:" + words}, Parts{Train: []int{0, 1, 2, 3}, Validation: []int{4, 5}, Test: []int{6, 7}}},
	} {
		for seed := range 3 { // which has no influence
			d, err := openText(t, "cohort.csv", cohort, append(test.words, others, fmt.Sprint("seed=", seed))...)
			if err != nil {
				t.Fatalf("%v: %v", test.words, err)
			}
			p, err := Split(d, settings(t, test.words...))
			if err != nil || fmt.Sprint(p) != fmt.Sprint(test.want) {
				t.Errorf("%v: %v, %v", test.words, p, err)
			}
			if slices.Contains(d.Features, "fold") == strings.Contains(test.words[0], "fold") || !slices.Contains(d.Features, "site=Oslo") {
				t.Errorf("%v: features %q", test.words, d.Features)
			}
		}
	}
	// Validation rows are drawn from the training rows where the column names none, whole groups.
	d, err := openText(t, "cohort.csv", cohort, "split=column:site=Bonn", "groups=donor", "covariates=part,site", "validation_fraction=0.3")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Split(d, settings(t, "split=column:site=Bonn"))
	if err != nil || len(p.Validation) != 2 || len(p.Test) != 2 || len(p.Train) != 4 {
		t.Errorf("%v, %v", p, err)
	}
	apart(t, d.Groups, p.Train, p.Validation, p.Test)
	if !slices.Equal(d.Groups.Names, []string{"1", "2", "3", "4"}) {
		t.Errorf("donors are %q", d.Groups.Names)
	}
}

func TestOwnFolds(t *testing.T) {
	d, err := openText(t, "cohort.csv", cohort, "split=column:site", "covariates=part")
	if err != nil {
		t.Fatal(err)
	}
	folds, err := OwnFolds(d)
	if err != nil || len(folds) != 3 {
		t.Fatalf("%d folds, %v", len(folds), err)
	}
	for f, want := range [][]int{{6, 7}, {3, 4, 5}, {0, 1, 2}} { // Bonn, Oslo, Rome
		if p, err := Split(folds[f], settings(t)); err != nil || !slices.Equal(p.Test, want) {
			t.Errorf("fold %d holds out %v, %v", f, p.Test, err)
		}
	}
	_, err = Split(d, settings(t, "split=column:site"))
	isFault(t, err, "split = column:site", `3 folds, "Bonn", "Oslo", "Rome"`, "split=column:site=Bonn")
	if other, err := OwnFolds(labelled(t, 0, 0, 1, 1)); other != nil || err != nil {
		t.Errorf("%v, %v", other, err)
	}
}

// The hash of data tells divisions apart, and data without one have the hash that they always had.
func TestGroupsAreInTheHash(t *testing.T) {
	hashes := map[string]string{}
	for _, words := range []string{"covariates=part,site", "covariates=part,site groups=donor", "covariates=part,site split=column:fold", "covariates=part,site split=column:fold=2"} {
		d, err := openText(t, "cohort.csv", cohort, strings.Fields(words)...)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := hashes[d.Hash]; ok {
			t.Errorf("%s and %s have one hash", words, other)
		}
		hashes[d.Hash] = words
	}
}

func TestBadGroupsAndSplits(t *testing.T) {
	file := func(content string) string { return "split=file:" + write(t, "names.txt", []byte(content)) }
	change := func(from, to string) string {
		if !strings.Contains(cohort, from) {
			t.Fatal(from)
		}
		return strings.Replace(cohort, from, to, 1)
	}
	const others = "covariates=part,site"
	for _, test := range []struct {
		content string
		words   string
		says    []string
	}{
		{cohort, others + " groups=doner", []string{`no column "doner" (groups)`, "did you mean donor?"}},
		{change("5,1,3,", "5,1,,"), others + " groups=donor", []string{"line 6 (s5)", `column "donor": the value is missing`, "missing=drop"}},
		{cohort, others + " groups=label", []string{`all rows of class "u" are of label "u"`, "leave groups out"}},
		{strings.NewReplacer("Oslo", "Rome", "Bonn", "Rome").Replace(cohort), "covariates=part groups=site", []string{`all 8 rows are of site "Rome"`}},
		{cohort, others + " split=column:folt", []string{`no column "folt" (split)`, "did you mean fold?"}},
		{change("val,", "vall,"), "covariates=site split=column:part", []string{"line 6 (s5)", `"vall" in column "part"`, "train, validation or test"}},
		{strings.ReplaceAll(cohort, "test", "train"), "covariates=site split=column:part", []string{`column "part" has no test row`}},
		{cohort, "covariates=site split=column:part validation_fraction=0.2", []string{"validation_fraction = 0.2", "leave it out"}},
		{cohort, "covariates=part split=column:site=Bon", []string{`no row has "Bon" in column "site"`, "did you mean Bonn?"}},
		{cohort, "covariates=part,site split=column:label=u", []string{`column "label" has no training row of class "u"`}},
		{cohort, "covariates=part,site split=column:label", []string{`label "u" has all rows of class "u"`}},
		{change("s6,6,0,3,validation", "s6,6,0,4,validation"), "covariates=site split=column:part groups=donor", []string{`donor "4" has rows for validation and for test`, "leave groups out"}},
		{change("s6,6,0,3", "s6,6,0,4"), "covariates=part split=column:site groups=donor", []string{`donor "2" has rows in site "Rome" and in site "Oslo"`}},
		{strings.NewReplacer("Oslo", "Rome", "Bonn", "Rome").Replace(cohort), "covariates=part split=column:site", []string{`column "site" holds 1 different value,`}},
		{cohort, others + " " + file("s1\ns9\n"), []string{"line 2 names \"s9\"", "not a sample of", "such as s1"}},
		{cohort, others + " " + file("s1\ns1\n"), []string{`line 2 names "s1" a second time, after line 1`}},
		{cohort, others + " " + file("s1,train\ns2,test\n"), []string{`does not name sample "s3"`, "name every sample"}},
		{cohort, others + " " + file("s1,train\ns2\n"), []string{"line 1 has a word after the name, but line 2 has none"}},
		{cohort, others + " split=file:nowhere.txt", []string{"nowhere.txt", "check the path"}},
		{change("s2,", "s1,"), others + " samples=id " + file("s1\n"), []string{`two samples are called "s1"`}},
		{strings.ReplaceAll(strings.ReplaceAll(cohort, "id,", "weight,"), "\ns", "\n"), "samples=site covariates=part " + file("s1\n"), []string{`two samples are called "Rome"`}},
	} {
		d, err := openText(t, "cohort.csv", test.content, strings.Fields(test.words)...)
		if err == nil {
			_, err = Split(d, settings(t, strings.Fields(test.words)...))
		}
		if err == nil {
			t.Errorf("%s was divided", test.words)
			continue
		}
		isFault(t, err, test.says...)
	}
	d := labelled(t, 0, 0, 1, 1)
	if _, err := Split(d, settings(t, "split=column:fold=1")); err == nil {
		t.Error("data in memory have a column")
	}
	if _, err := d.WithGroups([]string{"a"}); err == nil {
		t.Error("one group for four rows")
	}
	grouped, err := d.WithGroups([]string{"a", "b", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Folds(grouped, 3, 1, 0); err == nil || !strings.Contains(err.Error(), "folds = 3 of 2 groups") {
		t.Error(err)
	}
	if _, err := grouped.WithSplit(Parts{Train: []int{0, 2}, Test: []int{1, 3}}); err != nil {
		t.Error(err)
	}
	_, err = grouped.WithSplit(Parts{Train: []int{0, 3}, Test: []int{1, 2}})
	isFault(t, err, "has rows for train and for test")
}

// Every kind of table has columns that tell something of the rows.
func TestGroupsInEveryFormat(t *testing.T) {
	for _, test := range []struct {
		file, words, groups string
		want                int
	}{
		{"tables/GSE1_series_matrix.txt.gz", "label=disease_state missing=mean", "age", 12},
		{"tables/kinds.parquet", "missing=drop", "group", 3},
		{"cells/anndata-0.12-csr.h5ad", "label=cell_type", "words", 2},
		{"cells/cellranger.h5", "label=cluster missing=drop annotations=testdata/cells/described.tsv", "donor", 4},
		{"cells/v73-text.mat", "label=label missing=mean", "label", 3},
	} {
		words := strings.Fields(test.words)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "disease_state", "disease state")
		}
		s := settings(t, append(words, "groups="+test.groups)...)
		s.Data = filepath.Join("testdata", test.file)
		d, err := Open(t.Context(), s, "")
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		if d.Groups == nil || len(d.Groups.Names) != test.want || len(d.Groups.Of) != d.N || slices.Contains(d.Features, test.groups) {
			t.Errorf("%s: %+v, features %q", test.file, d.Groups, d.Features)
		}
	}
	const lines = "feature,s1,s2,s3,s4\nlabel,u,v,u,v\ng1,1,2,3,4\ndonor,a,a,b,b\n"
	d, err := openText(t, "lines.csv", lines, "groups=donor")
	if err != nil || !slices.Equal(d.Groups.Of, []int{0, 0, 1, 1}) || !slices.Equal(d.Features, []string{"g1"}) {
		t.Fatalf("%+v, %v", d, err)
	}
	_, err = openText(t, "lines.csv", lines, "groups=done", "covariates=donor")
	isFault(t, err, `no line "done" (groups)`)
}
