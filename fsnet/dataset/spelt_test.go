package dataset

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// What a file holds as text, or as a whole number beyond 2⁵³, is told apart as it is written there, in every format that says so.
func TestSpellingsStayApart(t *testing.T) {
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

// The numbers of an HDF5 enumeration mean its names, and NA, or a number without a name, is missing: R's logicals and factors.
func TestEnumerations(t *testing.T) {
	for column, want := range map[string][]string{"logical": {"FALSE", "TRUE"}, "factor": {"case", "ctl", "other"}, "wide": {"high", "low"}} {
		_, err := openFixture(t, "spelt.h5ad", "label="+column)
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

// A table without types tells 01 from 1, and takes 1.0 for 1 and says so; who names a value may write it in either way.
func TestSpellingsOfText(t *testing.T) {
	const text = "g,h,fold,donor,label\n1,2,1,7,u\n2,1,1.0,007,v\n3,5,01,7.0,u\n4,4,2,007,v\n5,3,01,8,u\n6,9,2,8,v\n"
	d, err := openText(t, "a.csv", text, "split=column:fold=1.0", "groups=donor", "nuisance=fold")
	if err == nil {
		t.Error("donor 7 is on both sides")
	}
	d, err = openText(t, "a.csv", text, "split=column:fold=1.0", "nuisance=donor")
	if err != nil {
		t.Fatal(err)
	}
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

// A feature that varies, but not in 32 bits, is named with what to subtract, whatever the file; constant columns are not.
func TestLostInThirtyTwoBits(t *testing.T) {
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

// Features of which there is no value are named, those of Parquet's and Arrow's type of nothing as well; they are no dates.
func TestFeaturesWithoutValues(t *testing.T) {
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
