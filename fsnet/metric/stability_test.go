package metric

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The measures of three small sets are those computed by hand.
func TestStability_ByHand(t *testing.T) {
	// Pairs share 1, 1 and 2 of 3: unions of 5, 5 and 4.
	three := [][]int{{0, 1, 2}, {2, 3, 4}, {4, 2, 9}}
	// In the three sets: 0, 1, 3, 9 once, 4 twice, 2 three times. s² is 3/2·2/9
	// = 1/3 for five features and 0 for the others.
	for name, test := range map[string]struct{ got, want float64 }{
		"jaccard":                   {Jaccard(three), (1.0/5 + 1.0/5 + 2.0/4) / 3},
		"nogueira, as Kuncheva's":   {Nogueira(three, 10), ((1-0.9)/2.1 + (1-0.9)/2.1 + (2-0.9)/2.1) / 3},
		"nogueira":                  {Nogueira(three, 10), 1 - (5.0/3/10)/(0.3*0.7)},
		"jaccard, sizes":            {Jaccard([][]int{{1}, {1, 2, 3, 4}}), 1.0 / 4},
		"nogueira, sizes":           {Nogueira([][]int{{0}, {0, 1, 2}}, 4), 1 - (2*2*0.25/4)/(0.5*0.5)},
		"jaccard, disjoint":         {Jaccard([][]int{{1, 2}, {3, 4}}), 0},
		"nogueira, disjoint":        {Nogueira([][]int{{1, 2}, {3, 0}}, 4), -1},
		"jaccard, one set":          {Jaccard([][]int{{1}}), 0},
		"nogueira, one set":         {Nogueira([][]int{{1}}, 3), 0},
		"jaccard, no set":           {Jaccard(nil), 0},
		"nogueira, no set":          {Nogueira(nil, 3), 0},
		"jaccard, empty sets":       {Jaccard([][]int{{}, {}}), 1},
		"nogueira, nothing to do":   {Nogueira([][]int{{0, 1}, {1, 0}}, 2), 0},
		"nogueira of empty sets":    {Nogueira([][]int{{}, {}}, 2), 0},
		"nogueira, equal sets":      {Nogueira([][]int{{5, 1}, {1, 5}, {5, 1}}, 7129), 1},
		"jaccard, in another order": {Jaccard([][]int{{5, 1}, {1, 5}}), 1},
	} {
		if !near(test.got, test.want) {
			t.Errorf("%s is %v, want %v", name, test.got, test.want)
		}
	}
}

// The fixtures are what the authors' program, scikit-learn and the definition
// say: testdata/make_stability.py.
func TestStability_MatchesReferences(t *testing.T) {
	type data struct {
		D                 int
		Sets              [][]int
		Nogueira, Jaccard float64
		Kuncheva          *float64 // pair by pair as its paper has it; none for sets of several sizes
	}
	for i, f := range fixture[data](t, "stability.json", 5) {
		if got := Nogueira(f.Sets, f.D); !near(got, f.Nogueira) {
			t.Errorf("fixture %d: Nogueira's is %v, its authors say %v", i, got, f.Nogueira)
		}
		if got := Jaccard(f.Sets); !near(got, f.Jaccard) {
			t.Errorf("fixture %d: Jaccard's is %v, scikit-learn says %v", i, got, f.Jaccard)
		}
		if f.Kuncheva == nil {
			continue
		}
		if got := Nogueira(f.Sets, f.D); !near(got, *f.Kuncheva) {
			t.Errorf("fixture %d: Nogueira's is %v, Kuncheva's, pair by pair, is %v", i, got, *f.Kuncheva)
		}
	}
}

// What the measures promise for any sets: none is above 1, the order of the sets and within each doesn't
// matter, and random sets agree as often as by chance.
func TestStability_RandomSets(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	sum := 0.0
	const rounds = 300
	for range rounds {
		d := 2 + r.IntN(40)
		k := 1 + r.IntN(d-1)
		sets := make([][]int, 2+r.IntN(8))
		for i := range sets {
			sets[i] = r.Perm(d)[:k]
		}
		j, no := Jaccard(sets), Nogueira(sets, d)
		if no > 1+1e-12 || no < -1-1e-12 || j < 0 || j > 1 {
			t.Fatalf("jaccard %v, nogueira %v of %v, d = %d", j, no, sets, d)
		}
		r.Shuffle(len(sets), func(a, b int) { sets[a], sets[b] = sets[b], sets[a] })
		for _, s := range sets {
			r.Shuffle(k, func(a, b int) { s[a], s[b] = s[b], s[a] })
		}
		if !near(Jaccard(sets), j) || Nogueira(sets, d) != no {
			t.Fatalf("another order gives %v, %v, not %v, %v", Jaccard(sets), Nogueira(sets, d), j, no)
		}
		sum += no
	}
	if mean := sum / rounds; math.Abs(mean) > 0.05 {
		t.Errorf("random sets have a stability of %v on average, not 0", mean)
	}
}
