package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"fsnetlab/fsnet/config"
	"fsnetlab/internal/num"
)

func openALLAML(t testing.TB) *Dataset {
	t.Helper()
	return must(findBuiltin("ALLAML").open())(t)
}

// labelled is a data set of one feature with these classes.
func labelled(t testing.TB, y ...int) *Dataset {
	t.Helper()
	labels := make([]string, len(y))
	x := make([]float32, len(y))
	for i, c := range y {
		labels[i], x[i] = fmt.Sprint(c), float32(i)
	}
	return must(New("toy", x, nil, labels))(t)
}

// Everything random is a function of the seed, on every machine and in every
// version, so these rows must not change.
func TestSplit_NeverChanges(t *testing.T) {
	d := openALLAML(t)
	for _, test := range []struct {
		words []string
		test  []int
	}{
		{[]string{"seed=1", "test_fraction=0.1"}, []int{6, 37, 38, 42, 53, 54, 63}},
		{[]string{"seed=1", "test_fraction=0.1", "split=random"}, []int{2, 25, 42, 44, 54, 56, 57}},
		{[]string{"seed=-2", "test_fraction=0.1"}, []int{2, 6, 8, 12, 33, 51, 62}},
	} {
		p := must(Split(d, settings(t, test.words...)))(t)
		if !slices.Equal(p.Test, test.test) {
			t.Errorf("%v: test rows %v", test.words, p.Test)
		}
	}
}

// With a test_fraction of 0, all rows are for training, by groups or not.
// Validation rows still come from them.
func TestSplit_NoTestRows(t *testing.T) {
	d := openALLAML(t)
	groups := make([]string, d.N)
	for i := range groups {
		groups[i] = fmt.Sprint(i / 2)
	}
	for _, d := range []*Dataset{d, must(d.WithGroups(groups))(t)} {
		for _, fraction := range []string{"0", "0.25"} {
			p := must(Split(d, settings(t, "test_fraction=0", "validation_fraction="+fraction)))(t)
			if len(p.Test) > 0 || len(p.Train)+len(p.Validation) != d.N || (len(p.Validation) > 0) != (fraction != "0") {
				t.Errorf("validation_fraction=%s: %v", fraction, p)
			}
		}
	}
}

// Trainings of different seeds share a split if split_seed is given: the split
// of a training whose seed is the split_seed.
func TestSplit_SplitSeed(t *testing.T) {
	d := openALLAML(t)
	divided := func(words ...string) string {
		p := must(Split(d, settings(t, append(words, "validation_fraction=0.25")...)))(t)
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

// For many shapes, the parts are disjoint and complete, the sizes are those
// asked for, every class keeps a training row, and a stratified part has each
// class's share to within one row.
func TestSplit_Invariants(t *testing.T) {
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
			// A class that gives more than its share makes up for one that must
			// keep its last row.
			if missing := keptBack(size, s.TestFraction); float64(test[c])-exact >= 1+missing || exact-float64(test[c]) >= 1 {
				t.Fatalf("class %d of %d rows gives %d, its share is %.2f", c, size[c], test[c], exact)
			}
		}
	}
}

// keptBack is how many rows classes cannot give because they keep one for
// training.
func keptBack(size []int, fraction float64) float64 {
	sum := 0.0
	for _, n := range size {
		sum += max(0, fraction*float64(n)-float64(n-1))
	}
	return sum
}

// A split doesn't depend on the names of features or classes, and depends on
// the seed.
func TestSplit_IgnoresNames(t *testing.T) {
	a := must(openText(t, "a.csv", "g,h,label\n1,9,b\n2,8,a\n3,7,a\n4,6,c\n5,5,b\n6,4,c\n7,3,a\n8,2,b\n9,1,c\n"))(t)
	b := must(openText(t, "b.csv", "h,label,g\n9,x,1\n8,z,2\n7,z,3\n6,y,4\n5,x,5\n4,y,6\n3,z,7\n2,x,8\n1,y,9\n"))(t)
	for _, split := range []string{"split=stratified", "split=random"} {
		s := settings(t, "seed=5", "validation_fraction=0.3", split)
		p := must(Split(a, s))(t)
		q := must(Split(b, s))(t)
		if fmt.Sprint(p) != fmt.Sprint(q) {
			t.Errorf("%s: %v, renamed %v", split, p, q)
		}
		s.Seed++
		if q, err := Split(b, s); err != nil || fmt.Sprint(p) == fmt.Sprint(q) {
			t.Errorf("%s: another seed gives the same split %v (%v)", split, q, err)
		}
	}
}

// If no row can be spared for a part, the error says which key to change.
func TestSplit_Rejects(t *testing.T) {
	_, err := Split(labelled(t, 1, 2, 3), settings(t))
	isFault(t, err, "toy: no row can be spared for testing among 3 rows of 3 classes")
	_, err = Split(labelled(t, 1, 1, 2, 2), settings(t, "validation_fraction=0.2"))
	isFault(t, err, "toy: validation_fraction = 0.2", "validation_fraction=0")
}

// Every row is held out once per repeat, folds differ by at most one row, in
// all and in each class, and every class can be learned.
func TestFolds_AreEven(t *testing.T) {
	r := num.RNG(3, "folds of a test")
	for range 200 {
		var y []int
		for c := range 2 + r.IntN(4) {
			y = append(y, slices.Repeat([]int{c}, 2+r.IntN(9))...)
		}
		r.Shuffle(len(y), func(i, j int) { y[i], y[j] = y[j], y[i] })
		d := labelled(t, y...)
		n, repeats := 2+r.IntN(min(len(y)-1, 8)), 1+r.IntN(2)
		folds, err := Folds(d, n, repeats, r.Int64())
		if err != nil || len(folds) != n*repeats {
			t.Fatalf("%v: %d folds, %v", y, len(folds), err)
		}
		for repeat := range repeats {
			held := make([]int, len(y))
			least, most := map[int]int{}, map[int]int{}
			for f, fold := range folds[repeat*n : (repeat+1)*n] {
				parts := fold.parts
				of := map[int]int{-1: len(parts.Test)}
				for _, row := range parts.Test {
					held[row]++
					of[y[row]]++
				}
				for c := -1; c <= slices.Max(y); c++ {
					if f == 0 {
						least[c], most[c] = of[c], of[c]
					}
					least[c], most[c] = min(least[c], of[c]), max(most[c], of[c])
					if most[c]-least[c] > 1 {
						t.Errorf("%v in %d: class %d has %d to %d rows a fold", y, n, c, least[c], most[c])
					}
				}
				if len(parts.Train)+len(parts.Test) != len(y) || len(parts.Validation) > 0 {
					t.Errorf("fold %d is %+v", f, parts)
				}
			}
			if slices.Min(held) != 1 || slices.Max(held) != 1 {
				t.Errorf("%v in %d: held out %v times", y, n, held)
			}
		}
		if repeats == 2 && len(y) > 12 && reflect.DeepEqual(folds[0].parts, folds[n].parts) {
			t.Errorf("%v in %d: two repeats have the same folds", y, n)
		}
	}
}

// Folds are the same on every machine and in every version.
func TestFolds_NeverChange(t *testing.T) {
	folds := must(Folds(labelled(t, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0), 3, 2, 7))(t)
	var got []string
	for _, f := range folds {
		got = append(got, fmt.Sprintf("%s: %v", f.Name, f.parts.Test))
	}
	want := []string{
		"toy, fold 1 of 3, repeat 1: [4 5 6 9]", "toy, fold 2 of 3, repeat 1: [0 2 7]", "toy, fold 3 of 3, repeat 1: [1 3 8]",
		"toy, fold 1 of 3, repeat 2: [0 4 5 8]", "toy, fold 2 of 3, repeat 2: [1 2 7]", "toy, fold 3 of 3, repeat 2: [3 6 9]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// The training rows alone are what Prepare trains on, in their order, whatever
// the other rows have. Divide keeps the same split.
func TestTrainingRows_AreThoseOfPrepare(t *testing.T) {
	d := openALLAML(t)
	s := settings(t, "seed=3", "validation_fraction=0.25")
	p := must(Prepare(d, s))(t)
	training := must(TrainingRows(d, s))(t)
	if training.N != len(p.Parts.Train) || training.D != d.D || training.parts != nil {
		t.Fatalf("%d rows of %d", training.N, len(p.Parts.Train))
	}
	for i, row := range p.Parts.Train {
		if training.Y[i] != d.Y[row] || !slices.Equal(training.X[i*d.D:(i+1)*d.D], d.X[row*d.D:(row+1)*d.D]) {
			t.Errorf("row %d is not row %d", i, row)
		}
	}
	divided := must(Divide(d, settings(t, "seed=3", "validation_fraction=0.25")))(t)
	few := divided.Columns([]int{700, 3})
	parts, err := Split(few, settings(t, "seed=99"))
	if err != nil || !reflect.DeepEqual(parts, p.Parts) || few.D != 2 || few.At(5, 0) != d.At(5, 700) || few.Features[1] != d.Features[3] || few.Hash == divided.Hash {
		t.Errorf("%v, %+v, %v", err, parts, few.Features)
	}
}

// shape is rows of some classes in some groups, each class in two groups at
// least.
func shape(r *rand.Rand) (class, group []int) {
	classes, groups := 1+r.IntN(4), 2+r.IntN(8)
	for g := range groups {
		for range 1 + r.IntN(9) {
			class, group = append(class, r.IntN(classes)), append(group, g)
		}
	}
	for c := range classes {
		class, group = append(class, c, c), append(group, r.IntN(groups-1), groups-1)
	}
	return class, group
}

// cost is the formula of the documentation, +Inf where what is held out breaks
// its promise.
func cost(class, group, part []int, parts []dealPart, stratified bool) float64 {
	sum, classes := 0.0, 1+slices.Max(class)
	for p, of := range parts {
		rows, all := make([]float64, classes), make([]float64, classes)
		for i, c := range class {
			if !stratified {
				c = 0
			}
			all[c]++
			if part[group[i]] == p {
				rows[c]++
			}
		}
		for c := range classes {
			if all[c] > 0 {
				sum += (rows[c] - of.Share*all[c]) * (rows[c] - of.Share*all[c]) / all[c]
			}
		}
		if !of.Held {
			continue
		}
		outside, inside := make([]int, classes), 0
		for i, c := range class {
			if part[group[i]] == p {
				inside++
			} else {
				outside[c]++
			}
		}
		if inside == 0 || slices.Contains(outside, 0) {
			return math.Inf(1)
		}
	}
	return sum
}

// For many shapes, what is held out leaves every class a row, and no move of a
// group and no exchange of two comes nearer to the shares.
func TestSplit_GroupsAreOptimal(t *testing.T) {
	r := num.RNG(1, "test")
	best, reached := 0, 0
	for round := range 400 {
		class, group := shape(r)
		share, stratified := 0.05+0.9*r.Float64(), r.IntN(2) == 0
		parts := []dealPart{{Share: 1 - share}, {Share: share, Held: true}}
		part, ok := dealGroups(class, group, parts, stratified, num.RNG(int64(round), "deal"))
		if !ok {
			t.Fatalf("round %d: a division is not found that is there: %v %v", round, class, group)
		}
		have := cost(class, group, part, parts, stratified)
		try := func(changed []int) bool { return cost(class, group, changed, parts, stratified) < have-1e-6 }
		for g := range part {
			for h := range g + 1 {
				changed := slices.Clone(part)
				if g == h {
					changed[g] = 1 - part[g]
				} else {
					changed[g], changed[h] = part[h], part[g]
				}
				if try(changed) {
					t.Fatalf("round %d: %v is nearer than %v for classes %v of groups %v", round, changed, part, class, group)
				}
			}
		}
		reached++
		if !slices.ContainsFunc(all(len(part)), try) {
			best++
		}
	}
	if best*4 < reached*3 { // a local optimum is mostly the best one
		t.Errorf("%d of %d are the nearest of all divisions", best, reached)
	}
}

// all are the divisions of n groups into two parts.
func all(n int) [][]int {
	list := make([][]int, 1<<n)
	for i := range list {
		for g := range n {
			list[i] = append(list[i], i>>g&1)
		}
	}
	return list
}

// Groups of one row each are divided as rows are: every class to within one row
// of its share, and every seed in another way.
func TestSplit_GroupsOfOneRow(t *testing.T) {
	class, group := make([]int, 60), make([]int, 60)
	for i := range class {
		class[i], group[i] = i%3, i
	}
	different := map[int]bool{}
	for seed := range int64(20) {
		part, ok := dealGroups(class, group, []dealPart{{Share: 0.75}, {Share: 0.25, Held: true}}, true, num.RNG(seed, "deal"))
		counts, bits := make([]int, 3), 0
		for g, p := range part {
			counts[class[g]] += p
			bits = bits<<1 | p
		}
		if !ok || !slices.Equal(counts, []int{5, 5, 5}) {
			t.Errorf("seed %d holds out %v of the classes", seed, counts)
		}
		different[bits] = true
	}
	if len(different) != 20 {
		t.Errorf("20 seeds make %d divisions", len(different))
	}
}

// If all rows of a class are in one group, it can't be both trained on and held
// out, and the error says so.
func TestSplit_UndividableClass(t *testing.T) {
	parts := []dealPart{{Share: 0.5, Held: true}, {Share: 0.5, Held: true}}
	if part, ok := dealGroups([]int{0, 0, 1, 1}, []int{0, 1, 2, 2}, parts, true, num.RNG(1, "deal")); ok {
		t.Errorf("%v has class 1 on both sides", part)
	}
}
