package dataset

import (
	"math"
	"slices"
	"testing"
)

const weighted = "g,w,label\n1,1,a\n2,0,a\n3,2,a\n4,1,a\n5,1,b\n6,0,b\n7,4,b\n8,0.5,b\n"

// Weights come from a column, rows of weight 0 are not trained on, and those of the training rows have the mean 1.
func TestRowWeights(t *testing.T) {
	d, err := openText(t, "a.csv", weighted, "row_weights=w")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Weights, []float64{1, 0, 2, 1, 1, 0, 4, 0.5}) || !slices.Equal(d.Features, []string{"g"}) {
		t.Fatalf("%q, weights %v", d.Features, d.Weights)
	}
	for seed := range 20 {
		s := settings(t, "k=1")
		s.Seed = int64(seed)
		p, err := Prepare(d, s)
		if err != nil {
			t.Fatal(err)
		}
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
	if part := d.only([]int{2, 7, 0}); !slices.Equal(part.Weights, []float64{2, 0.5, 1}) {
		t.Errorf("of some rows the weights are %v", part.Weights)
	}
}

func TestBadRowWeights(t *testing.T) {
	for text, says := range map[string][]string{
		"g,w,label\n1,1,a\n2,-0.5,b\n": {"line 3", `column "w"`, `"-0.5"`, "0 or more"},
		"g,w,label\n1,1,a\n2,much,b\n": {"line 3", `"much"`}, "g,w,label\n1,Inf,a\n2,1,b\n": {"line 2", `"Inf"`},
		"g,w,label\n1,1,a\n2,NaN,b\n": {"line 3", "the value is missing"}, "g,w,label\n1,0,a\n2,0,b\n": {"all weights", "are 0"},
	} {
		_, err := openText(t, "a.csv", text, "row_weights=w")
		isFault(t, err, says...)
	}
	d, err := openText(t, "a.csv", "g,w,label\n1,0,a\n2,0,a\n3,1,b\n4,1,b\n", "row_weights=w")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Prepare(d, settings(t, "k=1"))
	isFault(t, err, `all training rows of class "a" have the weight 0`)
	_, err = d.WithWeights([]float64{1, math.NaN(), 1, 1})
	isFault(t, err, "line 3", "NaN")
}
