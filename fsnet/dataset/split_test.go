package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/num"
)

func openALLAML(t testing.TB) *Dataset {
	t.Helper()
	d, err := findBuiltin("ALLAML").open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// labelled is a data set of one feature with these classes.
func labelled(t testing.TB, y ...int) *Dataset {
	t.Helper()
	labels := make([]string, len(y))
	x := make([]float32, len(y))
	for i, c := range y {
		labels[i], x[i] = fmt.Sprint(c), float32(i)
	}
	d, err := New("toy", x, nil, labels)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Everything random is a function of the seed, on every machine and in every version: these rows must not change.
func TestSplitIsForever(t *testing.T) {
	d := openALLAML(t)
	for _, test := range []struct {
		words []string
		test  []int
	}{
		{[]string{"seed=1", "test_fraction=0.1"}, []int{6, 37, 38, 42, 53, 54, 63}},
		{[]string{"seed=1", "test_fraction=0.1", "split=random"}, []int{2, 25, 42, 44, 54, 56, 57}},
		{[]string{"seed=-2", "test_fraction=0.1"}, []int{2, 6, 8, 12, 33, 51, 62}},
	} {
		p, err := Split(d, settings(t, test.words...))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Test, test.test) {
			t.Errorf("%v: test rows %v", test.words, p.Test)
		}
	}
}

// Trainings of different seeds share a split where split_seed says so; it is that of a training whose seed is the split_seed.
func TestSplitSeedDividesTheRows(t *testing.T) {
	d := openALLAML(t)
	divided := func(words ...string) string {
		p, err := Split(d, settings(t, append(words, "validation_fraction=0.25")...))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(p)
	}
	want := divided("seed=3")
	for _, seed := range []string{"seed=0", "seed=3", "seed=4"} {
		if got := divided(seed, "split_seed=3"); got != want {
			t.Errorf("%s: %s, not %s", seed, got, want)
		}
	}
	if divided("seed=3", "split_seed=4") == want {
		t.Error("another split_seed divides the rows alike")
	}
}

func TestSplitOfALLAML(t *testing.T) {
	d := openALLAML(t)
	p, err := Split(d, settings(t, "seed=3", "validation_fraction=0.25"))
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]struct {
		rows []int
		want []int
	}{"test": {p.Test, []int{24, 12}}, "validation": {p.Validation, []int{6, 3}}, "train": {p.Train, []int{17, 10}}} {
		got := []int{0, 0}
		for _, i := range part.rows {
			got[d.Y[i]]++
		}
		if !slices.Equal(got, part.want) {
			t.Errorf("%s has %v rows of ALL and AML, want %v", name, got, part.want)
		}
	}
}

// For many shapes: the parts are disjoint and complete, the sizes are those asked for, every class keeps a training row, and a
// stratified part has each class's share to within one row.
func TestSplitHolds(t *testing.T) {
	r := num.RNG(1, "test")
	for round := range 2000 {
		classes := 1 + r.IntN(6)
		var y []int
		for c := range classes {
			for range 1 + r.IntN(12) {
				y = append(y, c)
			}
		}
		r.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		d := labelled(t, y...)
		s := settings(t)
		s.Seed, s.TestFraction = int64(round), 0.01+0.98*r.Float64()
		if r.IntN(2) == 0 {
			s.ValidationFraction = 0.98 * r.Float64()
		}
		if r.IntN(3) == 0 {
			s.Split = "random"
		}
		p, err := Split(d, s)
		if err != nil {
			isFault(t, err)
			if s.ValidationFraction == 0 && d.N > classes {
				t.Fatalf("%v: %v", y, err)
			}
			continue
		}
		all := slices.Concat(p.Train, p.Validation, p.Test)
		slices.Sort(all)
		for i, row := range all {
			if i != row || len(all) != d.N {
				t.Fatalf("parts %v", p)
			}
		}
		for _, part := range [][]int{p.Train, p.Validation, p.Test} {
			if !slices.IsSorted(part) {
				t.Fatalf("parts %v", p)
			}
		}
		if want := quota(d.N, s.TestFraction, d.N-classes); len(p.Test) != want {
			t.Fatalf("%d test rows, want %d", len(p.Test), want)
		}
		checkShares(t, d, s, p, classes)
	}
}

func checkShares(t *testing.T, d *Dataset, s config.Settings, p Parts, classes int) {
	t.Helper()
	size, train, test := make([]int, classes), make([]int, classes), make([]int, classes)
	for _, y := range d.Y {
		size[y]++
	}
	for _, i := range p.Train {
		train[d.Y[i]]++
	}
	for _, i := range p.Test {
		test[d.Y[i]]++
	}
	clipped := len(p.Test) != int(math.Round(s.TestFraction*float64(d.N)))
	for c := range classes {
		if train[c] == 0 {
			t.Fatalf("class %d has no training row", c)
		}
		if exact := s.TestFraction * float64(size[c]); s.Split == "stratified" && !clipped && test[c] < size[c]-1 && math.Abs(float64(test[c])-exact) >= 1 {
			// A class that gives more than its share makes up for one that must keep its last row.
			if missing := keptBack(size, s.TestFraction); float64(test[c])-exact >= 1+missing || exact-float64(test[c]) >= 1 {
				t.Fatalf("class %d of %d rows gives %d, its share is %.2f", c, size[c], test[c], exact)
			}
		}
	}
}

// keptBack is how many rows classes cannot give because they keep one for training.
func keptBack(size []int, fraction float64) float64 {
	sum := 0.0
	for _, n := range size {
		sum += max(0, fraction*float64(n)-float64(n-1))
	}
	return sum
}

func TestSplitDoesNotSeeNamesOrFeatures(t *testing.T) {
	a, err := openText(t, "a.csv", "g,h,label\n1,9,b\n2,8,a\n3,7,a\n4,6,c\n5,5,b\n6,4,c\n7,3,a\n8,2,b\n9,1,c\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := openText(t, "b.csv", "h,label,g\n9,x,1\n8,z,2\n7,z,3\n6,y,4\n5,x,5\n4,y,6\n3,z,7\n2,x,8\n1,y,9\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range []string{"split=stratified", "split=random"} {
		s := settings(t, "seed=5", "validation_fraction=0.3", split)
		p, err := Split(a, s)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Split(b, s)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(p) != fmt.Sprint(q) {
			t.Errorf("%s: %v, renamed %v", split, p, q)
		}
		s.Seed++
		if q, err = Split(b, s); err != nil || fmt.Sprint(p) == fmt.Sprint(q) {
			t.Errorf("%s: another seed gives the same split %v (%v)", split, q, err)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	_, err := Split(labelled(t, 1, 2, 3), settings(t))
	isFault(t, err, "toy: no row can be spared for testing among 3 rows of 3 classes")
	_, err = Split(labelled(t, 1, 1, 2, 2), settings(t, "validation_fraction=0.2"))
	isFault(t, err, "toy: validation_fraction = 0.2", "validation_fraction=0")
}
