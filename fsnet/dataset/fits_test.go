package dataset

import (
	"maps"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
)

// A key that names a column of the rows is of data that were opened with it.
func TestFitsColumns(t *testing.T) {
	const text = "a,b,g,label\n1,1,1,t\n1,2,2,n\n2,1,3,t\n2,2,5,n\n"
	set := map[string]func(s *config.Settings, column string){
		"groups":      func(s *config.Settings, column string) { s.Groups = column },
		"paired":      func(s *config.Settings, column string) { s.Pairs = column },
		"nuisance":    func(s *config.Settings, column string) { s.Nuisance = column },
		"row_weights": func(s *config.Settings, column string) { s.RowWeights = column },
	}
	without, err := openText(t, "a.csv", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		d, err := openText(t, "a.csv", text, key+"=a", "covariates=b")
		if err != nil {
			t.Fatal(key, err)
		}
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

// Weights that are all the same are none, and were asked for all the same.
func TestFitsEqualWeights(t *testing.T) {
	d, err := openText(t, "a.csv", "w,g,label\n2,1,t\n2,2,n\n2,3,t\n2,5,n\n", "row_weights=w")
	if err != nil {
		t.Fatal(err)
	}
	s := settings(t, "row_weights=w")
	if d.Weights != nil {
		t.Error("equal weights are some")
	}
	if err := d.Fits(s); err != nil {
		t.Error(err)
	}
	if err := d.only([]int{0, 1}).Fits(s); err != nil {
		t.Error(err)
	}
}

// Groups and a nuisance that a program gave may be called anything; pairs stay together as they are.
func TestFitsWithoutColumns(t *testing.T) {
	d, err := New("x", []float32{1, 2, 3, 4}, nil, []string{"a", "b", "a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = d.WithGroups([]string{"p", "p", "q", "q"}); err != nil {
		t.Fatal(err)
	}
	if d, err = d.WithNuisance([]string{"s", "t", "s", "t"}); err != nil {
		t.Fatal(err)
	}
	s := settings(t)
	s.Groups, s.Nuisance = "donor", "site"
	if err := d.Fits(s); err != nil {
		t.Error(err)
	}
	paired, err := openText(t, "a.csv", "a,g,label\n1,1,t\n1,2,n\n2,3,t\n2,5,n\n", "paired=a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = paired.WithGroups([]string{"p", "p", "q", "q"})
	isFault(t, err, "groups for the pairs of", "leave the groups out")
}
