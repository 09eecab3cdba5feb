package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fsnetlab/fsnet/errs"
)

// A file of test rows may name rows that missing=drop leaves out, whose value or class is missing, and no others.
func TestTestRowsThatAreLeftOut(t *testing.T) {
	content := strings.NewReplacer("s7,7,", "s7,,", "s8,8,8,4,test,2,Bonn,v", "s8,8,8,4,test,2,Bonn,").Replace(cohort)
	open := func(names string) (*Dataset, error) {
		file := write(t, "held.txt", []byte(names))
		return openText(t, "cohort.csv", content, "covariates=part,site", "missing=drop", "split=file:"+file)
	}
	d, err := open("s5\ns6\ns7\ns8\n")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := Split(d, settings(t)); err != nil || d.N != 6 || !slices.Equal(p.Test, []int{4, 5}) {
		t.Errorf("%v of %d rows, %v", p.Test, d.N, err)
	}
	for names, line := range map[string]string{"s5\ns6\ns77\n": `line 3 names "s77", which is not a sample of`,
		"s1,train\ns2,train\ns3,train\ns4,train\ns5,test\ns6,test\nS7,test\n": `line 7 names "S7"`} {
		if _, err := open(names); !errs.Is(err, errs.Request) || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %v", names, err)
		}
	}
}

// The numbers are hashed once: folds have the hashes that they had when each was hashed as a whole, and do not look at the numbers.
func TestFoldsDoNotHashTheNumbersAgain(t *testing.T) {
	thin, dense := thinAndDense(t, false)
	for _, d := range []*Dataset{thin, dense} {
		folds, err := Folds(d, 2, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		hashes := map[string]bool{d.Hash: true}
		for _, fold := range folds {
			hashes[fold.Hash] = true
			whole := *fold
			whole.seal()
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

// A range of a quantity is no class: where all of its rows are of one donor, that donor may be drawn for validation.
func TestValidationRowsOfAQuantityByDonor(t *testing.T) {
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
	d, err := openText(t, "age.csv", b.String(), words...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Split(d, settings(t, words...))
	if err != nil || len(p.Train) != 24 || len(p.Validation) != 6 || len(p.Test) != 10 {
		t.Errorf("%v, %v", p, err)
	}
	apart(t, d.Groups, p.Train, p.Validation, p.Test)
}

// Validation rows that are drawn from a split of the user's own are those of a training's seed, not of the seed that the data were opened
// with: a replica is what a fit with its seed is.
func TestValidationRowsAreThoseOfTheSeed(t *testing.T) {
	var b strings.Builder
	b.WriteString("g,h,part,label\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d,%s,%s\n", i*7%11, i*5%13, []string{"train", "train", "test"}[i%3], []string{"u", "v"}[i%2])
	}
	words := []string{"split=column:part", "validation_fraction=0.25", "k=1"}
	first, err := openText(t, "a.csv", b.String(), append(words, "seed=1")...)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seed := range 4 {
		s := settings(t, append(words, fmt.Sprint("seed=", seed))...)
		own, err := openText(t, "a.csv", b.String(), append(words, fmt.Sprint("seed=", seed))...)
		if err != nil {
			t.Fatal(err)
		}
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
	given, err := first.WithSplit(other)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Split(given, settings(t, words...)); err != nil || len(got.Validation) != 0 || len(got.Train) != 4 {
		t.Errorf("%v, %v", got, err)
	}
}
