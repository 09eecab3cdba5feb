package dataset

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
)

const paired = "id,patient,g,h,label\na,p,1,10,t\nb,p,3,14,n\nc,q,5,,t\nd,q,9,2,n\ne,r,0,1,t\nf,r,2,5,n\nx,r,4,9,n\n" +
	"y,s,1,1,t\nz,s,2,2,n\n"

// Of pairs what remains are differences from the pair's mean, over what is there; a split has both rows on one side.
func TestPairsDataset(t *testing.T) {
	d, err := openText(t, "a.csv", paired, "paired=patient", "samples=id", "missing=mean")
	if err != nil {
		t.Fatal(err)
	}
	nan := float32(math.NaN())
	want := []float32{-1, -2, 1, 2, -2, nan, 2, 0, -2, -4, 0, 0, 2, 4, -0.5, -0.5, 0.5, 0.5}
	if !slices.EqualFunc(d.X, want, func(a, b float32) bool { return a == b || a != a && b != b }) || !slices.Equal(d.Features, []string{"g", "h"}) {
		t.Errorf("%q: %v", d.Features, d.X)
	}
	for seed := range 20 {
		s := settings(t, "paired=patient", "missing=mean", "k=1")
		s.Seed = int64(seed)
		p, err := Prepare(d, s)
		if err != nil {
			t.Fatal(err)
		}
		apart(t, d.Groups, p.Parts.Train, p.Parts.Test)
	}
	whole, err := openText(t, "a.csv", paired, "groups=patient", "samples=id", "missing=mean")
	if err != nil || whole.Hash == d.Hash || whole.X[1] != 10 {
		t.Errorf("groups leave the measurements alone: %v, %v", whole, err)
	}
}

func TestBadPairs(t *testing.T) {
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
	d, err := openText(t, "a.csv", "p,g,label\n1,1,t\n1,2,n\n2,3,t\n2,4,n\n3,1,t\n3,2,t\n", "paired=p")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Prepare(d, settings(t, "paired=p", "k=1"))
	isFault(t, err, "all rows of p \"3\" are of class \"t\"")
}

// Who predicts reads pairs in the same way.
func TestOpenColumnsOfPairs(t *testing.T) {
	s := settings(t, "paired=patient", "missing=mean")
	s.Data = writeDataset(t, "a.csv", []byte(paired))
	c, err := OpenColumns(context.Background(), []string{"h", "g"}, s, "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Rows[0], []float64{-2, -1}) || c.Rows[2][1] != -2 || !math.IsNaN(c.Rows[2][0]) || !slices.Equal(c.Rows[8], []float64{0.5, 0.5}) {
		t.Errorf("%v", c.Rows)
	}
	for text, says := range map[string]string{
		"g,h\n1,2\n": `has no column "patient"`, "g,h,patient\n1,2,p\n1,2,\n": "line 3", "g,h,patient\n1,2,p\n1,2,p\n1,2,q\n": "line 4 is the only one of patient \"q\"",
	} {
		s.Data = writeDataset(t, "b.csv", []byte(text))
		_, err := OpenColumns(context.Background(), []string{"h", "g"}, s, "")
		isFault(t, err, filepath.Base(s.Data), says)
	}
}
