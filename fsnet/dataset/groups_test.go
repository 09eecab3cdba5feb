package dataset

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/num"
)

// donors is a data set of some classes and donors, every class of two donors at
// least.
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
	return must(labelled(t, y...).WithGroups(names))(t)
}

// apart checks that no group has rows on two sides.
func apart(t testing.TB, g *Groups, sides ...[]int) {
	t.Helper()
	side := map[int]int{}
	for s, rows := range sides {
		for _, row := range rows {
			if other, seen := side[g.Of[row]]; seen && other != s {
				t.Fatalf("%s is on the sides %d and %d of %v", g.nameOf(g.Of[row]), other, s, sides)
			}
			side[g.Of[row]] = s
		}
	}
}

// For many shapes, no group is on both sides of a split, every class can be
// trained on, the parts have about the sizes asked for, and another seed
// usually gives another split.
func TestSplit_KeepsGroupsWhole(t *testing.T) {
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

// The folds of cross-validation, and those inside the training rows, hold out
// whole groups, each once.
func TestFolds_HoldOutGroups(t *testing.T) {
	for round := range int64(100) {
		d := donors(t, round)
		training := must(TrainingRows(d, settings(t, fmt.Sprint("seed=", round))))(t)
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

// Values named for a column are compared as the column has them: as numbers
// only if both are numbers. A file may have the name of a column.
func TestOwnSplit_OtherNames(t *testing.T) {
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

// A column or a file can divide the rows into parts.
func TestOwnSplit_ColumnsAndFiles(t *testing.T) {
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
	// Validation rows are drawn from the training rows where the column names
	// none, whole groups.
	d := must(openText(t, "cohort.csv", cohort, "split=column:site=Bonn", "groups=donor", "covariates=part,site", "validation_fraction=0.3"))(t)
	p, err := Split(d, settings(t, "split=column:site=Bonn"))
	if err != nil || len(p.Validation) != 2 || len(p.Test) != 2 || len(p.Train) != 4 {
		t.Errorf("%v, %v", p, err)
	}
	apart(t, d.Groups, p.Train, p.Validation, p.Test)
	if !slices.Equal(d.Groups.Names, []string{"1", "2", "3", "4"}) {
		t.Errorf("donors are %q", d.Groups.Names)
	}
}

// Each value of a column is a fold, and a single split by that column is
// rejected with what to write.
func TestOwnFolds_ByColumn(t *testing.T) {
	d := must(openText(t, "cohort.csv", cohort, "split=column:site", "covariates=part"))(t)
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

// The hash tells different divisions apart, and data without one keep the hash
// that they always had.
func TestHash_IncludesGroups(t *testing.T) {
	hashes := map[string]string{}
	for _, words := range []string{"covariates=part,site", "covariates=part,site groups=donor", "covariates=part,site split=column:fold", "covariates=part,site split=column:fold=2"} {
		d := must(openText(t, "cohort.csv", cohort, strings.Fields(words)...))(t)
		if other, ok := hashes[d.Hash]; ok {
			t.Errorf("%s and %s have one hash", words, other)
		}
		hashes[d.Hash] = words
	}
}

// Groups and splits that don't suit the data are rejected with the reason.
func TestOpen_RejectsGroupsAndSplits(t *testing.T) {
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
	grouped := must(d.WithGroups([]string{"a", "b", "a", "b"}))(t)
	if _, err := Folds(grouped, 3, 1, 0); err == nil || !strings.Contains(err.Error(), "folds = 3 of 2 groups") {
		t.Error(err)
	}
	if _, err := grouped.WithSplit(Parts{Train: []int{0, 2}, Test: []int{1, 3}}); err != nil {
		t.Error(err)
	}
	_, err := grouped.WithSplit(Parts{Train: []int{0, 3}, Test: []int{1, 2}})
	isFault(t, err, "has rows for train and for test")
}

const paired = "id,patient,g,h,label\na,p,1,10,t\nb,p,3,14,n\nc,q,5,,t\nd,q,9,2,n\ne,r,0,1,t\nf,r,2,5,n\nx,r,4,9,n\n" +
	"y,s,1,1,t\nz,s,2,2,n\n"

// Pairs become differences from the pair's mean over the present values. A
// split keeps both rows on one side.
func TestOpen_Pairs(t *testing.T) {
	d := must(openText(t, "a.csv", paired, "paired=patient", "samples=id", "missing=mean"))(t)
	nan := float32(math.NaN())
	want := []float32{-1, -2, 1, 2, -2, nan, 2, 0, -2, -4, 0, 0, 2, 4, -0.5, -0.5, 0.5, 0.5}
	if !slices.EqualFunc(d.X, want, equalOrNaN) || !slices.Equal(d.Features, []string{"g", "h"}) {
		t.Errorf("%q: %v", d.Features, d.X)
	}
	for seed := range 20 {
		s := settings(t, "paired=patient", "missing=mean", "k=1")
		s.Seed = int64(seed)
		p := must(Prepare(d, s))(t)
		apart(t, d.Groups, p.Parts.Train, p.Parts.Test)
	}
	whole, err := openText(t, "a.csv", paired, "groups=patient", "samples=id", "missing=mean")
	if err != nil || whole.Hash == d.Hash || whole.X[1] != 10 {
		t.Errorf("groups leave the measurements alone: %v, %v", whole, err)
	}
}

// A pair with one row, or a missing value, is rejected with its line.
func TestOpen_RejectsPairs(t *testing.T) {
	for name, test := range map[string]struct {
		text  string
		words []string
		says  []string
	}{
		"alone":   {"p,g,label\n1,1,t\n1,2,n\n2,3,t\n", nil, []string{"line 4", "the only one of p \"2\""}},
		"groups":  {"p,g,label\n1,1,t\n1,2,n\n", []string{"groups=p"}, []string{"groups = p and paired = p", "leave groups out"}},
		"missing": {"p,g,label\n1,1,t\n,2,n\n", nil, []string{"line 3", "the value is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openText(t, "a.csv", test.text, append(test.words, "paired=p")...)
			isFault(t, err, test.says...)
		})
	}
	d := must(openText(t, "a.csv", "p,g,label\n1,1,t\n1,2,n\n2,3,t\n2,4,n\n3,1,t\n3,2,t\n", "paired=p"))(t)
	_, err := Prepare(d, settings(t, "paired=p", "k=1"))
	isFault(t, err, "all rows of p \"3\" are of class \"t\"")
}

// A prediction reads pairs in the same way as a training.
func TestOpenColumns_Pairs(t *testing.T) {
	s := settings(t, "paired=patient", "missing=mean")
	s.Data = write(t, "a.csv", []byte(paired))
	c := must(OpenColumns(context.Background(), []string{"h", "g"}, s, ""))(t)
	if !slices.Equal(c.Rows[0], []float64{-2, -1}) || c.Rows[2][1] != -2 || !math.IsNaN(c.Rows[2][0]) || !slices.Equal(c.Rows[8], []float64{0.5, 0.5}) {
		t.Errorf("%v", c.Rows)
	}
	for text, says := range map[string]string{
		"g,h\n1,2\n": `has no column "patient"`, "g,h,patient\n1,2,p\n1,2,\n": "line 3", "g,h,patient\n1,2,p\n1,2,p\n1,2,q\n": "line 4 is the only one of patient \"q\"",
	} {
		s.Data = write(t, "b.csv", []byte(text))
		_, err := OpenColumns(context.Background(), []string{"h", "g"}, s, "")
		isFault(t, err, filepath.Base(s.Data), says)
	}
}

// A file of test rows may name rows that missing=drop leaves out because a
// value or the class is missing, and no other absent rows.
func TestOwnSplit_DroppedTestRows(t *testing.T) {
	content := strings.NewReplacer("s7,7,", "s7,,", "s8,8,8,4,test,2,Bonn,v", "s8,8,8,4,test,2,Bonn,").Replace(cohort)
	open := func(names string) (*Dataset, error) {
		file := write(t, "held.txt", []byte(names))
		return openText(t, "cohort.csv", content, "covariates=part,site", "missing=drop", "split=file:"+file)
	}
	d := must(open("s5\ns6\ns7\ns8\n"))(t)
	if p, err := Split(d, settings(t)); err != nil || d.N != 6 || !slices.Equal(p.Test, []int{4, 5}) {
		t.Errorf("%v of %d rows, %v", p.Test, d.N, err)
	}
	for names, line := range map[string]string{"s5\ns6\ns77\n": `line 3 names "s77", which is not a sample of`,
		"s1,train\ns2,train\ns3,train\ns4,train\ns5,test\ns6,test\nS7,test\n": `line 7 names "S7"`} {
		_, err := open(names)
		isFault(t, err, line)
	}
}

// The numbers are hashed once: folds have the hashes that they had when each
// was hashed as a whole, and don't read the numbers.
func TestFolds_HashOnce(t *testing.T) {
	thin, dense := thinAndDense(t, false)
	for _, d := range []*Dataset{thin, dense} {
		folds := must(Folds(d, 2, 2, 1))(t)
		hashes := map[string]bool{d.Hash: true}
		for _, fold := range folds {
			hashes[fold.Hash] = true
			whole := *fold
			whole.setHash()
			if whole.Hash != fold.Hash {
				t.Errorf("%s: %s, as a whole %s", fold.Name, fold.Hash, whole.Hash)
			}
		}
		if len(hashes) != 5 {
			t.Errorf("%d hashes of 4 folds and all rows", len(hashes))
		}
		if d.Sparse() {
			continue
		}
		d.X[3]++ // nobody may do that
		again, err := Folds(d, 2, 2, 1)
		if err != nil || again[3].Hash != folds[3].Hash {
			t.Errorf("the numbers were hashed again, or %v", err)
		}
	}
}

// A range of a quantity isn't a class: even if all of its rows are of one
// donor, that donor may be drawn for validation.
func TestSplit_ValidationRowsOfAQuantity(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,age,donor,part\n")
	for i := range 40 {
		part := "train"
		if i%8 >= 6 {
			part = "test"
		}
		fmt.Fprintf(&b, "%d,%d.5,%d%s,%s\n", i*7%11, 20+i, i/8, part[:2], part)
	}
	words := []string{"label=age", "task=regression", "groups=donor", "split=column:part", "validation_fraction=0.25", "k=1"}
	d := must(openText(t, "age.csv", b.String(), words...))(t)
	p, err := Split(d, settings(t, words...))
	if err != nil || len(p.Train) != 24 || len(p.Validation) != 6 || len(p.Test) != 10 {
		t.Errorf("%v, %v", p, err)
	}
	apart(t, d.Groups, p.Train, p.Validation, p.Test)
}

// If the user gives the split, the validation rows are drawn by the training's
// seed, not by the seed that opened the data, since a replica must be what a
// fit with its seed is.
func TestSplit_ValidationRowsFollowSeed(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,h,part,label\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d,%s,%s\n", i*7%11, i*5%13, []string{"train", "train", "test"}[i%3], []string{"u", "v"}[i%2])
	}
	words := []string{"split=column:part", "validation_fraction=0.25", "k=1"}
	first := must(openText(t, "a.csv", b.String(), append(words, "seed=1")...))(t)
	seen := map[string]bool{}
	for seed := range 4 {
		s := settings(t, append(words, fmt.Sprint("seed=", seed))...)
		own := must(openText(t, "a.csv", b.String(), append(words, fmt.Sprint("seed=", seed))...))(t)
		want, err := Split(own, s)
		if err != nil || len(want.Validation) != 7 {
			t.Fatal(want, err)
		}
		if got, err := Split(first, s); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("seed %d: %v, %v, opened with it %v", seed, got, err, want)
		}
		if fmt.Sprint(*own.parts) != fmt.Sprint(Parts{want.Train, want.Validation, want.Test, nil}) {
			t.Errorf("seed %d: the hash is of %v, trained on are %v", seed, *own.parts, want)
		}
		seen[fmt.Sprint(want.Validation)] = true
	}
	if len(seen) < 2 {
		t.Error("all seeds have the same validation rows")
	}
	// A split that is given in its place is taken as it is.
	other := Parts{Train: []int{0, 1, 2, 3}, Left: nil}
	for i := 4; i < first.N; i++ {
		other.Test = append(other.Test, i)
	}
	given := must(first.WithSplit(other))(t)
	if got, err := Split(given, settings(t, words...)); err != nil || len(got.Validation) != 0 || len(got.Train) != 4 {
		t.Errorf("%v, %v", got, err)
	}
}

// Rows whose names repeat are of one sample, so no split divides them; the note
// in Source says so. A column of groups decides instead, and without names rows
// are on their own.
func TestOpen_RepeatedNames(t *testing.T) {
	var text strings.Builder
	text.WriteString("sample,label,donor,a,b")
	for i := range 24 {
		fmt.Fprintf(&text, "\nS%d,%s,D%d,%d,%d", i/2, []string{"x", "y"}[i/2%2], i/4, i*i%7, i)
	}
	file := filepath.Join(t.TempDir(), "replicates.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		config config.Config
		want   int
	}{
		{config.Config{Samples: "sample", Ignore: []string{"donor"}}, 12},
		{config.Config{Samples: "sample", Groups: "donor"}, 6},
		{config.Config{Ignore: []string{"sample", "donor"}}, 0},
	} {
		c.config.Data, c.config.Label, c.config.K = file, "label", 1
		settings, err := c.config.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Open(t.Context(), settings, "")
		if err != nil {
			t.Fatal(err)
		}
		parts, err := Split(d, settings)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := d.Units(num.Indices(d.N))
		if n != c.want || (c.want == 12) != strings.Contains(d.Source, "names of rows repeat") {
			t.Errorf("%+v: %d units, want %d; %s", c.config, n, c.want, d.Source)
		}
		for _, a := range parts.Train {
			for _, b := range parts.Test {
				if d.Groups != nil && d.Groups.Of[a] == d.Groups.Of[b] {
					t.Fatalf("%+v: rows %d and %d are divided", c.config, a, b)
				}
			}
		}
	}
}

// Two rows that are nearly the same raise a doubt, unless a group keeps them
// together; other rows do not, however large their values are.
func TestDoubts_NearlyTheSame(t *testing.T) {
	const n, columns = 12, 50
	random := rand.New(rand.NewPCG(1, 2))
	x, labels, groups := make([]float32, n*columns), make([]string, n), make([]string, n)
	for i := range n {
		labels[i], groups[i] = []string{"x", "y"}[i%2], fmt.Sprint(i/2)
		for j := range columns {
			x[i*columns+j] = float32(100 + random.NormFloat64())
		}
	}
	for j := range columns {
		x[5*columns+j] = x[4*columns+j] + float32(0.01*random.NormFloat64())
	}
	d, err := New("cells", x, nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	if list := d.nearRows(); len(list) != 1 || !strings.HasPrefix(list[0], "1 pair of rows nearly the same") {
		t.Errorf("%q", list)
	}
	grouped, err := d.WithGroups(groups)
	if err != nil {
		t.Fatal(err)
	}
	if list := grouped.nearRows(); list != nil {
		t.Errorf("rows of one group: %q", list)
	}
}

// Files whose names of rows repeat: a table of replicates, and an .h5ad whose
// obs_names do.
func TestOpen_RepeatedNamesOfFiles(t *testing.T) {
	for file, c := range map[string]config.Config{"cases/3/reps_noise.csv": {Samples: "sample"}, "cases/3/dupobs.h5ad": {Label: "cl"}} {
		c.Data, c.K = shared(t, file), 1
		settings, err := c.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Open(t.Context(), settings, "")
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := d.Units(num.Indices(d.N)); n == 0 || n >= d.N || !strings.Contains(d.Size(), " of ") {
			t.Errorf("%s: %s, %d units; %s", file, d.Size(), n, d.Source)
		}
	}
}
