package dataset

import (
	"context"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/dataset/parse"
)

const weighted = "g,w,label\n1,1,a\n2,0,a\n3,2,a\n4,1,a\n5,1,b\n6,0,b\n7,4,b\n8,0.5,b\n"

// Weights come from a column, rows of weight 0 aren't trained on, and those of
// the training rows have mean 1.
func TestOpen_RowWeights(t *testing.T) {
	d := must(openText(t, "a.csv", weighted, "row_weights=w"))(t)
	if !slices.Equal(d.Weights, []float64{1, 0, 2, 1, 1, 0, 4, 0.5}) || !slices.Equal(d.Features, []string{"g"}) {
		t.Fatalf("%q, weights %v", d.Features, d.Weights)
	}
	for seed := range 20 {
		s := settings(t, "k=1")
		s.Seed = int64(seed)
		p := must(Prepare(d, s))(t)
		sum := 0.0
		for i, row := range p.Parts.Train {
			sum += p.TrainWeights[i]
			if p.TrainWeights[i]/p.TrainWeights[0] != d.Weights[row]/d.Weights[p.Parts.Train[0]] {
				t.Errorf("weights %v of rows %v", p.TrainWeights, p.Parts.Train)
			}
		}
		if math.Abs(sum-float64(len(p.Parts.Train))) > 1e-12 || slices.Contains(p.Parts.Train, 1) || slices.Contains(p.Parts.Train, 5) {
			t.Errorf("weights %v of rows %v", p.TrainWeights, p.Parts.Train)
		}
		all := slices.Concat(p.Parts.Train, p.Parts.Test, p.Parts.Left)
		if slices.Sort(all); !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Errorf("%+v", p.Parts)
		}
	}
	plain, err := openText(t, "b.csv", "g,w,label\n1,3,a\n2,3,a\n3,3,b\n4,3,b\n", "row_weights=w")
	if err != nil || plain.Weights != nil {
		t.Errorf("equal weights are none: %v, %v", plain, err)
	}
	other, err := d.WithWeights([]float64{1, 0, 2, 1, 1, 0, 4, 1})
	if err != nil || other.Hash == d.Hash {
		t.Errorf("other weights have the same hash: %v", err)
	}
	if part := d.pick([]int{2, 7, 0}); !slices.Equal(part.Weights, []float64{2, 0.5, 1}) {
		t.Errorf("of some rows the weights are %v", part.Weights)
	}
}

// A weight that isn't a finite number of at least 0 is rejected with its line.
func TestOpen_RejectsRowWeights(t *testing.T) {
	for text, says := range map[string][]string{
		"g,w,label\n1,1,a\n2,-0.5,b\n": {"line 3", `column "w"`, `"-0.5"`, "0 or more"},
		"g,w,label\n1,1,a\n2,much,b\n": {"line 3", `"much"`}, "g,w,label\n1,Inf,a\n2,1,b\n": {"line 2", `"Inf"`},
		"g,w,label\n1,1,a\n2,NaN,b\n": {"line 3", "the value is missing"}, "g,w,label\n1,0,a\n2,0,b\n": {"all weights", "are 0"},
	} {
		_, err := openText(t, "a.csv", text, "row_weights=w")
		isFault(t, err, says...)
	}
	d := must(openText(t, "a.csv", "g,w,label\n1,0,a\n2,0,a\n3,1,b\n4,1,b\n", "row_weights=w"))(t)
	_, err := Prepare(d, settings(t, "k=1"))
	isFault(t, err, `all training rows of class "a" have the weight 0`)
	_, err = d.WithWeights([]float64{1, math.NaN(), 1, 1})
	isFault(t, err, "line 3", "NaN")
}

// sites has three sites of which the third has no training row; feature 0 is
// the site, feature 1 varies in it.
func sites(t testing.TB, words ...string) *Dataset {
	t.Helper()
	text := "site,same,g,h,label,part\n"
	for _, row := range []string{
		"p,1,1,10,a,train", "p,1,3,,b,train", "p,1,5,14,a,train", "p,1,7,16,b,train", "p,1,9,10,a,train",
		"q,2,101,5,a,train", "q,2,103,5,b,train", "p,1,11,20,b,test", "q,2,105,6,a,test", "r,3,50,9,b,test",
	} {
		text += row + "\n"
	}
	return must(openText(t, "sites.csv", text, append(words, "nuisance=site", "split=column:part", "missing=mean")...))(t)
}

// Features are scaled by the training rows of their site. Site q, with two such
// rows, uses the deviation within all sites. Site r, with none, uses that and
// the mean of all training rows.
func TestPrepare_Nuisance(t *testing.T) {
	d := sites(t)
	s := settings(t, "k=1", "missing=mean", "nuisance=site", "split=column:part")
	p := must(Prepare(d, s))(t)
	if !slices.Equal(p.Kept, []int{1, 2}) || !slices.Equal(p.Within.Sites, []string{"p", "q"}) || p.Within.Unseen != 1 || p.Filled != 1 {
		t.Fatalf("kept %v, within %+v, filled %d", p.Kept, p.Within, p.Filled)
	}
	pooledG, pooledH := math.Sqrt((5*8+2*1)/7.0), math.Sqrt((5*(2.5*2.5+1.5*1.5+3.5*3.5+2.5*2.5)/5)/7) // of h one is missing: on the mean
	scaleH := math.Sqrt((2.5*2.5 + 1.5*1.5 + 3.5*3.5 + 2.5*2.5) / 5)
	meanG, meanH := (25+204)/7.0, (50+10)/6.0
	want := [][]float64{
		{-4 / math.Sqrt(8), -2.5 / scaleH}, {-2 / math.Sqrt(8), 0}, {0, 1.5 / scaleH}, {2 / math.Sqrt(8), 3.5 / scaleH}, {4 / math.Sqrt(8), -2.5 / scaleH},
		{-1 / pooledG, 0}, {1 / pooledG, 0}, {6 / math.Sqrt(8), 7.5 / scaleH}, {3 / pooledG, 1 / pooledH}, {(50 - meanG) / pooledG, (9 - meanH) / pooledH},
	}
	for i, row := range want {
		for c, x := range row {
			if got := float64(p.Row(i)[c]); math.Abs(got-x) > 1e-6*(1+math.Abs(x)) {
				t.Errorf("row %d, column %d is %g, not %g", i, c, got, x)
			}
		}
	}
	// Other values in test rows, and in sites that have no other, change no
	// training row.
	other := *d
	other.X = slices.Clone(d.X)
	for i := 7 * d.D; i < len(other.X); i++ {
		other.X[i] = float32(1000 + i)
	}
	q, err := Prepare(&other, s)
	if err != nil || !slices.Equal(p.Scaled[:7*2], q.Scaled[:7*2]) || !slices.Equal(p.Mean, q.Mean) || !slices.Equal(p.Scale, q.Scale) {
		t.Errorf("test rows have a say in training rows: %v", err)
	}
}

// A nuisance with a missing value, or without scaling, is rejected.
func TestOpen_RejectsNuisance(t *testing.T) {
	d := sites(t)
	_, err := Prepare(d, settings(t, "k=1", "missing=mean", "scaling=none"))
	isFault(t, err, "scaling = none", "nuisance = site")
	const text = "g,site,label\n1,p,a\n2,,b\n3,q,a\n4,q,b\n"
	_, err = openText(t, "a.csv", text, "nuisance=site")
	isFault(t, err, "line 3", `column "site"`, "missing=drop")
	_, err = openText(t, "a.csv", "g,site,label\n1,p,a\n2,p,b\n", "nuisance=site", "paired=site")
	isFault(t, err, "paired = site and nuisance = site")
	_, err = d.WithNuisance([]string{"p"})
	isFault(t, err, "1 value of", "10 rows")
	same := must(openText(t, "a.csv", "g,site,label\n1,p,a\n1,p,b\n2,q,a\n2,q,b\n", "nuisance=site"))(t)
	_, err = Prepare(same, settings(t, "k=1"))
	isFault(t, err, "no feature varies")
}

// A prediction gets the sites as they are spelled, from a table and from any
// other file. Numbers match in any spelling.
func TestOpenColumns_Nuisance(t *testing.T) {
	s := settings(t, "nuisance=donor")
	s.Data = write(t, "a.csv", []byte("h,donor,g\n1,7,2\n3,8.0,4\n"))
	c, err := OpenColumns(context.Background(), []string{"g"}, s, "")
	if err != nil || !slices.Equal(c.Described["donor"], []string{"7", "8"}) {
		t.Errorf("%+v, %v", c, err)
	}
	s.Data = "testdata/tables/arrays/X.npy"
	c, err = OpenColumns(context.Background(), []string{"TP53"}, s, "")
	if err != nil || len(c.Described["donor"]) != 12 || c.Described["donor"][11] != "5" {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]int{"7": 0, "8.0": 1, "7.0": 0, "9": -1, "x": -1, "": -1} {
		if at := parse.Index([]string{"7", "8"}, text); at != want {
			t.Errorf("%q is site %d", text, at)
		}
	}
}
