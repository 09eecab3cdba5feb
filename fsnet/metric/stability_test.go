package metric

import (
	"math"
	"math/rand/v2"
	"slices"
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
		"kuncheva":                  {Kuncheva(three, 10), ((1-0.9)/2.1 + (1-0.9)/2.1 + (2-0.9)/2.1) / 3},
		"nogueira":                  {Nogueira(three, 10), 1 - (5.0/3/10)/(0.3*0.7)},
		"jaccard, sizes":            {Jaccard([][]int{{1}, {1, 2, 3, 4}}), 1.0 / 4},
		"nogueira, sizes":           {Nogueira([][]int{{0}, {0, 1, 2}}, 4), 1 - (2*2*0.25/4)/(0.5*0.5)},
		"jaccard, disjoint":         {Jaccard([][]int{{1, 2}, {3, 4}}), 0},
		"kuncheva, disjoint":        {Kuncheva([][]int{{1, 2}, {3, 0}}, 4), -1},
		"nogueira, disjoint":        {Nogueira([][]int{{1, 2}, {3, 0}}, 4), -1},
		"jaccard, one set":          {Jaccard([][]int{{1}}), 0},
		"kuncheva, one set":         {Kuncheva([][]int{{1}}, 3), 0},
		"nogueira, one set":         {Nogueira([][]int{{1}}, 3), 0},
		"jaccard, no set":           {Jaccard(nil), 0},
		"kuncheva, no set":          {Kuncheva(nil, 3), 0},
		"nogueira, no set":          {Nogueira(nil, 3), 0},
		"jaccard, empty sets":       {Jaccard([][]int{{}, {}}), 1},
		"kuncheva, nothing to do":   {Kuncheva([][]int{{0, 1}, {1, 0}}, 2), 0},
		"nogueira, nothing to do":   {Nogueira([][]int{{0, 1}, {1, 0}}, 2), 0},
		"kuncheva of empty sets":    {Kuncheva([][]int{{}, {}}, 2), 0},
		"nogueira of empty sets":    {Nogueira([][]int{{}, {}}, 2), 0},
		"kuncheva, equal sets":      {Kuncheva([][]int{{5, 1}, {1, 5}, {5, 1}}, 7129), 1},
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
		Kuncheva          *float64 // none for sets of several sizes
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
		if got := Kuncheva(f.Sets, f.D); !near(got, *f.Kuncheva) {
			t.Errorf("fixture %d: Kuncheva's is %v, pair by pair it is %v", i, got, *f.Kuncheva)
		}
	}
}

// What the measures promise for any sets: Nogueira's is Kuncheva's if all sets
// have one size, none is above 1, the order of the sets and within each doesn't
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
		j, ku, no := Jaccard(sets), Kuncheva(sets, d), Nogueira(sets, d)
		if math.Abs(ku-no) > 1e-9 || ku > 1+1e-12 || ku < -1-1e-12 || j < 0 || j > 1 {
			t.Fatalf("jaccard %v, kuncheva %v, nogueira %v of %v, d = %d", j, ku, no, sets, d)
		}
		r.Shuffle(len(sets), func(a, b int) { sets[a], sets[b] = sets[b], sets[a] })
		for _, s := range sets {
			r.Shuffle(k, func(a, b int) { s[a], s[b] = s[b], s[a] })
		}
		if !near(Jaccard(sets), j) || Kuncheva(sets, d) != ku || Nogueira(sets, d) != no {
			t.Fatalf("another order gives %v, %v, %v, not %v, %v, %v", Jaccard(sets), Kuncheva(sets, d), Nogueira(sets, d), j, ku, no)
		}
		sum += no
	}
	if mean := sum / rounds; math.Abs(mean) > 0.05 {
		t.Errorf("random sets have a stability of %v on average, not 0", mean)
	}
}

// The interval is that of the delta method: v = 1/R² Σ_i (∂Φ/∂w_i)², with the
// numerical derivative by the weight of a set.
func TestNogueira_Interval(t *testing.T) {
	const d = 12
	sets := slices.Repeat([][]int{{0, 1, 2}, {0, 1, 5, 7}, {0, 2}, {0, 1, 9, 10, 11}, {3}, {0, 1, 2, 4}}, 50) // the method is for many
	r := float64(len(sets))
	weighted := func(weight []float64) float64 {
		total, p := 0.0, make([]float64, d)
		for i, s := range sets {
			total += weight[i]
			for _, f := range s {
				p[f] += weight[i]
			}
		}
		size, variance := 0.0, 0.0
		for _, x := range p {
			size += x / total
			variance += x / total * (1 - x/total) * r / (r - 1) / d
		}
		return 1 - variance/(size/d*(1-size/d))
	}
	v := 0.0
	for i := range sets {
		const h = 1e-5
		more, less := slices.Repeat([]float64{1}, len(sets)), slices.Repeat([]float64{1}, len(sets))
		more[i], less[i] = 1+h, 1-h
		slope := (weighted(more) - weighted(less)) / (2 * h)
		v += slope * slope // by the weight of one set: 1/R of the influence
	}
	low, high := NogueiraInterval(sets, d)
	phi, half := Nogueira(sets, d), 1.96*math.Sqrt(v)
	if math.Abs(phi-half-low) > 0.01*half || math.Abs(phi+half-high) > 0.01*half {
		t.Errorf("%v to %v, wanted %v ± %v", low, high, phi, half)
	}
	for _, sets := range [][][]int{{{1}}, {{}, {}}, {{0, 1}, {0, 1}}} {
		if low, high := NogueiraInterval(sets, 2); low != high || low != Nogueira(sets, 2) {
			t.Errorf("%v: %v to %v", sets, low, high)
		}
	}
}
